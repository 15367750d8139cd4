// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;
import org.softrdma.rpcrdma.wire.HeaderFault;

/**
 * The connection and the memory below a {@link RequesterMachine}. Work requests are executed in the order of these calls, and each
 * completion is reported to {@link RequesterMachine#onCompletion}. All buffers are big-endian.
 */
public interface RequesterPort {
    /** Posts the receive of a slot. */
    void postReceive(int slot);

    /**
     * Posts the binding of a window to exposed memory.
     *
     * @param window number of the window: that of the call times {@link ClientCall#MAX_EXPOSURES}, plus that of the exposure
     * @return the key that the server uses
     */
    int postBind(long id, boolean reporting, int window, Exposure memory);

    /** Posts the invalidation of a window's key. */
    void postInvalidate(long id, boolean reporting, int rkey);

    /** Posts a SEND of a send buffer; it reports its completion. */
    void postSend(long id, int buffer, int length);

    /**
     * Posts a SEND of a part of a send buffer, of memory, and of what follows the part in the buffer; it reports its completion.
     *
     * @param start  of the part
     * @param before its length
     * @param after  bytes that follow it, perhaps 0
     */
    void postGatheredSend(long id, int buffer, int start, int before, Exposure memory, int after);

    /** The receive buffer of a slot. */
    ByteBuffer received(int slot);

    /** Send buffer of a call; those of replies to reverse calls follow. */
    ByteBuffer outgoing(int buffer);

    /**
     * Reports the reply to a call.
     *
     * @param b the receive buffer with the reply, unless {@link ClientCall#isReplyInChunk}; valid during the call
     */
    void completed(ClientCall call, ByteBuffer b, int at);

    /** Reports a call that the server could not execute because of its header, or whose reply is malformed. */
    void failed(ClientCall call, HeaderFault fault);

    /**
     * Takes a call of the server; it must be answered by {@link RequesterMachine#replyToReverse}.
     *
     * @param number  of the call
     * @param message the receive buffer; valid until the reply
     */
    void reverseCall(int number, ByteBuffer message, int at, int length);
}
