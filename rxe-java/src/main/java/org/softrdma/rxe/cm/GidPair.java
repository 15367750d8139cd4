// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/**
 * Addresses and RoCE version of management datagrams between two ports; an answer uses those of its request.
 *
 * @param type   RoCE v1 or v2
 * @param local  our address
 * @param remote the peer's address
 */
public record GidPair(GidType type, Gid local, Gid remote) {
}
