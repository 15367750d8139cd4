// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/**
 * How management datagrams travel, both ways: an answer goes back the way its question came.
 *
 * @param type   RoCE v1 or v2
 * @param local  address of ours
 * @param remote the peer's address
 */
public record GidPair(GidType type, Gid local, Gid remote) {
}
