// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import java.util.SplittableRandom;

/**
 * Draws of a seed for the services beside RC, and about receives that queue pairs share.
 *
 * @param ucPairs   unreliable connections
 * @param udPerSide datagram queue pairs on each side
 * @param group     all datagram queue pairs are attached to one multicast group
 * @param sharedOnA share of the queue pairs of a that take their receives from one shared queue, 0..1
 * @param sharedOnB as {@code sharedOnA}
 * @param spare     receives that a shared queue holds beyond one for each queue pair
 * @param messages  send work requests of each stream of these services
 * @param packets   packets all of them plan together, so that a seed costs some milliseconds
 * @param qkey      of all datagram queue pairs; half of the time one under control, with the highest bit set
 * @param badQkeys  share of datagrams sent with another Q_Key
 * @param meddling  share of the applications' turns after which they take no completions until the next one, when they resize completion
 *     queues, and arm or resize shared receive queues
 */
record Mix(int ucPairs, int udPerSide, boolean group, double sharedOnA, double sharedOnB, int spare, int messages, int packets, int qkey,
           double badQkeys, double meddling) {
    private static final int PACKETS = 800;

    /** In a third of the seeds there is nothing but RC with its own receive queues. */
    static Mix draw(SplittableRandom random) {
        boolean rcOnly = random.nextInt(3) == 0;
        int ucPairs = random.nextInt(3);
        int udPerSide = random.nextInt(3);
        boolean group = random.nextBoolean();
        double sharedOnA = random.nextBoolean() ? 0 : 0.25 + random.nextDouble();
        double sharedOnB = random.nextBoolean() ? 0 : 0.25 + random.nextDouble();
        int spare = 1 + random.nextInt(1 << random.nextInt(6));
        int messages = 5 + random.nextInt(60);
        int qkey = random.nextInt();
        double badQkeys = random.nextInt(3) > 0 ? 0 : random.nextDouble() * 0.2;
        double meddling = random.nextInt(3) == 0 ? random.nextDouble() * 0.2 : 0;
        return rcOnly ? new Mix(0, 0, false, 0, 0, 0, 0, 0, 0, 0, meddling)
            : new Mix(ucPairs, udPerSide, group && udPerSide > 0, sharedOnA, sharedOnB, spare, messages, PACKETS, qkey, badQkeys, meddling);
    }

    double shared(boolean onA) {
        return onA ? sharedOnA : sharedOnB;
    }
}
