// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.verbs.Gid;

/**
 * What the routing table says of a destination.
 *
 * @param own      it is an address of this host
 * @param neighbour whom to send to on the wire: the destination itself, or the router before it
 */
record NextHop(boolean own, Gid neighbour) {
}
