// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import org.softrdma.device.config.CongestionControl;
import org.softrdma.device.fault.LinkFaults;

/**
 * What an rxe device that a program makes on the spot is to be like.
 *
 * @param faults     what the wire does to packets while the device is open, or until {@link Rxe#setFaults} changes that
 * @param congestion for as long as the device is open
 */
public record RxeOptions(LinkFaults faults, CongestionControl congestion) {
    /** As kernel rxe: no faults, no congestion control. */
    public static final RxeOptions DEFAULT = new RxeOptions(LinkFaults.NONE, CongestionControl.NONE);

    public RxeOptions withFaults(LinkFaults newFaults) {
        return new RxeOptions(newFaults, congestion);
    }

    public RxeOptions withCongestion(CongestionControl control) {
        return new RxeOptions(faults, control);
    }
}
