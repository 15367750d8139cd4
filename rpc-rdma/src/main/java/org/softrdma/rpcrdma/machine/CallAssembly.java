// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.nio.ByteBuffer;
import org.softrdma.rpcrdma.wire.ChunkLists;
import org.softrdma.rpcrdma.wire.HeaderFault;

/**
 * Plan to make one message of a call whose parts are inline and in read chunks. Bytes in front of a chunk's position come from the inline
 * part, or from the chunk at position 0 if there is one; then the chunk follows, and zeros up to a multiple of four. Reusable.
 *
 * <p>Source: RFC 8166 §3.4.4, §3.5.
 */
final class CallAssembly {
    private static final int MAX_STEPS = ChunkLists.MAX_SEGMENTS + 2 * ChunkLists.MAX_CHUNKS;
    /** Source of a step that writes zeros. */
    private static final int ZEROS = -1;

    /** Copies of inline bytes into the message, and pads. */
    private final int[] copyTo = new int[MAX_STEPS];
    private final int[] copyFrom = new int[MAX_STEPS];
    private final int[] copyBytes = new int[MAX_STEPS];
    private int copies;
    /** RDMA READs into the message. */
    private final int[] readTo = new int[MAX_STEPS];
    private final int[] readSegment = new int[MAX_STEPS];
    private final long[] readOffset = new long[MAX_STEPS];
    private final int[] readBytes = new int[MAX_STEPS];
    private int reads;

    private ChunkLists lists;
    private int limit;
    /** Bytes of the message planned so far. */
    private int length;
    /** Next inline byte, and the end of the inline bytes. */
    private int inline;
    private int inlineEnd;
    /** Next segment of the chunk at position 0, its end, and bytes taken of that segment. */
    private int segment;
    private int segmentEnd;
    private long taken;

    /**
     * Plans a call.
     *
     * @param start    where its inline part begins in the received message
     * @param end      where its inline part ends
     * @param longCall whether the message itself is in the chunk at position 0 (NOMSG)
     * @param limit    longest message
     * @return null if the call can be assembled
     */
    HeaderFault plan(ChunkLists lists, int start, int end, boolean longCall, int limit) {
        this.lists = lists;
        this.limit = limit;
        copies = 0;
        reads = 0;
        length = 0;
        boolean startsWithChunk = lists.reads() > 0 && lists.position(0) == 0;
        if (startsWithChunk != longCall) {
            return HeaderFault.POSITION_ZERO;
        }
        inline = start;
        inlineEnd = longCall ? start : end;
        segment = 0;
        segmentEnd = longCall ? lists.last(0) : 0;
        taken = 0;
        for (int chunk = longCall ? 1 : 0; chunk < lists.reads(); chunk++) {
            HeaderFault fault = takeUntil(lists.position(chunk));
            if (fault == null) {
                fault = insert(chunk);
            }
            if (fault != null) {
                return fault;
            }
        }
        return takeRest();
    }

    private HeaderFault takeUntil(int position) {
        if (position > limit) {
            return HeaderFault.CALL_TOO_LONG;
        }
        if (position < length) {
            return HeaderFault.POSITION_RANGE;
        }
        return take(position - length) ? null : HeaderFault.POSITION_RANGE;
    }

    /**
     * Takes bytes of the message that are not of a chunk of their own.
     *
     * @return whether there are so many
     */
    private boolean take(int bytes) {
        int left = bytes;
        int fromInline = Math.min(left, inlineEnd - inline);
        if (fromInline > 0) {
            copy(inline, fromInline);
            inline += fromInline;
            left -= fromInline;
        }
        while (left > 0 && segment < segmentEnd) {
            int some = (int) Math.min(left, lists.length(segment) - taken);
            read(segment, taken, some);
            left -= some;
            taken += some;
            if (taken == lists.length(segment)) {
                segment++;
                taken = 0;
            }
        }
        return left == 0;
    }

    private HeaderFault insert(int chunk) {
        for (int i = lists.first(chunk); i < lists.last(chunk); i++) {
            if (lists.length(i) > limit - length) {
                return HeaderFault.CALL_TOO_LONG;
            }
            read(i, 0, (int) lists.length(i));
        }
        int pad = -length & 3;
        if (pad > limit - length) {
            return HeaderFault.CALL_TOO_LONG;
        }
        if (pad > 0) {
            copy(ZEROS, pad);
        }
        return null;
    }

    private HeaderFault takeRest() {
        long rest = inlineEnd - inline - taken;
        for (int i = segment; i < segmentEnd; i++) {
            rest += lists.length(i);
        }
        if (rest > limit - length) {
            return HeaderFault.CALL_TOO_LONG;
        }
        take((int) rest);
        return null;
    }

    private void copy(int from, int bytes) {
        copyTo[copies] = length;
        copyFrom[copies] = from;
        copyBytes[copies++] = bytes;
        length += bytes;
    }

    private void read(int from, long offset, int bytes) {
        if (bytes > 0) {
            readTo[reads] = length;
            readSegment[reads] = from;
            readOffset[reads] = offset;
            readBytes[reads++] = bytes;
            length += bytes;
        }
    }

    /** Bytes of the assembled message. */
    int length() {
        return length;
    }

    /** Copies the inline parts into the message. */
    void copyInline(ByteBuffer received, ByteBuffer message) {
        for (int i = 0; i < copies; i++) {
            if (copyFrom[i] == ZEROS) {
                for (int pad = 0; pad < copyBytes[i]; pad++) {
                    message.put(copyTo[i] + pad, (byte) 0);
                }
            } else {
                message.put(copyTo[i], received, copyFrom[i], copyBytes[i]);
            }
        }
    }

    /** Number of RDMA READs. */
    int reads() {
        return reads;
    }

    /** Where the data of a READ go in the message. */
    int target(int read) {
        return readTo[read];
    }

    int bytes(int read) {
        return readBytes[read];
    }

    int rkey(int read) {
        return lists.handle(readSegment[read]);
    }

    long address(int read) {
        return lists.address(readSegment[read]) + readOffset[read];
    }
}
