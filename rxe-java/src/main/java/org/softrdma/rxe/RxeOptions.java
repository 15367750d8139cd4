// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.host.config.LinkOption;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.rxe.config.LocalWire;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.rxe.config.RoceWire;
import org.softrdma.rxe.config.Segmentation;

/**
 * Options of an rxe device that a program creates.
 *
 * @param faults     link faults while the device is open, or until {@link Rxe#setFaults} changes them
 * @param queuePairs options that the device's queue pairs follow
 * @param limitedMemory registered memory counts against {@code ulimit -l}, as with an adapter that pins it; ENOMEM beyond
 * @param wire       carrier of the packets, and versions of RoCE
 * @param localWire  way of packets that stay on this host
 * @param strict     the program is held to the rules of adapters; {@link org.softrdma.device.findings.Findings} has what is wrong
 * @param recordedEvents events that the flight recorder keeps of each queue pair, a power of two up to 65,536, or 0; see
 *                   {@link LinkOption#RECORD}
 */
public record RxeOptions(LinkFaults faults, QueuePairOptions queuePairs, boolean limitedMemory, RoceWire wire, LocalWire localWire,
                         boolean strict, int recordedEvents) {
    /** RoCE v2 over UDP; no faults, no congestion control, losses found by the ACK timeout, no memory limit. */
    public static final RxeOptions DEFAULT = new RxeOptions(LinkFaults.NONE, QueuePairOptions.DEFAULT, false, RoceWire.UDP,
        LocalWire.UDP, false, LinkOption.RECORD.usual());

    /**
     * Replaces the faults of the link.
     *
     * @param newFaults of packets that are sent and received
     * @return new options
     */
    public RxeOptions withFaults(LinkFaults newFaults) {
        return new RxeOptions(newFaults, queuePairs, limitedMemory, wire, localWire, strict, recordedEvents);
    }

    /**
     * Replaces the congestion control.
     *
     * @param control of all queue pairs
     * @return new options
     */
    public RxeOptions withCongestion(CongestionControl control) {
        return new RxeOptions(faults, queuePairs.withCongestion(control), limitedMemory, wire, localWire, strict, recordedEvents);
    }

    /**
     * Replaces the way to find losses.
     *
     * @param recovery of all queue pairs
     * @return new options
     */
    public RxeOptions withRecovery(Recovery recovery) {
        return new RxeOptions(faults, queuePairs.withRecovery(recovery), limitedMemory, wire, localWire, strict, recordedEvents);
    }

    /**
     * The options with probes of the peers of idle RC queue pairs.
     *
     * @param timeNs idle time before a probe, 0 for no probes
     * @return new options
     */
    public RxeOptions withKeepAliveNs(long timeNs) {
        return new RxeOptions(faults, queuePairs.withKeepAliveNs(timeNs), limitedMemory, wire, localWire, strict, recordedEvents);
    }

    /**
     * Replaces the segmentation of READs and WRITEs.
     *
     * @param segmentation of all reliable queue pairs
     * @return new options
     */
    public RxeOptions withSegmentation(Segmentation segmentation) {
        return new RxeOptions(faults, queuePairs.withSegmentation(segmentation), limitedMemory, wire, localWire, strict, recordedEvents);
    }

    /**
     * Replaces the limit of registered memory.
     *
     * @param limited see {@link #limitedMemory}
     * @return new options
     */
    public RxeOptions withLimitedMemory(boolean limited) {
        return new RxeOptions(faults, queuePairs, limited, wire, localWire, strict, recordedEvents);
    }

    /**
     * Replaces carrier and versions.
     *
     * @param newWire see {@link #wire}
     * @return new options
     */
    public RxeOptions withWire(RoceWire newWire) {
        return new RxeOptions(faults, queuePairs, limitedMemory, newWire, localWire, strict, recordedEvents);
    }

    /**
     * Replaces the way of packets that stay on this host.
     *
     * @param newLocalWire see {@link #localWire}
     * @return new options
     */
    public RxeOptions withLocalWire(LocalWire newLocalWire) {
        return new RxeOptions(faults, queuePairs, limitedMemory, wire, newLocalWire, strict, recordedEvents);
    }

    /**
     * Replaces whether the program is held to the rules of adapters.
     *
     * @param newStrict see {@link #strict}
     * @return new options
     */
    public RxeOptions withStrict(boolean newStrict) {
        return new RxeOptions(faults, queuePairs, limitedMemory, wire, localWire, newStrict, recordedEvents);
    }

    /**
     * Replaces the number of events that the flight recorder keeps.
     *
     * @param events see {@link #recordedEvents}
     * @return new options
     */
    public RxeOptions withRecordedEvents(int events) {
        return new RxeOptions(faults, queuePairs, limitedMemory, wire, localWire, strict, events);
    }
}
