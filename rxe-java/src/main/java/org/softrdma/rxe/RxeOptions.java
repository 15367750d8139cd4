// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.rxe.config.RoceWire;

/**
 * What an rxe device that a program makes on the spot is to be like.
 *
 * @param faults     what the wire does to packets while the device is open, or until {@link Rxe#setFaults} changes that
 * @param congestion for as long as the device is open
 * @param limitedMemory registered memory counts against what {@code ulimit -l} allows, as with an adapter that pins it; ENOMEM beyond
 * @param wire       what carries packets, and the versions of RoCE
 */
public record RxeOptions(LinkFaults faults, CongestionControl congestion, boolean limitedMemory, RoceWire wire) {
    /** RoCE v2 over UDP; no faults, no congestion control, no limit of memory. */
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
