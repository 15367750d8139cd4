// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.rpcrdma.machine.Exchange;

/**
 * One RPC call, and where its reply goes. One thread at a time. It is completed by {@link #send}, {@link #fail} or {@link #drop}, after
 * which its buffers must not be used.
 *
 * <p>The reply is written to {@link #reply}, but large items of the result, such as the data of a READ, to memory that is written into the
 * client's directly: where {@link #nextItemBytes} is not 0, the next such item is written to {@link #nextItem}, and neither it nor its
 * padding is part of the reply. Which items these are is a matter of the RPC program (for NFS: RFC 8267).
 */
public final class RpcExchange {
    private final ServerConnection connection;
    private final Exchange exchange;
    private final AtomicBoolean completed = new AtomicBoolean();

    RpcExchange(ServerConnection connection, Exchange exchange) {
        this.connection = connection;
        this.exchange = exchange;
    }

    /** {@return the connection that the call came on} */
    public RpcConnection connection() {
        return connection;
    }

    /** {@return the complete RPC call, big-endian} Its bytes are untrusted. */
    public ByteBuffer message() {
        return exchange.message();
    }

    /** {@return where the RPC reply is written, from its start on; as long as the reply may be} */
    public ByteBuffer reply() {
        return exchange.reply();
    }

    /** {@return bytes of the next large item of the result; 0 if the client has given no memory for it: it is a part of the reply then} */
    public int nextItemBytes() {
        return exchange.nextItemBytes();
    }

    /** {@return the memory for the next item} */
    public ByteBuffer nextItem() {
        return exchange.nextItem();
    }

    /** {@return the memory for the next item, as {@link #nextItem}} */
    public MemorySegment nextItemSegment() {
        return connection.workMemory(exchange.buffer()).asSlice(exchange.nextItemOffset(), exchange.nextItemBytes());
    }

    /**
     * Ends an item.
     *
     * @param bytes its length, 0 to {@link #nextItemBytes}
     */
    public void itemDone(int bytes) {
        exchange.itemDone(bytes);
    }

    /**
     * Sends the reply.
     *
     * @param length bytes of the reply, without its items. A reply longer than {@link #reply} fails the call
     */
    public void send(int length) {
        complete();
        connection.reply(exchange, length);
    }

    /** Reports to the client that the reply is longer than it has given room for. */
    public void fail() {
        complete();
        connection.fail(exchange);
    }

    /** Reports to the client that the service has failed, in the same way: this protocol has no other error. */
    void abort() {
        complete();
        connection.abort(exchange);
    }

    /** Sends no reply: the client waits, and sends the call again on its next connection. */
    public void drop() {
        complete();
        connection.drop(exchange);
    }

    private void complete() {
        if (!completed.compareAndSet(false, true)) {
            throw new IllegalStateException("the exchange is completed already");
        }
    }

    boolean isCompleted() {
        return completed.get();
    }
}
