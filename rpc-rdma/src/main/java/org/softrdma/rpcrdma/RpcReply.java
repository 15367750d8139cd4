// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.nio.ByteBuffer;

/**
 * A reply to a call of a client.
 *
 * @param message the RPC reply, without the items that were written into memory: a copy, or the memory that {@link RpcRequest#reply} gave
 * @param written bytes that the server wrote into each memory of the request, in its order; 0 for those that it read
 */
public record RpcReply(ByteBuffer message, int[] written) {
}
