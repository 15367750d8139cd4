// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.nio.ByteBuffer;
import org.softrdma.wire.iwarp.EnhancedHeader;
import org.softrdma.wire.iwarp.MpaFrame;

/** Collects the first frame of a stream from pieces of any size, and takes no byte behind it. Also writes such frames. */
public final class StartupFrame {
    private final boolean request;
    private final ByteBuffer bytes = ByteBuffer.allocate(MpaFrame.LENGTH + MpaFrame.MAX_PRIVATE_DATA);
    private int length;
    private int verdict = MpaFrame.INCOMPLETE;

    /** @param request whether the frame is a request or a reply */
    StartupFrame(boolean request) {
        this.request = request;
    }

    /**
     * Takes the bytes of [from, to) that belong to the frame.
     *
     * @return how many bytes were taken
     */
    int take(ByteBuffer b, int from, int to) {
        int at = from;
        while (at < to && verdict == MpaFrame.INCOMPLETE) {
            int wanted = (length < MpaFrame.LENGTH ? MpaFrame.LENGTH : MpaFrame.totalLength(bytes, 0)) - length;
            int count = Math.min(wanted, to - at);
            bytes.put(length, b, at, count);
            length += count;
            at += count;
            verdict = MpaFrame.check(bytes, 0, length, request);
        }
        return at - from;
    }

    /** Result of {@link MpaFrame#check} on the bytes so far. */
    int verdict() {
        return verdict;
    }

    int revision() {
        return MpaFrame.revision(bytes, 0);
    }

    boolean has(int flag) {
        return MpaFrame.has(bytes, 0, flag);
    }

    boolean isEnhanced() {
        return MpaFrame.isEnhanced(bytes, 0) && MpaFrame.privateDataLength(bytes, 0) >= EnhancedHeader.LENGTH;
    }

    /** IRD of an enhanced frame. */
    int ird() {
        return EnhancedHeader.ird(bytes, MpaFrame.LENGTH);
    }

    /** ORD of an enhanced frame. */
    int ord() {
        return EnhancedHeader.ord(bytes, MpaFrame.LENGTH);
    }

    /** {@link EnhancedHeader#control} of an enhanced frame; 0 for other frames. */
    int control() {
        return isEnhanced() ? EnhancedHeader.control(bytes, MpaFrame.LENGTH) : 0;
    }

    /** Private data of the peer's application. */
    byte[] privateData() {
        int skip = isEnhanced() ? EnhancedHeader.LENGTH : 0;
        byte[] data = new byte[MpaFrame.privateDataLength(bytes, 0) - skip];
        bytes.get(MpaFrame.LENGTH + skip, data);
        return data;
    }

    /** The smaller of two limits; ours if the other side does not negotiate. */
    static int agree(int ours, int theirs) {
        return theirs == EnhancedHeader.NOT_NEGOTIATED ? ours : Math.min(ours, theirs);
    }

    /**
     * Writes a frame at the end of {@code out}, which has room.
     *
     * @param ird     in an enhanced frame only, as are {@code ord} and {@code control}
     * @param control bits of {@link EnhancedHeader#control}
     */
    public static void write(StreamBuffer out, boolean request, int flags, int revision, int ird, int ord, int control,
                             byte[] privateData) {
        ByteBuffer b = out.bytes();
        int at = out.end();
        boolean enhanced = (flags & MpaFrame.ENHANCED) != 0;
        int total = (enhanced ? EnhancedHeader.LENGTH : 0) + privateData.length;
        if (request) {
            MpaFrame.putRequest(b, at, flags, revision, total);
        } else {
            MpaFrame.putReply(b, at, flags, revision, total);
        }
        if (enhanced) {
            EnhancedHeader.put(b, at + MpaFrame.LENGTH, ird, ord, control);
        }
        b.put(at + MpaFrame.LENGTH + total - privateData.length, privateData);
        out.wrote(MpaFrame.LENGTH + total);
    }
}
