// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.verbs.cm.PortSpace;

/** A device that identifiers may come to be on. */
public interface CmDevice {
    /** Devices of one name are one device. */
    String name();

    /** Whether its connections can be of that port space; iWARP has {@link PortSpace#TCP} only. */
    boolean carries(PortSpace space);

    /** Whether its interface has the address; any loopback address, on the loopback interface. */
    boolean owns(InetAddress address);

    /** Opens it; the caller closes it. */
    SoftContext open();
}
