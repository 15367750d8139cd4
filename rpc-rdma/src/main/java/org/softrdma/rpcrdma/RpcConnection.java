// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** The server's end of a client's connection. Any thread. */
public interface RpcConnection {
    /** {@return the client's address} */
    InetSocketAddress peer();

    /** {@return the address that the client is connected to} */
    InetSocketAddress local();

    /** {@return whether calls can still arrive, and reverse calls be made} */
    boolean isOpen();

    /**
     * Calls the client (RFC 8167). The message must fit inline.
     *
     * @param message an RPC call; its XID must differ from those of other reverse calls under way
     * @return the RPC reply. It fails with an {@link RpcRdmaException}: ENOTCONN, EAGAIN if too many calls are under way, EMSGSIZE as
     *     EINVAL, EPROTO if the client refused the header. Without a time limit: a caller that gives up cancels it
     */
    CompletableFuture<ByteBuffer> call(ByteBuffer message);

    /** Ends the connection; calls in work are completed without effect. */
    void disconnect();
}
