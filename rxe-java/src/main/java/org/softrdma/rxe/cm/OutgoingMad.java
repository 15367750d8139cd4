// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;

/**
 * A MAD to be sent to a peer's GSI.
 *
 * @param mad 256 bytes at offset 0; must not be changed
 */
public record OutgoingMad(GidPair gids, ByteBuffer mad) {
}
