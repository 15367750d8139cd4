// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import org.softrdma.wire.iwarp.EnhancedHeader;
import org.softrdma.wire.iwarp.Fpdu;

/**
 * How a device sets connections up.
 *
 * @param revision   what an initiator begins with: 2, or 1 for peers that know nothing of the enhanced start-up
 * @param crc        ask for CRCs; they are used if either side asks
 * @param markers    ask for markers in what comes in; what the peer asks for is done in any case
 * @param first      an initiator of revision 2 offers to be a peer, and to begin with this; NONE: it does not
 * @param pauseNs    an initiator waits so long after the reply before it sends anything. Kernel siw 6.1 leaves a first frame that comes
 *     too early unread until another one follows
 * @param maxUlpdu   most bytes of a ULPDU, or {@link #FIT_SEGMENT}: what fits a TCP segment
 * @param timeoutNs  how long the peer may take for its frame
 */
record MpaOptions(int revision, boolean crc, boolean markers, SiwMachine.FirstMessage first, long pauseNs, int maxUlpdu, long timeoutNs) {
    /** {@link #maxUlpdu}: as long as the TCP segment lets it be. */
    static final int FIT_SEGMENT = 0;
    /** RFC 5044 §7.1.1 would have CRCs unless both sides can do without. */
    static final MpaOptions DEFAULT = new MpaOptions(2, true, false, SiwMachine.FirstMessage.NONE, 10_000_000, FIT_SEGMENT,
        10_000_000_000L);

    /**
     * Most private data of the application's in a frame. The wire has room for 508 bytes behind the enhanced header; Linux takes 256
     * together, and its siw does not survive a reply with more.
     */
    static final int MAX_PRIVATE_DATA = 252;

    MpaOptions {
        if (revision != 1 && revision != 2) {
            throw new IllegalArgumentException("MPA revision " + revision + "; there are 1 and 2");
        }
    }

    /** Control bits of a request. */
    int offeredControl() {
        return switch (first) {
            case NONE -> 0;
            case EMPTY_WRITE -> EnhancedHeader.PEER_TO_PEER | EnhancedHeader.RTR_WRITE;
            case EMPTY_READ -> EnhancedHeader.PEER_TO_PEER | EnhancedHeader.RTR_READ;
        };
    }

    /** @param emss payload bytes of a full TCP segment */
    StreamParameters parameters(boolean useCrc, boolean markersOut, int emss) {
        int fitting = Fpdu.maxUlpdu(emss, markersOut);
        return new StreamParameters(useCrc, markersOut, markers, maxUlpdu == FIT_SEGMENT ? fitting : maxUlpdu);
    }
}
