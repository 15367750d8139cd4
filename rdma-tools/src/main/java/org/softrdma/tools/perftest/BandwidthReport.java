// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

/**
 * What one end measured.
 *
 * @param size       bytes of a message
 * @param iterations messages
 * @param peak       in the unit the ends report in; 0 if not looked for
 * @param average    the same
 * @param rate       million messages a second
 */
record BandwidthReport(long size, long iterations, double peak, double average, double rate) {
    /** Of an end that only served. */
    static final BandwidthReport NONE = new BandwidthReport(0, 0, 0, 0, 0);

    /** Both directions together. */
    BandwidthReport plus(BandwidthReport peer) {
        return new BandwidthReport(size, iterations, peak + peer.peak, average + peer.average, rate + peer.rate);
    }
}
