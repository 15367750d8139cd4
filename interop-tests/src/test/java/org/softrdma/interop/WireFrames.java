// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.PacketCheck;
import org.softrdma.wire.roce.RoceFrame;

/**
 * Counts of the RoCE frames of a capture on a {@link VethPair}, by version, and their defects: invalid frames, invalid packets and wrong
 * ICRCs.
 */
record WireFrames(int v1, int v2, List<String> defects) {
    private static final int DEFECTS_KEPT = 10;

    static WireFrames of(Path capture) throws IOException {
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(capture)));
        RoceFrame frame = new RoceFrame();
        Icrc icrc = new Icrc();
        int v1 = 0;
        int v2 = 0;
        List<String> defects = new ArrayList<>();
        for (int number = 1; reader.next(); number++) {
            ByteBuffer b = reader.buffer();
            String defect = defect(frame, icrc, b, reader);
            if (defect != null && defects.size() < DEFECTS_KEPT) {
                defects.add("frame " + number + ": " + defect);
            }
            v1 += frame.version() == RoceFrame.VERSION_1 ? 1 : 0;
            v2 += frame.version() > RoceFrame.VERSION_1 ? 1 : 0;
        }
        return new WireFrames(v1, v2, defects);
    }

    private static String defect(RoceFrame frame, Icrc icrc, ByteBuffer b, PcapngReader reader) {
        int verdict = frame.dissect(b, reader.linkType(), reader.offset(), reader.length());
        if (verdict != RoceFrame.OK) {
            return RoceFrame.name(verdict);
        }
        int packet = PacketCheck.verdict(b, frame.bthAt(), frame.packetLength());
        if (packet != PacketCheck.OK) {
            return PacketCheck.name(packet);
        }
        return frame.computeIcrc(b, icrc) == Icrc.get(b, frame.end()) ? null : "bad ICRC";
    }
}
