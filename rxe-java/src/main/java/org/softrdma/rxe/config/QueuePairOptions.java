// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

/**
 * Options of a device that its queue pairs follow.
 *
 * @param congestion with a line rate if it is on
 * @param recovery   of the reliable queue pairs
 */
public record QueuePairOptions(CongestionControl congestion, Recovery recovery) {
    /** No congestion control; losses are found by the ACK timeout. */
    public static final QueuePairOptions DEFAULT = new QueuePairOptions(CongestionControl.NONE, Recovery.TIMEOUT);

    /**
     * The options with a line rate as {@link CongestionControl#onInterface} gives it.
     *
     * @param bitsPerSecond rate of the interface, 0 if unknown
     */
    public QueuePairOptions onInterface(long bitsPerSecond) {
        return new QueuePairOptions(congestion.onInterface(bitsPerSecond), recovery);
    }
}
