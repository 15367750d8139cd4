// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.nio.ByteBuffer;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.IbFrame;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.Vcrc;
import org.softrdma.wire.pcap.Erf;
import org.softrdma.wire.pcap.SynthesizedHeaders;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;

/**
 * An InfiniBand packet in a capture file, as it was on a link, in a record of {@link Erf}.
 *
 * <pre>
 *  ERF | LRH | GRH if both addresses are GIDs | BTH … pad | ICRC | VCRC
 * </pre>
 */
final class SubnetFrame {
    private static final int SHORTEST_PACKET = Bth.LENGTH + Icrc.LENGTH;
    /** Longest packet whose length an LRH can have. */
    private static final int LONGEST_PACKET = 0x7FF * Integer.BYTES - Lrh.LENGTH - Grh.LENGTH;

    private SubnetFrame() {
    }

    /** Bytes of a recorded packet in the file: only packets that were dropped have another length. */
    static int lengthOf(int recorded) {
        return Math.clamp(recorded, SHORTEST_PACKET, LONGEST_PACKET) & -Integer.BYTES;
    }

    /**
     * Writes what is before and behind a packet.
     *
     * @param frame  with 64 bytes before the packet, and {@link Vcrc#LENGTH} behind it
     * @param bthAt  offset of the packet
     * @param length BTH to ICRC, as {@link #lengthOf} returns it
     * @param way    from the sender to the receiver
     * @return offset of the record
     */
    static int put(ByteBuffer frame, int bthAt, int length, Track.Subnet way, Gid from, Gid to, long timeNs) {
        boolean isRouted = !from.isLid() && !to.isLid();
        int icrcAt = bthAt + length - Icrc.LENGTH;
        int end = bthAt + length;
        int lrhAt = bthAt - Lrh.LENGTH;
        Icrc icrc = new Icrc();
        if (isRouted) {
            int grhAt = bthAt - Grh.LENGTH;
            lrhAt -= Grh.LENGTH;
            Grh.put(frame, grhAt, 0, 0, length, Grh.NEXT_HEADER_BTH, SynthesizedHeaders.HOP_LIMIT, from.high(), from.low(), to.high(),
                to.low());
            Icrc.put(frame, icrcAt, icrc.ofGrhFrame(frame, grhAt, bthAt, icrcAt));
        }
        Lrh.put(frame, lrhAt, 0, way.serviceLevel(), isRouted ? Lrh.NEXT_GRH : Lrh.NEXT_BTH, way.remoteLid(), end - lrhAt, way.localLid());
        if (!isRouted) {
            Icrc.put(frame, icrcAt, icrc.ofLrhFrame(frame, lrhAt, bthAt, icrcAt));
        }
        return IbFrame.putRecord(frame, lrhAt, end, timeNs);
    }
}
