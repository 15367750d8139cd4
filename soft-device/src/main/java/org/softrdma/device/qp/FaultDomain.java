// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

/** A part of a device that can be stopped alone when its protocol code fails, while the rest of the device goes on. */
public interface FaultDomain {
    /** Stops this part. Called by the device's owner, after the failure was counted and logged. */
    void onFault(Throwable cause);

    /** Describes what {@link #onFault} does, for the log: "queue pair 0x11 moved to ERR". */
    String faultOutcome();
}
