// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.List;

/** Source addresses of connections by devices that have addresses of their own. */
final class AddressedSources {
    private AddressedSources() {
    }

    /**
     * Finds the address for a destination: of the first device in whose subnet it is. Several devices of one host may be in that subnet,
     * each one used by another process, so that of the destination itself is the last choice.
     *
     * @return null if the destination is in no device's subnet
     */
    static InetAddress sourceFor(InetAddress destination, List<AddressedDevice> devices) {
        InetAddress last = null;
        for (AddressedDevice each : devices) {
            InetAddress source = each.sourceFor(destination);
            if (source != null && !each.addresses().contains(destination)) {
                return source;
            }
            last = last == null ? source : last;
        }
        return last;
    }
}
