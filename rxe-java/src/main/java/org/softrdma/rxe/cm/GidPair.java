// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/**
 * Addresses and RoCE version of management datagrams between two ports; an answer uses those of its request.
 *
 * @param type   RoCE v1 or v2, or InfiniBand
 * @param local  our address; on InfiniBand the LID, as {@link Gid#ofLid} makes it
 * @param remote the peer's address, as the local one
 */
public record GidPair(GidType type, Gid local, Gid remote) {
}
