// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.capture;

import java.nio.ByteBuffer;
import org.softrdma.host.capture.CaptureFile;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.IbFrame;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.Vcrc;
import org.softrdma.wire.pcap.Erf;
import org.softrdma.wire.roce.Grh;

/** Captures packets of an InfiniBand subnet, with the route headers and the VCRC that they have on a link. One object for all packets. */
final class SubnetRecord {
    private static final int HEADERS = Erf.LENGTH + Lrh.LENGTH + Grh.LENGTH;

    private final ByteBuffer buffer = ByteBuffer.allocate(HEADERS + ReceivedFrame.MAX_PACKET_BYTES + Vcrc.LENGTH);

    /**
     * Writes a sent packet.
     *
     * @param at     offset of its BTH
     * @param length BTH to ICRC
     */
    void write(CaptureFile file, long epochNs, Path path, ByteBuffer packet, int at, int length) {
        buffer.put(HEADERS, packet, at, length);
        int lrhAt = path.isWithinSubnet() ? HEADERS - Lrh.LENGTH : route(length, path.trafficClass(), path.hopLimit(),
            path.local().high(), path.local().low(), path.remote());
        finish(file, epochNs, lrhAt, path.lrh(length), length);
    }

    /** Writes a received packet. */
    void write(CaptureFile file, long epochNs, ReceivedFrame frame) {
        buffer.put(HEADERS, frame.buffer(), frame.offset(), frame.length());
        int lrhAt = frame.isWithinSubnet() ? HEADERS - Lrh.LENGTH : route(frame.length(), frame.trafficClass(), frame.hopLimit(),
            frame.remoteHigh(), frame.remoteLow(), frame.local());
        finish(file, epochNs, lrhAt, frame.lrh(), frame.length());
    }

    private int route(int length, int trafficClass, int hopLimit, long fromHigh, long fromLow, Gid to) {
        int grh = HEADERS - Grh.LENGTH;
        Grh.put(buffer, grh, trafficClass, 0, length, Grh.NEXT_HEADER_BTH, hopLimit, fromHigh, fromLow, to.high(), to.low());
        return grh - Lrh.LENGTH;
    }

    private void finish(CaptureFile file, long epochNs, int lrhAt, long lrh, int length) {
        buffer.putLong(lrhAt, lrh);
        int end = HEADERS + length;
        int recordAt = IbFrame.putRecord(buffer, lrhAt, end, epochNs);
        file.write(buffer, recordAt, end + Vcrc.LENGTH - recordAt);
    }
}
