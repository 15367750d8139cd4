// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.provider;

import java.net.NetworkInterface;
import java.net.SocketException;

/** Names of network interfaces, for entries of GID tables, which have their index. */
public final class InterfaceNames {
    private InterfaceNames() {
    }

    /**
     * Finds the name of an interface.
     *
     * @param index 0 for none
     * @return empty for none, and for one that this process does not see
     */
    public static String of(int index) {
        try {
            NetworkInterface found = index == 0 ? null : NetworkInterface.getByIndex(index);
            return found == null ? "" : found.getName();
        } catch (SocketException notShown) {
            return "";
        }
    }
}
