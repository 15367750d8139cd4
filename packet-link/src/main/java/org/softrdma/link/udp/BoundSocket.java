// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import org.softrdma.verbs.Gid;

/** One socket of a UDP link, bound to an address or a multicast group. For the link's owner. */
abstract class BoundSocket {
    /** The address or group it is bound to. */
    final Gid local;
    /** Interface index of a link-local address or a group; 0 for other addresses. */
    final int scope;
    /** Paths send by it: it stays open even if the interface loses the address. */
    boolean hasPaths;
    /** Index of the interface that packets to groups leave by; 0 if no path to a group was resolved. */
    int groupInterface;
    boolean closed;

    BoundSocket(Gid local, int scope) {
        this.local = local;
        this.scope = scope;
    }
}
