// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.device.events.PacketDecoder;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.recording.Track;
import org.softrdma.wire.iwarp.Ddp;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * Reports segments to the observer of a queue pair, and rebuilds their headers from what was reported. The two control bytes are reported
 * as opcode and bits; of the headers behind them, and of the body of a message that is always one segment, up to 48 bytes are kept.
 */
public final class SegmentEvents implements PacketDecoder {
    private static final int FIRST_WORDS = 2 * Long.BYTES;
    private static final int MAX_WORDS = 6 * Long.BYTES;

    /**
     * Reports a segment.
     *
     * @param at     offset of the ULPDU
     * @param length its bytes
     * @param wrId   work request that it belongs to, if {@code place} is not 0
     * @param place  position in the message from 1 in the upper half, number of segments in the lower half, or 0
     */
    static void report(QueuePairObserver observer, boolean sent, ByteBuffer b, int at, int length, long wrId, long place) {
        if (length < Ddp.CONTROL_LENGTH) {
            return;
        }
        int ddp = b.get(at) & 0xff;
        int rdmap = b.get(at + 1) & 0xff;
        int words = at + Ddp.CONTROL_LENGTH;
        int end = Math.min(at + headerLength(ddp, rdmap), at + length);
        observer.packet(sent, rdmap & 0xf, ddp >>> 6 | (ddp & 3) << 2 | rdmap >>> 6 << 4, 0, length, wrId, place, word(b, words, end),
            word(b, words + Long.BYTES, end));
        if (end > words + FIRST_WORDS) {
            int more = words + FIRST_WORDS;
            observer.moreHeaders(word(b, more, end), word(b, more + 8, end), word(b, more + 16, end), word(b, more + 24, end));
        }
    }

    private static int headerLength(int ddp, int rdmap) {
        int opcode = rdmap & 0xf;
        int header = ddp >>> 7 != 0 ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        return Math.min(header + (RdmapOpcode.isKnown(opcode) ? RdmapOpcode.bodyLength(opcode) : 0), Ddp.CONTROL_LENGTH + MAX_WORDS);
    }

    /** The eight bytes at an offset; those from {@code end} on are 0. */
    private static long word(ByteBuffer b, int at, int end) {
        if (end - at >= Long.BYTES) {
            return b.getLong(at);
        }
        long word = 0;
        for (int i = at; i < end; i++) {
            word |= (b.get(i) & 0xffL) << 56 - 8 * (i - at);
        }
        return word;
    }

    @Override
    public Decoded decode(Track.Head head, boolean sent, int opcode, int bits, int psn, int length, long[] words) {
        int ddp = (bits & 3) << 6 | bits >>> 2 & 3;
        int rdmap = bits >>> 4 << 6 | opcode;
        ByteBuffer b = ByteBuffer.allocate(Ddp.CONTROL_LENGTH + words.length * Long.BYTES);
        b.put((byte) ddp).put((byte) rdmap);
        for (long word : words) {
            b.putLong(word);
        }
        return new Decoded(Arrays.copyOf(b.array(), Math.min(Math.min(headerLength(ddp, rdmap), length), b.capacity())));
    }
}
