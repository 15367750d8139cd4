// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import org.softrdma.device.verbs.SoftContext;

/** A device that identifiers may come to be on. */
public interface CmDevice {
    /** Devices of one name are one device. */
    String name();

    /** On the host's loopback interface, where every process that opens the device has an address of its own. */
    boolean loopback();

    /** Whether its interface has the address; any loopback address, on the loopback interface. */
    boolean owns(InetAddress address);

    /** Opens it; the caller closes it. */
    SoftContext open();
}
