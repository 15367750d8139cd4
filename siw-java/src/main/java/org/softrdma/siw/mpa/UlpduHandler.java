// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Takes the ULPDUs of a stream, in order. */
public interface UlpduHandler {
    /**
     * One ULPDU, whole and with a good CRC; nothing of it may be kept.
     *
     * @param memory the same bytes as {@code b}
     * @return false: no more of them
     */
    boolean onUlpdu(ByteBuffer b, MemorySegment memory, int at, int length);
}
