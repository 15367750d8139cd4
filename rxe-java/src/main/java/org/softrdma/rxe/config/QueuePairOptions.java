// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

/**
 * Options of a device that its queue pairs follow.
 *
 * @param congestion with a line rate if it is on
 * @param recovery   of the reliable queue pairs
 * @param keepAliveNs idle time after which the peer of an RC queue pair is probed; 0 for no probes
 * @param segmentation of READs and WRITEs of the reliable queue pairs
 */
public record QueuePairOptions(CongestionControl congestion, Recovery recovery, long keepAliveNs, Segmentation segmentation) {
    /** No congestion control; losses are found by the ACK timeout; idle connections are left alone; packets as adapters send them. */
    public static final QueuePairOptions DEFAULT =
        new QueuePairOptions(CongestionControl.NONE, Recovery.TIMEOUT, 0, Segmentation.FAITHFUL);

    /**
     * Replaces the congestion control.
     *
     * @param control what is used
     * @return new options
     */
    public QueuePairOptions withCongestion(CongestionControl control) {
        return new QueuePairOptions(control, recovery, keepAliveNs, segmentation);
    }

    /**
     * Replaces the way to find losses.
     *
     * @param newRecovery what is used
     * @return new options
     */
    public QueuePairOptions withRecovery(Recovery newRecovery) {
        return new QueuePairOptions(congestion, newRecovery, keepAliveNs, segmentation);
    }

    /**
     * Replaces the idle time before a probe of the peer.
     *
     * @param timeNs 0 for no probes
     * @return new options
     */
    public QueuePairOptions withKeepAliveNs(long timeNs) {
        return new QueuePairOptions(congestion, recovery, timeNs, segmentation);
    }

    /**
     * Replaces the segmentation.
     *
     * @param newSegmentation what is used
     * @return new options
     */
    public QueuePairOptions withSegmentation(Segmentation newSegmentation) {
        return new QueuePairOptions(congestion, recovery, keepAliveNs, newSegmentation);
    }

    /**
     * The options with a line rate as {@link CongestionControl#onInterface} gives it.
     *
     * @param bitsPerSecond rate of the interface, 0 if unknown
     * @return new options
     */
    public QueuePairOptions onInterface(long bitsPerSecond) {
        return withCongestion(congestion.onInterface(bitsPerSecond));
    }
}
