// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.pcap.Pcapng;
import org.softrdma.wire.pcap.SynthesizedHeaders;
import org.softrdma.wire.roce.Aeth;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Syndrome;

/** A recording with many packets: WRITEs, an acknowledgement for each tenth, a NAK for each hundredth. */
final class LongRecording {
    private static final int ALICE = 0x0a000001;
    private static final int BOB = 0x0a000002;
    private static final int BTH_AT = 64;
    private static final int PAYLOAD = 32;

    private LongRecording() {
    }

    static Path write(Path file, int packets) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(256);
        ByteBuffer block = ByteBuffer.allocate(512);
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write(block.array(), 0, Pcapng.putInterface(block, Pcapng.putSectionHeader(block, 0), Pcapng.LINK_ETHERNET, 0, "long"));
            for (int i = 0; i < packets; i++) {
                boolean nak = i % 100 == 99;
                boolean answer = i % 10 == 9;
                Bth.put(frame, BTH_AT, answer ? Opcode.RC_ACKNOWLEDGE : Opcode.RC_RDMA_WRITE_MIDDLE, false, 0, 0xffff, answer ? 0x11 : 0x12,
                    false, i & 0xffffff);
                int length = Bth.LENGTH + PAYLOAD + Icrc.LENGTH;
                if (answer) {
                    Aeth.put(frame, BTH_AT + Bth.LENGTH, nak ? Syndrome.NAK_PSN_SEQUENCE : Syndrome.ACK_UNLIMITED, i & 0xffffff);
                    length = Bth.LENGTH + Aeth.LENGTH + Icrc.LENGTH;
                }
                int udp = BTH_AT - Udp.LENGTH;
                Udp.put(frame, udp, 0xC000, Udp.DEST_PORT_ROCE, Udp.LENGTH + length, 0);
                int start = SynthesizedHeaders.putIpv4(frame, udp - Ipv4.LENGTH, 0, Udp.LENGTH + length, 0, Ipv4.PROTOCOL_UDP,
                    answer ? BOB : ALICE, answer ? ALICE : BOB);
                out.write(block.array(), 0, Pcapng.putPacket(block, 0, 0, 1_000L * i, frame, start, BTH_AT + length - start));
            }
        }
        return file;
    }
}
