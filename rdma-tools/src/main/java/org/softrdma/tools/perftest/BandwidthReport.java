// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

/**
 * Measurement of one end.
 *
 * @param size       bytes of a message
 * @param iterations messages
 * @param peak       in the unit of the report; 0 if not searched for
 * @param average    in the unit of the report
 * @param rate       million messages per second
 */
record BandwidthReport(long size, long iterations, double peak, double average, double rate) {
    /** Report of an end that only served. */
    static final BandwidthReport NONE = new BandwidthReport(0, 0, 0, 0, 0);

    /** Sum of both directions. */
    BandwidthReport plus(BandwidthReport peer) {
        return new BandwidthReport(size, iterations, peak + peer.peak, average + peer.average, rate + peer.rate);
    }
}
