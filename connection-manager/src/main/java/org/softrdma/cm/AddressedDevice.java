// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.List;
import org.softrdma.verbs.RdmaDevice;

/** A device that may have IP addresses of its own, which no network interface of the host has. */
public interface AddressedDevice extends RdmaDevice {
    /** Returns its addresses; connections by address cannot use it if there are none. */
    List<InetAddress> addresses();

    /** Returns its address in the subnet of a destination, or null if it has none there. */
    InetAddress sourceFor(InetAddress destination);
}
