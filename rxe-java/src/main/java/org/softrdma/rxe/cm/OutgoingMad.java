// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;

/**
 * A MAD on its way to a peer's GSI.
 *
 * @param local  address of ours
 * @param remote the peer's address
 * @param mad    256 bytes at offset 0; not to be changed
 */
public record OutgoingMad(Gid local, Gid remote, ByteBuffer mad) {
}
