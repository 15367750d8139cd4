// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.nio.ByteBuffer;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.wire.iwarp.EnhancedHeader;
import org.softrdma.wire.iwarp.MpaFrame;

/** The responder of a connection: one request, the application's decision, one reply. Pure. Source: RFC 5044 §7.1, RFC 6581 §5 to §9. */
public final class MpaResponder {
    /** Progress of the set-up. */
    public enum State {
        WAITING,
        /** The request was received; the application must accept or reject it. */
        REQUESTED, ANSWERED,
        /** The bytes received are no valid request: the connection is closed without a reply. */
        FAILED
    }

    private final MpaOptions options;
    private final StartupFrame request = new StartupFrame(true);
    private State state = State.WAITING;

    public MpaResponder(MpaOptions options) {
        this.options = options;
    }

    /** Receives bytes of the stream. Before the reply nothing may follow the request: RFC 5044 §7.1.2. */
    public void onBytes(ByteBuffer b, int from, int to) {
        int taken = request.take(b, from, to);
        if (state == State.WAITING && request.verdict() != MpaFrame.INCOMPLETE) {
            boolean good = request.verdict() == MpaFrame.OK && request.revision() >= 1 && request.revision() <= 2
                && !request.has(MpaFrame.REJECTED);
            state = good ? State.REQUESTED : State.FAILED;
        }
        if (taken < to - from) {
            state = State.FAILED;
        }
    }

    public State state() {
        return state;
    }

    /** Whether the peer must be refused because its request does not enable CRCs. */
    public boolean lacksCrc() {
        return options.crc() == MpaOptions.Crc.REQUIRED && !request.has(MpaFrame.CRC);
    }

    /** READs and atomics the peer can hold for us; the device's ORD if the request does not say. */
    public int peersIrd() {
        return request.isEnhanced() ? StartupFrame.agree(options.ord(), request.ird()) : options.ord();
    }

    /** READs and atomics the peer may have outstanding; the device's IRD if the request does not say. */
    public int peersOrd() {
        return request.isEnhanced() ? StartupFrame.agree(options.ird(), request.ord()) : options.ird();
    }

    public byte[] privateData() {
        return request.privateData();
    }

    /** Whether the request is for a peer-to-peer connection: the initiator's first frame permits both sides to send. */
    public boolean isPeerToPeer() {
        return (request.control() & EnhancedHeader.PEER_TO_PEER) != 0;
    }

    /**
     * Accepts the request. The reply repeats the request's revision and kind, as siw 6.1 requires.
     *
     * @param ird  READs and atomics of the peer that we can hold
     * @param ord  our READs and atomics that may be outstanding, if the peer agrees
     * @param emss payload bytes of a full TCP segment
     */
    public Agreement accept(StreamBuffer out, int ird, int ord, byte[] privateData, int emss) {
        boolean crc = options.wantsCrc() || request.has(MpaFrame.CRC);
        int usedOrd = Math.min(ord, peersIrd());
        reply(out, (crc ? MpaFrame.CRC : 0) | (options.markers() ? MpaFrame.MARKERS : 0), ird, usedOrd, chosenControl(), privateData);
        return new Agreement(StreamParameters.of(options, crc, request.has(MpaFrame.MARKERS), emss), usedOrd, ird, MpaOptions.Rtr.NONE,
            request.privateData());
    }

    /** Rejects the request. The reply contains IRD and ORD before the private data, as siw 6.1 always skips four bytes. */
    public void reject(StreamBuffer out, byte[] privateData) {
        reply(out, MpaFrame.REJECTED, peersOrd(), peersIrd(), 0, privateData);
    }

    private void reply(StreamBuffer out, int flags, int ird, int ord, int control, byte[] privateData) {
        boolean enhanced = request.isEnhanced();
        StartupFrame.write(out, false, flags | (enhanced ? MpaFrame.ENHANCED : 0), request.revision(), ird, ord, control, privateData);
        state = State.ANSWERED;
    }

    /** Chooses one of the first messages that the initiator offers; we support all of them. */
    private int chosenControl() {
        int offered = request.control();
        if ((offered & EnhancedHeader.PEER_TO_PEER) == 0) {
            return 0;
        }
        if ((offered & EnhancedHeader.RTR_WRITE) != 0) {
            return EnhancedHeader.PEER_TO_PEER | EnhancedHeader.RTR_WRITE;
        }
        if ((offered & EnhancedHeader.RTR_READ) != 0) {
            return EnhancedHeader.PEER_TO_PEER | EnhancedHeader.RTR_READ;
        }
        return EnhancedHeader.PEER_TO_PEER | offered & EnhancedHeader.RTR_SEND;
    }
}
