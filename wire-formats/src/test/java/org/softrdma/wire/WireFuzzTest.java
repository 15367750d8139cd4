// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.wire.cm.CmCheck;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.pcap.MalformedCaptureException;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.PacketCheck;
import org.softrdma.wire.roce.PacketText;
import org.softrdma.wire.roce.RoceFrame;

/**
 * Any bytes as a capture, as a frame and as a packet: refused by a verdict or the one exception, never by another. Inside
 * {@code mvn verify} it replays its seeds (regression mode); {@code config/fuzz/run 1h WireFuzzTest} searches with coverage.
 */
class WireFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        look(b, Pcapng.LINK_ETHERNET, 0, bytes.length);
        look(b, Pcapng.LINK_RAW_IP, 0, bytes.length);
        PacketText.describe(b, 0, bytes.length - Icrc.LENGTH);
        manage(b, bytes.length);
        PcapngReader reader = new PcapngReader(b);
        try {
            while (reader.next()) {
                look(b, reader.linkType(), reader.offset(), reader.length());
            }
        } catch (MalformedCaptureException e) {
            check(e.offset() >= 0 && e.offset() < bytes.length);
        }
    }

    private static void look(ByteBuffer b, int linkType, int at, int length) {
        byte[] before = b.array().clone();
        RoceFrame frame = new RoceFrame();
        if (frame.dissect(b, linkType, at, length) == RoceFrame.OK) {
            check(frame.ipAt() >= at && frame.bthAt() > frame.ipAt() && frame.end() + Icrc.LENGTH <= at + length);
            check(frame.end() - frame.bthAt() >= Bth.LENGTH);
            frame.computeIcrc(b, new Icrc());
            PacketText.describe(b, frame.bthAt(), frame.end());
            if (PacketCheck.verdict(b, frame.bthAt(), frame.packetLength()) == PacketCheck.OK) {
                int payload = PacketCheck.payloadLength(b, frame.bthAt(), frame.packetLength());
                check(payload >= 0 && payload <= length);
            }
        } else {
            check(frame.version() == RoceFrame.VERSION_NONE);
        }
        check(Arrays.equals(before, b.array()));
        check(b.position() == 0 && b.limit() == b.capacity());
    }

    /** As a MAD, whole and each part of it. */
    private static void manage(ByteBuffer b, int length) {
        for (int at = 0; at < Math.min(length, 64); at++) {
            if (CmCheck.verdict(b, at, Math.min(length - at, Mad.LENGTH)) == CmCheck.OK) {
                int attribute = Mad.attribute(b, at);
                check(CmMessage.isKnown(attribute) && length - at >= Mad.LENGTH);
                check(CmMessage.privateData(b, at).length == CmMessage.privateDataLength(attribute));
                check(attribute != CmMessage.REJ || CmRej.INFO_OFFSET + CmRej.INFO_LENGTH.get(b, at) <= Mad.LENGTH);
                check(CmMessage.LOCAL_COMM_ID.get(b, at) == b.getInt(at + Mad.HEADER_LENGTH));
            }
        }
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
