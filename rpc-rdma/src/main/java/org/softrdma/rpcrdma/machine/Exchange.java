// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;
import org.softrdma.rpcrdma.wire.ChunkLists;
import org.softrdma.rpcrdma.wire.Segment;
import org.softrdma.rpcrdma.wire.TransportHeader;

/**
 * A call and its reply at the server's end. From {@link ResponderPort#serve} until the reply it belongs to the service, on one thread at
 * a time: {@link #message} is the call; the reply is written to {@link #reply}, except for its bulky items, for which the client has given
 * memory ({@link #nextItem}).
 */
public final class Exchange {
    /** Alignment of what follows the call in the work buffer. */
    private static final int ALIGNMENT = 64;
    /** Bytes for the reply where the client gives memory for items as well. */
    private static final int REPLY_BESIDE_ITEMS = 65536;
    static final int NONE = -1;

    final int index;
    final ChunkLists lists = new ChunkLists();
    final CallAssembly assembly = new CallAssembly();
    final Placement placement = new Placement();
    private final ResponderSettings settings;
    int xid;
    /** Receive slot, held until the reply. */
    int slot = NONE;
    int buffer = NONE;
    private ByteBuffer work;
    private ByteBuffer outgoing;
    private ByteBuffer message;
    int readsPosted;
    int readsDone;
    int writesPosted;
    /** The SEND that ends the exchange. */
    int sendBytes;
    int invalidate;
    /** Bytes of the header in front of an inline reply. */
    private int headerBytes;
    /** Next write chunk for an item. */
    private int nextChunk;
    /** Range of the work buffer for items. */
    private int itemStart;
    private int itemEnd;
    /** Where the reply is encoded if it may be written into the reply chunk. */
    private int replyStart;
    private int replyBytes;
    private boolean inReplyChunk;

    Exchange(int index, ResponderSettings settings) {
        this.index = index;
        this.settings = settings;
    }

    /** Begins with a received message. */
    void begin(int receiveSlot, int transaction, ByteBuffer sendBuffer) {
        slot = receiveSlot;
        xid = transaction;
        outgoing = sendBuffer;
        lists.clear();
        work = null;
        message = null;
        readsPosted = 0;
        readsDone = 0;
        writesPosted = 0;
        invalidate = 0;
    }

    void useBuffer(int number, ByteBuffer memory) {
        buffer = number;
        work = memory;
    }

    ByteBuffer work() {
        return work;
    }

    ByteBuffer outgoing() {
        return outgoing;
    }

    boolean hasAllReads() {
        return readsDone == assembly.reads();
    }

    /** Begins the service of a call whose bytes are all there. */
    void serve(ByteBuffer from, int at, int length) {
        message = from.slice(at, length);
        placement.begin(lists);
        nextChunk = lists.reads();
        int chunk = lists.replyChunk();
        headerBytes = TransportHeader.PLAIN_LENGTH;
        for (int i = lists.reads(); i < lists.reads() + lists.writes(); i++) {
            headerBytes += Integer.BYTES + chunkBytes(i);
        }
        if (buffer == NONE) {
            return;
        }
        int start = from == work ? length + ALIGNMENT - 1 & -ALIGNMENT : 0;
        int room = Math.max(0, settings.workBytes() - start);
        int forReply = 0;
        if (chunk >= 0) {
            int most = lists.writes() > 0 ? Math.min(room, REPLY_BESIDE_ITEMS) : room;
            forReply = (int) Math.min(most, Math.max(lists.bytes(chunk), inlineRoom()));
        }
        replyStart = start;
        replyBytes = forReply;
        itemStart = start + forReply;
        itemEnd = settings.workBytes();
    }

    /** Bytes that a chunk takes in the header, without the word that marks it. */
    private int chunkBytes(int chunk) {
        return Integer.BYTES + (lists.last(chunk) - lists.first(chunk)) * Segment.LENGTH;
    }

    private int inlineRoom() {
        return Math.max(0, settings.inlineSend() - headerBytes);
    }

    private boolean mayUseReplyChunk() {
        return lists.replyChunk() >= 0;
    }

    // ---- for the service ----

    /** The complete RPC call. Its bytes are untrusted; over iWARP the client may change those of read chunks while they are read. */
    public ByteBuffer message() {
        return message;
    }

    /** {@return the transaction identifier of the call} */
    public int xid() {
        return xid;
    }

    /**
     * Where the RPC reply is to be written, from its start on, without the items of {@link #nextItem} and their padding.
     *
     * @return as long as the reply may be
     */
    public ByteBuffer reply() {
        return mayUseReplyChunk() ? work.slice(replyStart, replyBytes) : outgoing.slice(headerBytes, inlineRoom());
    }

    /**
     * Bytes of the next item of the result that the client has given memory for.
     *
     * @return 0 if there is no more such memory: the item is part of {@link #reply}
     */
    public int nextItemBytes() {
        if (nextChunk == lists.reads() + lists.writes()) {
            return 0;
        }
        return (int) Math.min(lists.bytes(nextChunk), itemEnd - itemStart);
    }

    /**
     * Memory for the next item, {@link #nextItemBytes} long, from which it is written to the client. Its length is given to
     * {@link #itemDone}.
     */
    public ByteBuffer nextItem() {
        return work.slice(itemStart, nextItemBytes());
    }

    /** {@return where {@link #nextItem} is in the memory of {@link #buffer}} */
    public int nextItemOffset() {
        return itemStart;
    }

    /** {@return the number of the work buffer of this call, for {@link ResponderPort#work}; -1 if it has none} */
    public int buffer() {
        return buffer;
    }

    /** Ends an item. It and its padding are no part of {@link #reply}. */
    public void itemDone(int bytes) {
        if (bytes < 0 || bytes > nextItemBytes()) {
            throw new IllegalArgumentException(bytes + " bytes of an item that has room for " + nextItemBytes());
        }
        placement.place(lists, nextChunk++, itemStart, bytes);
        itemStart = itemStart + bytes + ALIGNMENT - 1 & -ALIGNMENT;
        itemEnd = Math.max(itemEnd, itemStart);
    }

    // ---- for the machine ----

    /**
     * Writes the header of the reply, and the reply behind it if that fits inline.
     *
     * @param length of the reply
     * @return false if the reply fits nowhere
     */
    boolean finish(int length, int credits) {
        inReplyChunk = length > inlineRoom();
        int chunk = lists.replyChunk();
        if (inReplyChunk && (chunk < 0 || length > lists.bytes(chunk))) {
            return false;
        }
        if (inReplyChunk && headerBytes + chunkBytes(chunk) > settings.inlineSend()) {
            return false;
        }
        TransportHeader.put(outgoing, 0, xid, credits, inReplyChunk ? TransportHeader.NOMSG : TransportHeader.MSG);
        if (inReplyChunk) {
            placement.place(lists, chunk, replyStart, length);
        }
        sendBytes = putLists();
        if (!inReplyChunk) {
            if (mayUseReplyChunk()) {
                outgoing.put(sendBytes, work, replyStart, length);
            }
            sendBytes += length;
        }
        return true;
    }

    private int putLists() {
        int at = TransportHeader.LENGTH;
        outgoing.putInt(at, 0);
        at += Integer.BYTES;
        for (int chunk = lists.reads(); chunk < lists.reads() + lists.writes(); chunk++) {
            at = lists.putChunk(outgoing, at, chunk, placement.used());
        }
        outgoing.putInt(at, 0);
        at += Integer.BYTES;
        if (inReplyChunk) {
            return lists.putChunk(outgoing, at, lists.replyChunk(), placement.used());
        }
        outgoing.putInt(at, 0);
        return at + Integer.BYTES;
    }

    boolean isInReplyChunk() {
        return inReplyChunk;
    }

    /** Drops what the service has placed: the exchange ends with an error. */
    void forgetPlacement() {
        placement.begin(lists);
    }
}
