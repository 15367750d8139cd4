// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.util.Locale;

/** How IP packets travel between interfaces; those to groups, and address resolution, are always datagrams. */
public enum IpoibMode {
    /** As UD messages. Source: RFC 4391. */
    DATAGRAM,
    /** As messages of RC connections, to interfaces that are in this mode, too. Source: RFC 4755. */
    CONNECTED;

    /** Returns the name that Linux uses. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
