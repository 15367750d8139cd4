// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * The three lists behind the fixed part of a header: read list, write list, reply chunk. Reusable; {@link #parse} checks a received header
 * once and for all, after which every accessor is within bounds.
 *
 * <pre>
 * read list    { 1, position (4), segment (16) }… , 0     segments of one position are one chunk
 * write list   { 1, count (4), segment (16)… }… , 0
 * reply chunk  0 | 1, count (4), segment (16)…
 * </pre>
 *
 * Chunks are numbered in this order. Source: RFC 8166 §3.4, §4.3.
 */
public final class ChunkLists {
    /** Most segments of a header. Linux's client uses at most 16. */
    public static final int MAX_SEGMENTS = 256;
    /** Most chunks of a header. Linux's client uses one. */
    public static final int MAX_CHUNKS = 32;
    /** Bytes of a read list entry in front of its segment: mark and position. */
    private static final int READ_ENTRY = 8;
    private static final int WORD = Integer.BYTES;

    private final int[] handles = new int[MAX_SEGMENTS];
    private final long[] lengths = new long[MAX_SEGMENTS];
    private final long[] addresses = new long[MAX_SEGMENTS];
    /** First segment of each chunk; one more than there are chunks. */
    private final int[] starts = new int[MAX_CHUNKS + 1];
    /** Of read chunks. */
    private final int[] positions = new int[MAX_CHUNKS];
    private int segments;
    private int chunks;
    private int reads;
    private int writes;
    private boolean reply;

    /** Where {@link #parse} stands in the header. */
    private int cursor;
    private int end;

    /** Creates empty lists. */
    public ChunkLists() {
    }

    /** Removes all chunks. */
    public void clear() {
        segments = 0;
        chunks = 0;
        reads = 0;
        writes = 0;
        reply = false;
    }

    // ---- reading ----

    /**
     * Reads the lists of a received header.
     *
     * @param at     where the header begins
     * @param length bytes of the whole message; the buffer has them
     * @return null if the lists are well formed; else they are empty
     */
    public HeaderFault parse(ByteBuffer b, int at, int length) {
        clear();
        cursor = at + TransportHeader.LENGTH;
        end = at + length;
        HeaderFault fault = parseReads(b);
        if (fault == null) {
            fault = parseWrites(b);
        }
        if (fault == null) {
            fault = parseReply(b);
        }
        if (fault != null) {
            clear();
        }
        return fault;
    }

    /** @return where the RPC message of the header last parsed begins */
    public int messageStart() {
        return cursor;
    }

    private HeaderFault parseReads(ByteBuffer b) {
        int last = -1;
        while (true) {
            HeaderFault fault = mark(b);
            if (fault != null) {
                return fault;
            }
            if (b.getInt(cursor - WORD) == 0) {
                return null;
            }
            if (end - cursor < WORD + Segment.LENGTH) {
                return HeaderFault.TRUNCATED;
            }
            int position = b.getInt(cursor);
            if ((position & 3) != 0) {
                return HeaderFault.ODD_POSITION;
            }
            if (position < 0 || position < last) {
                return position < 0 ? HeaderFault.POSITION_RANGE : HeaderFault.POSITION_ORDER;
            }
            cursor += WORD;
            if (position != last) {
                if (chunks == MAX_CHUNKS) {
                    return HeaderFault.TOO_MANY_SEGMENTS;
                }
                beginRead(position);
                last = position;
            }
            if (segments == MAX_SEGMENTS) {
                return HeaderFault.TOO_MANY_SEGMENTS;
            }
            takeSegment(b);
        }
    }

    private HeaderFault parseWrites(ByteBuffer b) {
        while (true) {
            HeaderFault fault = mark(b);
            if (fault != null || b.getInt(cursor - WORD) == 0) {
                return fault;
            }
            fault = parseChunk(b);
            if (fault != null) {
                return fault;
            }
            writes++;
        }
    }

    private HeaderFault parseReply(ByteBuffer b) {
        HeaderFault fault = mark(b);
        if (fault != null || b.getInt(cursor - WORD) == 0) {
            return fault;
        }
        fault = parseChunk(b);
        reply = fault == null;
        return fault;
    }

    /** Takes the word that says whether the list continues. */
    private HeaderFault mark(ByteBuffer b) {
        if (end - cursor < WORD) {
            return HeaderFault.TRUNCATED;
        }
        int mark = b.getInt(cursor);
        cursor += WORD;
        return (mark & ~1) == 0 ? null : HeaderFault.LIST_MARK;
    }

    private HeaderFault parseChunk(ByteBuffer b) {
        if (end - cursor < WORD) {
            return HeaderFault.TRUNCATED;
        }
        int count = b.getInt(cursor);
        cursor += WORD;
        if (count == 0) {
            return HeaderFault.EMPTY_CHUNK;
        }
        if (chunks == MAX_CHUNKS || Integer.compareUnsigned(count, MAX_SEGMENTS - segments) > 0) {
            return HeaderFault.TOO_MANY_SEGMENTS;
        }
        if (end - cursor < count * Segment.LENGTH) {
            return HeaderFault.TRUNCATED;
        }
        begin();
        for (int i = 0; i < count; i++) {
            takeSegment(b);
        }
        return null;
    }

    private void takeSegment(ByteBuffer b) {
        segment(Segment.handle(b, cursor), Segment.length(b, cursor), Segment.address(b, cursor));
        cursor += Segment.LENGTH;
    }

    // ---- building ----

    /**
     * Begins a read chunk; its segments follow. Read chunks come first, in the order of their positions.
     *
     * @param position in the RPC message, a multiple of four
     */
    public void beginRead(int position) {
        positions[chunks] = position;
        reads++;
        begin();
    }

    /** Begins a write chunk, behind all read chunks; its segments follow. */
    public void beginWrite() {
        writes++;
        begin();
    }

    /** Begins the reply chunk, behind all others; its segments follow. */
    public void beginReply() {
        reply = true;
        begin();
    }

    private void begin() {
        starts[chunks++] = segments;
        starts[chunks] = segments;
    }

    /**
     * Adds a segment to the chunk begun last.
     *
     * @param length 0..2^32-1
     */
    public void segment(int handle, long length, long address) {
        handles[segments] = handle;
        lengths[segments] = length;
        addresses[segments] = address;
        starts[chunks] = ++segments;
    }

    /** @return bytes that {@link #put} writes */
    public int putLength() {
        int inReads = starts[reads] - starts[0];
        return 3 * WORD + inReads * (READ_ENTRY + Segment.LENGTH) + (segments - inReads) * Segment.LENGTH + writes * 2 * WORD
            + (reply ? WORD : 0);
    }

    /**
     * Writes the lists of a call.
     *
     * @return where they end
     */
    public int put(ByteBuffer b, int at) {
        int to = at;
        for (int chunk = 0; chunk < reads; chunk++) {
            for (int i = first(chunk); i < last(chunk); i++) {
                b.putInt(to, 1);
                b.putInt(to + WORD, positions[chunk]);
                Segment.put(b, to + READ_ENTRY, handles[i], lengths[i], addresses[i]);
                to += READ_ENTRY + Segment.LENGTH;
            }
        }
        b.putInt(to, 0);
        to += WORD;
        for (int chunk = reads; chunk < reads + writes; chunk++) {
            to = putChunk(b, to, chunk, lengths);
        }
        b.putInt(to, 0);
        to += WORD;
        if (reply) {
            return putChunk(b, to, reads + writes, lengths);
        }
        b.putInt(to, 0);
        return to + WORD;
    }

    /**
     * Writes a write or reply chunk with other lengths, as replies do.
     *
     * @param used bytes of each segment, indexed as {@link #first}
     * @return where it ends
     */
    public int putChunk(ByteBuffer b, int at, int chunk, long[] used) {
        int to = at;
        b.putInt(to, 1);
        b.putInt(to + WORD, last(chunk) - first(chunk));
        to += 2 * WORD;
        for (int i = first(chunk); i < last(chunk); i++) {
            Segment.put(b, to, handles[i], used[i], addresses[i]);
            to += Segment.LENGTH;
        }
        return to;
    }

    // ---- content ----

    /** {@return the number of read chunks, the first ones} */
    public int reads() {
        return reads;
    }

    /** {@return the number of write chunks, which follow the read chunks} */
    public int writes() {
        return writes;
    }

    /** {@return the number of the reply chunk, or -1 if there is none} */
    public int replyChunk() {
        return reply ? reads + writes : -1;
    }

    /** {@return the number of all chunks} */
    public int chunks() {
        return chunks;
    }

    /** Position of a read chunk in the RPC message. */
    public int position(int chunk) {
        return positions[chunk];
    }

    /** First segment of a chunk. */
    public int first(int chunk) {
        return starts[chunk];
    }

    /** Segment behind the last one of a chunk. */
    public int last(int chunk) {
        return starts[chunk + 1];
    }

    /** Bytes of a chunk, up to 2^40. */
    public long bytes(int chunk) {
        long sum = 0;
        for (int i = first(chunk); i < last(chunk); i++) {
            sum += lengths[i];
        }
        return sum;
    }

    /** {@return the number of all segments} */
    public int segments() {
        return segments;
    }

    /** rkey of a segment. */
    public int handle(int segment) {
        return handles[segment];
    }

    /** Bytes of a segment, 0..2^32-1. */
    public long length(int segment) {
        return lengths[segment];
    }

    /** Address of a segment. */
    public long address(int segment) {
        return addresses[segment];
    }

    /**
     * The rkey that all segments have: the one that may be invalidated with the reply.
     *
     * @return 0 if there are several, or no segments
     */
    public int onlyHandle() {
        for (int i = 1; i < segments; i++) {
            if (handles[i] != handles[0]) {
                return 0;
            }
        }
        return segments == 0 ? 0 : handles[0];
    }
}
