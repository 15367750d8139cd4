// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.verbs.cm.PortSpace;

/** A device that identifiers can be bound to. */
public interface CmDevice {
    /** Returns the name, which identifies the device. */
    String name();

    /** Returns true if the device supports the port space; iWARP supports only {@link PortSpace#TCP}. */
    boolean carries(PortSpace space);

    /** Returns true if its interface has the address; the loopback interface has every loopback address. */
    boolean owns(InetAddress address);

    /** Opens the device; the caller closes the context. */
    SoftContext open();
}
