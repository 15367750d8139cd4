// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import org.softrdma.verbs.Gid;

/**
 * A result of a route lookup.
 *
 * @param own      the destination is an address of this host
 * @param neighbour the station to send frames to: the destination itself, or the router before it
 */
record NextHop(boolean own, Gid neighbour) {
}
