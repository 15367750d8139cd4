// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.rxe.config.RoceWire;

/**
 * Options of an rxe device that a program creates.
 *
 * @param faults     link faults while the device is open, or until {@link Rxe#setFaults} changes them
 * @param congestion congestion control while the device is open
 * @param limitedMemory registered memory counts against {@code ulimit -l}, as with an adapter that pins it; ENOMEM beyond
 * @param wire       carrier of the packets, and versions of RoCE
 */
public record RxeOptions(LinkFaults faults, CongestionControl congestion, boolean limitedMemory, RoceWire wire) {
    /** RoCE v2 over UDP; no faults, no congestion control, no memory limit. */
    public static final RxeOptions DEFAULT = new RxeOptions(LinkFaults.NONE, CongestionControl.NONE, false, RoceWire.UDP);

    public RxeOptions withFaults(LinkFaults newFaults) {
        return new RxeOptions(newFaults, congestion, limitedMemory, wire);
    }

    public RxeOptions withCongestion(CongestionControl control) {
        return new RxeOptions(faults, control, limitedMemory, wire);
    }

    public RxeOptions withLimitedMemory(boolean limited) {
        return new RxeOptions(faults, congestion, limited, wire);
    }

    public RxeOptions withWire(RoceWire newWire) {
        return new RxeOptions(faults, congestion, limitedMemory, newWire);
    }
}
