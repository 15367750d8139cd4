// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;

/**
 * A message to send by a connection.
 *
 * @param connection its number
 * @param payload    header of IP over InfiniBand and what follows it, from offset 0 to its capacity
 */
public record ConnectedMessage(int connection, ByteBuffer payload) {
}
