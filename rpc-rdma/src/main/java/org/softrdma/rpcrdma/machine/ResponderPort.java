// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;

/**
 * The connection and the memory below a {@link ResponderMachine}. Work requests are executed in the order of these calls, and each
 * completion is reported to {@link ResponderMachine#onCompletion}. All buffers are big-endian.
 */
public interface ResponderPort {
    /** Posts the receive of a slot. */
    void postReceive(int slot);

    /** Posts an RDMA READ into a work buffer; it reports its completion. */
    void postRead(long id, int buffer, int offset, int length, long address, int rkey);

    /** Posts an RDMA WRITE from a work buffer. */
    void postWrite(long id, boolean reporting, int buffer, int offset, int length, long address, int rkey);

    /**
     * Posts a SEND of a send buffer; it reports its completion.
     *
     * @param rkey key of the client to invalidate; 0 for none
     */
    void postSend(long id, int buffer, int length, int rkey);

    /** The receive buffer of a slot. */
    ByteBuffer received(int slot);

    /** Send buffer of an exchange; those of reverse calls follow. */
    ByteBuffer outgoing(int buffer);

    /** A work buffer; made at its first use. */
    ByteBuffer work(int buffer);

    /** Takes a call that is complete; it must be answered by {@link ResponderMachine#reply}, {@code fail} or {@code drop}. */
    void serve(Exchange exchange);

    /**
     * Reports the reply to a reverse call.
     *
     * @param message the receive buffer; valid during the call
     */
    void reverseReply(int xid, ByteBuffer message, int at, int length);

    /** Reports a reverse call that the client could not execute because of its header. */
    void reverseFailed(int xid);
}
