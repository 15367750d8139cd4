// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.lang.foreign.MemorySegment;
import org.softrdma.device.queue.ScatterGather;
import org.softrdma.device.queue.SendRing;
import org.softrdma.verbs.SendFlags;

/** Bytes that a send work request carries: inline in its record, or in the memory its elements name. */
final class SendData {
    private final SendRing ring;
    private final ScatterGather data;

    SendData(SendRing ring, ScatterGather data) {
        this.ring = ring;
        this.data = data;
    }

    /** Whether all bytes can be read, as far as that is known before the first packet. */
    boolean isReadable(long wqe) {
        return isInline(wqe) || data.check(ring, wqe, 0);
    }

    /**
     * Copies {@code length} bytes from {@code offset} on, and pads them to a multiple of four.
     *
     * @return false for a protection error
     */
    boolean put(long wqe, long offset, int length, PacketWriter out, int to) {
        if (isInline(wqe)) {
            MemorySegment.copy(ring.memory(), ring.inlineOffset(wqe) + offset, out.memory(), to, length);
        } else if (!data.gather(ring, wqe, offset, length, out.memory(), to)) {
            return false;
        }
        for (int i = length; (i & 3) != 0; i++) {
            out.buffer().put(to + i, (byte) 0);
        }
        return true;
    }

    private boolean isInline(long wqe) {
        return (ring.flags(wqe) & SendFlags.INLINE) != 0;
    }
}
