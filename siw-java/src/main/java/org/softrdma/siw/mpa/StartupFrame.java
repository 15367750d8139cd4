// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.nio.ByteBuffer;
import org.softrdma.wire.iwarp.EnhancedHeader;
import org.softrdma.wire.iwarp.MpaFrame;

/** Gathers the one frame a side begins with, byte by byte if need be, and not one byte of what follows it. */
public final class StartupFrame {
    private final boolean request;
    private final ByteBuffer bytes = ByteBuffer.allocate(MpaFrame.LENGTH + MpaFrame.MAX_PRIVATE_DATA);
    private int length;
    private int verdict = MpaFrame.INCOMPLETE;

    /** @param request which of the two it is */
    StartupFrame(boolean request) {
        this.request = request;
    }

    /** Takes of [from, to) what belongs to the frame. @return how many bytes */
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

    /** A verdict of {@link MpaFrame#check}. */
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

    /** Of an enhanced frame. */
    int ird() {
        return EnhancedHeader.ird(bytes, MpaFrame.LENGTH);
    }

    /** Of an enhanced frame. */
    int ord() {
        return EnhancedHeader.ord(bytes, MpaFrame.LENGTH);
    }

    /** {@link EnhancedHeader#control} of an enhanced frame; 0 of others. */
    int control() {
        return isEnhanced() ? EnhancedHeader.control(bytes, MpaFrame.LENGTH) : 0;
    }

    /** What the peer's application put in. */
    byte[] privateData() {
        int skip = isEnhanced() ? EnhancedHeader.LENGTH : 0;
        byte[] data = new byte[MpaFrame.privateDataLength(bytes, 0) - skip];
        bytes.get(MpaFrame.LENGTH + skip, data);
        return data;
    }

    /** The smaller one, where the other side wants to negotiate at all. */
    static int agree(int ours, int theirs) {
        return theirs == EnhancedHeader.NOT_NEGOTIATED ? ours : Math.min(ours, theirs);
    }

    /** Writes a frame at the end of {@code out}, which has room. @param control with {@link MpaFrame#ENHANCED} among the flags */
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
