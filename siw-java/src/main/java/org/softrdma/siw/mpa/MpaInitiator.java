// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.nio.ByteBuffer;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.wire.iwarp.EnhancedHeader;
import org.softrdma.wire.iwarp.MpaFrame;
import org.softrdma.wire.iwarp.TerminateCode;

/** The initiator of a connection: one request, one reply. Pure. Source: RFC 5044 §7.1, RFC 6581 §5 to §9. */
public final class MpaInitiator {
    /** Progress of the set-up. */
    public enum State {
        WAITING, AGREED,
        /** The peer's application rejected the connection. */
        REJECTED,
        /** The peer's reply violates the protocol; {@link #failure} says how. */
        FAILED
    }

    private final MpaOptions options;
    private final int ird;
    private final int ord;
    private final StartupFrame reply = new StartupFrame(false);
    private State state = State.WAITING;
    private int failure;

    /**
     * @param ird READs and atomics of the peer that we can hold
     * @param ord our READs and atomics that may be outstanding, if the peer agrees
     */
    public MpaInitiator(MpaOptions options, int ird, int ord) {
        this.options = options;
        this.ird = ird;
        this.ord = ord;
    }

    /** Writes the request at the end of {@code out}. */
    public void writeRequest(StreamBuffer out, byte[] privateData) {
        int flags = (options.wantsCrc() ? MpaFrame.CRC : 0) | (options.markers() ? MpaFrame.MARKERS : 0)
            | (options.revision() == 2 ? MpaFrame.ENHANCED : 0);
        StartupFrame.write(out, true, flags, options.revision(), ird, ord, offeredControl(), privateData);
    }

    private int offeredControl() {
        return switch (options.rtr()) {
            case NONE -> 0;
            case WRITE -> EnhancedHeader.PEER_TO_PEER | EnhancedHeader.RTR_WRITE;
            case READ -> EnhancedHeader.PEER_TO_PEER | EnhancedHeader.RTR_READ;
        };
    }

    /**
     * Takes the bytes of [from, to) that belong to the reply; FPDUs follow it.
     *
     * @return how many bytes were taken
     */
    public int onBytes(ByteBuffer b, int from, int to) {
        int taken = reply.take(b, from, to);
        if (state == State.WAITING && reply.verdict() != MpaFrame.INCOMPLETE) {
            judge();
        }
        return taken;
    }

    private void judge() {
        if (reply.verdict() != MpaFrame.OK || reply.revision() < 1 || reply.revision() > options.revision()) {
            fail(TerminateCode.MPA_BAD_STARTUP_FRAME);
        } else if (reply.has(MpaFrame.REJECTED)) {
            state = State.REJECTED;
        } else if (options.crc() == MpaOptions.Crc.REQUIRED && !reply.has(MpaFrame.CRC)) {
            fail(TerminateCode.MPA_BAD_STARTUP_FRAME);
        } else if (reply.isEnhanced() && reply.ord() != EnhancedHeader.NOT_NEGOTIATED && reply.ord() > ird) {
            // RFC 6581 §9.1: the peer would have more requests outstanding than we can hold.
            fail(TerminateCode.MPA_INSUFFICIENT_IRD);
        } else if (isPeer() && (reply.control() & offeredControl() & ~EnhancedHeader.PEER_TO_PEER) == 0) {
            fail(TerminateCode.MPA_NO_MATCHING_RTR);
        } else {
            state = State.AGREED;
        }
    }

    /** Whether both sides chose a peer-to-peer connection. */
    private boolean isPeer() {
        return (reply.control() & offeredControl() & EnhancedHeader.PEER_TO_PEER) != 0;
    }

    private void fail(int code) {
        state = State.FAILED;
        failure = code;
    }

    public State state() {
        return state;
    }

    /** The {@link TerminateCode} of a reply that violates the protocol. */
    public int failure() {
        return failure;
    }

    /** Private data of the peer's application; in REJECTED. */
    public byte[] privateData() {
        return reply.privateData();
    }

    /**
     * Returns what was agreed on; in AGREED.
     *
     * @param emss payload bytes of a full TCP segment
     */
    public Agreement agreement(int emss) {
        boolean crc = options.wantsCrc() || reply.has(MpaFrame.CRC);
        int usedOrd = reply.isEnhanced() ? StartupFrame.agree(ord, reply.ird()) : ord;
        int usedIrd = reply.isEnhanced() ? StartupFrame.agree(ird, reply.ord()) : ird;
        return new Agreement(StreamParameters.of(options, crc, reply.has(MpaFrame.MARKERS), emss), usedOrd, usedIrd,
            isPeer() ? options.rtr() : MpaOptions.Rtr.NONE, reply.privateData());
    }
}
