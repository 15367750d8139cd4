// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;

/**
 * A MAD on its way to a peer's GSI.
 *
 * @param mad 256 bytes at offset 0; not to be changed
 */
public record OutgoingMad(GidPair gids, ByteBuffer mad) {
}
