// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.softrdma.rpcrdma.wire.ChunkLists;
import org.softrdma.rpcrdma.wire.HeaderFault;
import org.softrdma.rpcrdma.wire.TransportHeader;

/** A call at the client's end: its message in a send buffer, the memory that it exposes, and where its reply is. */
public final class ClientCall {
    /** Most chunks of a call. */
    public static final int MAX_EXPOSURES = 4;

    /** States in their order. */
    enum State {
        FREE, QUEUED, SENT,
        /** The reply has arrived; windows are being invalidated. */
        INVALIDATING,
        /** The reply has arrived; the SEND that has the caller's memory is not complete. */
        SENDING
    }

    final int index;
    State state = State.FREE;
    int xid;
    private boolean inChunk;
    private int headerBytes;
    private int messageBytes;
    /** The memory of the read chunk is part of the SEND on this connection: there is no chunk. */
    private boolean gathered;
    private final Exposure[] exposures = new Exposure[MAX_EXPOSURES];
    private int exposed;
    /** Keys under which the memory is exposed on this connection; 0 where it is not. */
    final int[] keys = new int[MAX_EXPOSURES];
    /** Chunks of the call with the current keys. */
    private final ChunkLists lists = new ChunkLists();
    /** Bytes of each exposure that the server has written. */
    private final int[] written = new int[MAX_EXPOSURES];
    /** Receive slot of the reply, and the reply in it. */
    int slot = -1;
    int replyAt;
    private int replyBytes;
    private boolean replyInChunk;
    /** Reason for which the call failed; null if it did not. */
    HeaderFault fault;

    ClientCall(int index) {
        this.index = index;
    }

    /**
     * Takes a call.
     *
     * @param message   the RPC call without its read chunks; empty if it is wholly in the chunk at position 0
     * @param exposures in the order READ, WRITE, REPLY
     * @return false if the message does not fit inline behind its header
     */
    boolean begin(int transaction, ByteBuffer message, List<Exposure> memory, ByteBuffer outgoing, int inlineBytes) {
        xid = transaction;
        exposed = memory.size();
        for (int i = 0; i < exposed; i++) {
            exposures[i] = memory.get(i);
            keys[i] = 0;
        }
        inChunk = !message.hasRemaining();
        gathered = false;
        slot = -1;
        fault = null;
        build();
        headerBytes = TransportHeader.LENGTH + lists.putLength();
        messageBytes = message.remaining();
        if (headerBytes + messageBytes > inlineBytes) {
            return false;
        }
        outgoing.put(headerBytes, message, message.position(), messageBytes);
        return true;
    }

    private void build() {
        lists.clear();
        for (int i = 0; i < exposed; i++) {
            Exposure each = exposures[i];
            switch (each.kind()) {
                case READ -> lists.beginRead(each.position());
                case WRITE -> lists.beginWrite();
                case REPLY -> lists.beginReply();
                default -> throw new AssertionError(each);
            }
            lists.segment(keys[i], each.length(), each.address());
        }
    }

    /** Bytes of the whole message. */
    int bytes() {
        return headerBytes + messageBytes;
    }

    /**
     * Decides whether the memory of the only chunk goes inline, with the message: in one SEND of up to three parts. A data item that would
     * need padding, which is in nobody's memory, stays a chunk.
     *
     * @param longestSend bytes
     */
    void gather(int longestSend) {
        Exposure memory = exposed == 1 ? exposures[0] : null;
        gathered = memory != null && memory.kind() == Exposure.Kind.READ && !inChunk && (memory.length() & 3) == 0
            && memory.position() <= messageBytes && TransportHeader.PLAIN_LENGTH + messageBytes + memory.length() <= longestSend;
    }

    /** {@return whether {@link #gather} has decided so} */
    boolean isGathered() {
        return gathered;
    }

    /** Writes the header of a gathered call in front of its message. */
    void putPlainHeader(ByteBuffer outgoing, int credits) {
        lists.clear();
        TransportHeader.putPlain(outgoing, sendStart(), xid, credits);
    }

    /** Where a gathered call begins in the send buffer. */
    int sendStart() {
        return headerBytes - TransportHeader.PLAIN_LENGTH;
    }

    /** Bytes of a gathered call before the memory. */
    int bytesBefore() {
        return TransportHeader.PLAIN_LENGTH + exposures[0].position();
    }

    /** Bytes of a gathered call behind the memory. */
    int bytesAfter() {
        return messageBytes - exposures[0].position();
    }

    /** Writes the header with the current keys. */
    void putHeader(ByteBuffer outgoing, int credits) {
        build();
        TransportHeader.put(outgoing, 0, xid, credits, inChunk ? TransportHeader.NOMSG : TransportHeader.MSG);
        lists.put(outgoing, TransportHeader.LENGTH);
    }

    int exposed() {
        return exposed;
    }

    Exposure exposure(int i) {
        return exposures[i];
    }

    void forgetKeys() {
        Arrays.fill(keys, 0);
    }

    /** Forgets a key that is invalid now. */
    void invalidated(int key) {
        for (int i = 0; i < exposed; i++) {
            if (keys[i] == key) {
                keys[i] = 0;
            }
        }
    }

    /**
     * Reads the header of the reply.
     *
     * @param reply lists of the reply
     * @return whether they are those of the call with lengths that fit
     */
    boolean onReply(ByteBuffer b, int length, ChunkLists reply) {
        boolean noMessage = TransportHeader.procedure(b, 0) == TransportHeader.NOMSG;
        if (reply.reads() > 0 || noMessage != reply.replyChunk() >= 0 || reply.writes() > lists.writes()
            || noMessage && lists.replyChunk() < 0) {
            return false;
        }
        Arrays.fill(written, 0);
        for (int chunk = 0; chunk < reply.writes(); chunk++) {
            if (!take(reply, chunk, lists.reads() + chunk)) {
                return false;
            }
        }
        replyInChunk = noMessage;
        replyAt = reply.messageStart();
        replyBytes = length - replyAt;
        if (noMessage) {
            if (!take(reply, reply.replyChunk(), lists.replyChunk())) {
                return false;
            }
            replyBytes = written[lists.replyChunk()];
        }
        return true;
    }

    private boolean take(ChunkLists reply, int from, int own) {
        if (reply.last(from) - reply.first(from) != 1 || reply.length(reply.first(from)) > exposures[own].length()) {
            return false;
        }
        written[own] = (int) reply.length(reply.first(from));
        return true;
    }

    // ---- result ----

    /** {@return the number of the call, for its owner} */
    public int index() {
        return index;
    }

    public int xid() {
        return xid;
    }

    /** Bytes that the server has written into an exposure, by its number in the call. */
    public int written(int exposure) {
        return written[exposure];
    }

    /** {@return whether the RPC reply was written into the reply chunk} */
    public boolean isReplyInChunk() {
        return replyInChunk;
    }

    /** {@return bytes of the RPC reply} */
    public int replyBytes() {
        return replyBytes;
    }
}
