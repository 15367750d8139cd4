// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

/**
 * The port of a switch that leads to a {@link SimulatedLink}: where packets from all over the fabric meet and queue. Packets that say they
 * may be marked (ECN) are marked by the length of the queue they find, as RED does it: never below {@code markFromBytes}, always from
 * {@code markAllBytes} on, and between the two with a probability that rises to {@code markProbability}.
 *
 * @param bitsPerSecond   how fast it sends to the link, headers and inter-frame gap included
 * @param queueBytes      bytes that may wait; what is more is dropped ({@link Fate#QUEUE_FULL})
 * @param markFromBytes   K_min
 * @param markAllBytes    K_max, not less than {@code markFromBytes}
 * @param markProbability P_max, 0..1
 */
public record SwitchPort(long bitsPerSecond, int queueBytes, int markFromBytes, int markAllBytes, double markProbability) {
    public SwitchPort {
        if (bitsPerSecond <= 0 || queueBytes < 0 || markFromBytes < 0 || markAllBytes < markFromBytes
            || !(markProbability >= 0 && markProbability <= 1)) {
            throw new IllegalArgumentException(bitsPerSecond + " bit/s, queue " + queueBytes + " B, marks from " + markFromBytes + " B to "
                + markAllBytes + " B, probability " + markProbability);
        }
    }

    /** How likely a packet is marked that finds so many bytes waiting. */
    double markChance(double waitingBytes) {
        if (waitingBytes < markFromBytes) {
            return 0;
        }
        return waitingBytes >= markAllBytes ? 1
            : markProbability * (waitingBytes - markFromBytes) / (markAllBytes - markFromBytes);
    }
}
