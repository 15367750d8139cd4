// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import java.nio.ByteBuffer;
import org.softrdma.wire.pcap.Erf;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;

/**
 * An InfiniBand frame in a capture: finds the transport packet in it, or completes one that was written.
 *
 * <pre>
 *  record header | LRH | GRH if LNH says so | BTH … pad | ICRC | VCRC
 *                  ^lrhAt ^grhAt              ^bthAt             ^end
 * </pre>
 *
 * An object holds the answer for the last frame: reusable, not thread-safe, no allocation. What the packet itself says, LIDs, P_Key and the
 * CRCs are the caller's.
 */
public final class IbFrame {
    private int lrhAt;
    private int bthAt;
    private int end;

    /** Knows no frame yet. */
    public IbFrame() {
    }

    /**
     * Looks into a record of {@link Erf}.
     *
     * @param b buffer with the record, big-endian
     * @param at offset of the record
     * @param length its bytes; the buffer has them
     * @return whether it is an InfiniBand frame with a BTH and room for an ICRC; the offsets hold only then
     */
    public boolean find(ByteBuffer b, int at, int length) {
        lrhAt = at + Erf.LENGTH;
        int left = length - Erf.LENGTH;
        if (left < 0 || Erf.type(b, at) != Erf.TYPE_INFINIBAND || !Lrh.isValid(b, lrhAt, left)) {
            return false;
        }
        boolean isRouted = Lrh.nextHeader(b, lrhAt) == Lrh.NEXT_GRH;
        bthAt = lrhAt + Lrh.LENGTH + (isRouted ? Grh.LENGTH : 0);
        end = lrhAt + Lrh.packetBytes(b, lrhAt);
        return end - bthAt >= Bth.LENGTH + Icrc.LENGTH && (!isRouted || Grh.nextHeader(b, grhAt()) == Grh.NEXT_HEADER_BTH);
    }

    /**
     * Completes a record of {@link Erf}: writes its header before the LRH, and the VCRC behind the ICRC.
     *
     * @param b buffer, big-endian, with all from the LRH to the ICRC, and room around it
     * @param lrhAt offset of the LRH
     * @param end after the ICRC
     * @param epochNs time, nanoseconds since 1970
     * @return offset of the record, which ends {@link Vcrc#LENGTH} bytes after {@code end}
     */
    public static int putRecord(ByteBuffer b, int lrhAt, int end, long epochNs) {
        Vcrc.put(b, end, Vcrc.of(b, lrhAt, end));
        int recordAt = lrhAt - Erf.LENGTH;
        Erf.put(b, recordAt, epochNs, Erf.TYPE_INFINIBAND, end + Vcrc.LENGTH - lrhAt);
        return recordAt;
    }

    /** {@return the offset of the LRH} */
    public int lrhAt() {
        return lrhAt;
    }

    /** {@return whether there is a GRH} */
    public boolean isRouted() {
        return bthAt - lrhAt > Lrh.LENGTH;
    }

    /** {@return the offset of the GRH, if there is one} */
    public int grhAt() {
        return bthAt - Grh.LENGTH;
    }

    /** {@return the offset of the BTH} */
    public int bthAt() {
        return bthAt;
    }

    /** {@return bytes from the BTH to the end of the ICRC} */
    public int packetLength() {
        return end - bthAt;
    }
}
