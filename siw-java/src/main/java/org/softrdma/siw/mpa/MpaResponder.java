// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.nio.ByteBuffer;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.wire.iwarp.EnhancedHeader;
import org.softrdma.wire.iwarp.MpaFrame;

/** The side that is asked: one request, an application's decision, one reply. Pure. Source: RFC 5044 §7.1, RFC 6581 §5 to §9. */
public final class MpaResponder {
    /** How far it is. */
    public enum State {
        WAITING,
        /** The request is there, and the application has the word. */
        REQUESTED, ANSWERED,
        /** No request, or one against the rules: the connection is closed without an answer. */
        FAILED
    }

    private final MpaOptions options;
    private final StartupFrame request = new StartupFrame(true);
    private State state = State.WAITING;

    public MpaResponder(MpaOptions options) {
        this.options = options;
    }

    /** Bytes of the stream. Before the reply nothing may follow the request: RFC 5044 §7.1.2. */
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

    /** Whether the peer is to be refused because it does not ask for CRCs. */
    public boolean lacksCrc() {
        return options.crc() == MpaOptions.Crc.REQUIRED && !request.has(MpaFrame.CRC);
    }

    /** READs and atomics the peer holds for us; what the device can if it does not say. */
    public int peersIrd() {
        return request.isEnhanced() ? StartupFrame.agree(options.ord(), request.ird()) : options.ord();
    }

    /** READs and atomics the peer would have outstanding. */
    public int peersOrd() {
        return request.isEnhanced() ? StartupFrame.agree(options.ird(), request.ord()) : options.ird();
    }

    public byte[] privateData() {
        return request.privateData();
    }

    /** A peer-to-peer connection: the initiator's first frame says that both may talk. */
    public boolean isPeerToPeer() {
        return (request.control() & EnhancedHeader.PEER_TO_PEER) != 0;
    }

    /**
     * Accepts. The reply repeats the request's revision and kind, as siw 6.1 demands.
     *
     * @param ird  READs and atomics we hold for the peer
     * @param ord  those of ours that we would have outstanding
     * @param emss payload bytes of a full TCP segment
     */
    public Agreement accept(StreamBuffer out, int ird, int ord, byte[] privateData, int emss) {
        boolean crc = options.wantsCrc() || request.has(MpaFrame.CRC);
        int usedOrd = Math.min(ord, peersIrd());
        reply(out, (crc ? MpaFrame.CRC : 0) | (options.markers() ? MpaFrame.MARKERS : 0), ird, usedOrd, chosenControl(), privateData);
        return new Agreement(StreamParameters.of(options, crc, request.has(MpaFrame.MARKERS), emss), usedOrd, ird, MpaOptions.Rtr.NONE,
            request.privateData());
    }

    /** Refuses. The numbers stand before the application's data all the same: siw 6.1 skips four bytes whatever there is. */
    public void reject(StreamBuffer out, byte[] privateData) {
        reply(out, MpaFrame.REJECTED, peersOrd(), peersIrd(), 0, privateData);
    }

    private void reply(StreamBuffer out, int flags, int ird, int ord, int control, byte[] privateData) {
        boolean enhanced = request.isEnhanced();
        StartupFrame.write(out, false, flags | (enhanced ? MpaFrame.ENHANCED : 0), request.revision(), ird, ord, control, privateData);
        state = State.ANSWERED;
    }

    /** Of the first messages the initiator offers, one: any will do for us. */
    private int chosenControl() {
        int offered = request.control();
        if ((offered & EnhancedHeader.PEER_TO_PEER) == 0) {
            return 0;
        }
        int first = (offered & EnhancedHeader.RTR_WRITE) != 0 ? EnhancedHeader.RTR_WRITE
            : (offered & EnhancedHeader.RTR_READ) != 0 ? EnhancedHeader.RTR_READ : offered & EnhancedHeader.RTR_SEND;
        return EnhancedHeader.PEER_TO_PEER | first;
    }
}
