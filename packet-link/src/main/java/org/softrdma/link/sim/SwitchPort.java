// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

/**
 * The port of a switch before a {@link SimulatedLink}, where packets from the whole fabric queue. ECN-capable packets are marked by the
 * length of the queue, as RED does: never below {@code markFromBytes}, always from {@code markAllBytes} on, and between the two with a
 * probability that rises to {@code markProbability}.
 *
 * @param bitsPerSecond   sending rate to the link, headers and inter-frame gap included
 * @param queueBytes      bytes that may wait; further packets are dropped ({@link Fate#QUEUE_FULL})
 * @param markFromBytes   K_min
 * @param markAllBytes    K_max, not less than {@code markFromBytes}
 * @param markProbability P_max, 0..1
 */
public record SwitchPort(long bitsPerSecond, int queueBytes, int markFromBytes, int markAllBytes, double markProbability) {
    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if they do not fit each other
     */
    public SwitchPort {
        if (bitsPerSecond <= 0 || queueBytes < 0 || markFromBytes < 0 || markAllBytes < markFromBytes
            || !(markProbability >= 0 && markProbability <= 1)) {
            throw new IllegalArgumentException(bitsPerSecond + " bit/s, queue " + queueBytes + " B, marks from " + markFromBytes + " B to "
                + markAllBytes + " B, probability " + markProbability);
        }
    }

    /** Probability that a packet is marked which finds that many bytes waiting. */
    double markChance(double waitingBytes) {
        if (waitingBytes < markFromBytes) {
            return 0;
        }
        return waitingBytes >= markAllBytes ? 1
            : markProbability * (waitingBytes - markFromBytes) / (markAllBytes - markFromBytes);
    }
}
