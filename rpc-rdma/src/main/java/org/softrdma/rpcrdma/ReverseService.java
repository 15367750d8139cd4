// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.nio.ByteBuffer;

/** Executes calls of the server at a client's end (RFC 8167). Called on the client's thread; it must not wait. */
@FunctionalInterface
public interface ReverseService {
    /**
     * Executes a call.
     *
     * @param call  the RPC call
     * @param reply where the RPC reply is written, from its position on
     * @return whether there is a reply
     */
    boolean serve(ByteBuffer call, ByteBuffer reply);
}
