// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.rpcrdma.machine.ClientCall;
import org.softrdma.rpcrdma.machine.Exposure;

/**
 * An RPC call of a client, and the memory that the server reads and writes for it. The memory belongs to the call until its reply.
 *
 * <pre>{@code
 * new RpcRequest(message).write(memory, 0, 65536)           // an NFS READ: the server writes the data into memory
 * new RpcRequest(message).read(112, memory, 0, 65536)       // an NFS WRITE: the server reads what belongs at byte 112 of the message
 * }</pre>
 */
public final class RpcRequest {
    private final ByteBuffer message;
    private final int xid;
    private final List<Exposure> exposures = new ArrayList<>();
    private final List<ByteBuffer> memories = new ArrayList<>();

    /**
     * Creates a request without memory.
     *
     * @param message the RPC call, without the parts that are in read chunks; its first word is the XID
     */
    public RpcRequest(ByteBuffer message) {
        this.message = message.slice();
        xid = message.getInt(message.position());
    }

    private RpcRequest(int xid) {
        message = ByteBuffer.allocate(0);
        this.xid = xid;
    }

    /**
     * Creates a call that is in memory of its own, for messages that are too long to be sent inline.
     *
     * @param memory that has it
     * @param offset of its first byte in the memory
     * @param length bytes
     * @return the request
     */
    public static RpcRequest ofLong(RpcMemory memory, int offset, int length) {
        RpcRequest request = new RpcRequest(memory.buffer().getInt(offset));
        request.add(Exposure.Kind.READ, 0, memory, offset, length);
        return request;
    }

    /**
     * Adds a part of the call, in the order of positions and before all {@link #write}s.
     *
     * @param position of its first byte in the complete call, a multiple of four
     * @param memory that has it
     * @param offset of its first byte in the memory
     * @param length bytes
     * @return this request
     */
    public RpcRequest read(int position, RpcMemory memory, int offset, int length) {
        return add(Exposure.Kind.READ, position, memory, offset, length);
    }

    /**
     * Adds memory for the next large item of the result, before {@link #reply}.
     *
     * @param memory that the server writes
     * @param offset of the item's first byte in the memory
     * @param length bytes
     * @return this request
     */
    public RpcRequest write(RpcMemory memory, int offset, int length) {
        return add(Exposure.Kind.WRITE, 0, memory, offset, length);
    }

    /**
     * Adds memory for a reply that does not fit inline.
     *
     * @param memory that the server writes
     * @param offset of the reply's first byte in the memory
     * @param length bytes
     * @return this request
     */
    public RpcRequest reply(RpcMemory memory, int offset, int length) {
        return add(Exposure.Kind.REPLY, 0, memory, offset, length);
    }

    private RpcRequest add(Exposure.Kind kind, int position, RpcMemory memory, int offset, int length) {
        if (exposures.size() == ClientCall.MAX_EXPOSURES
            || !exposures.isEmpty() && exposures.getLast().kind().compareTo(kind) > 0) {
            throw new IllegalArgumentException("at most " + ClientCall.MAX_EXPOSURES + " chunks, in the order read, write, reply");
        }
        exposures.add(memory.expose(kind, position, offset, length));
        memories.add(memory.buffer().slice(offset, length));
        return this;
    }

    int xid() {
        return xid;
    }

    ByteBuffer message() {
        return message;
    }

    List<Exposure> exposures() {
        return exposures;
    }

    /** The memory of the reply chunk, which is the last one. */
    ByteBuffer replyMemory() {
        return memories.getLast();
    }
}
