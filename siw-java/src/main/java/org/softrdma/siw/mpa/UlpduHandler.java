// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.wire.iwarp.TerminateCode;

/** Receives the ULPDUs of a stream, in order. */
public interface UlpduHandler {
    /** Whether ULPDUs are still wanted; if not, the reader discards what the stream brings. */
    boolean isReceiving();

    /**
     * Executes one ULPDU, whole and with a good CRC; nothing of it may be kept.
     *
     * @param memory the same bytes as {@code b}
     * @return whether more ULPDUs are wanted
     */
    boolean onUlpdu(ByteBuffer b, MemorySegment memory, int at, int length);

    /**
     * Reports a framing error, after which nothing more of the stream can be read.
     *
     * @param code {@link TerminateCode#MPA_CRC} or {@link TerminateCode#MPA_MARKER_OR_LENGTH}
     */
    void onBadFraming(int code);
}
