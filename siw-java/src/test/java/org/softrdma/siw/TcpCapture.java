// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.pcap.Pcapng;

/** Writes the bytes of a simulated TCP connection to a pcapng file: one packet for each piece. */
final class TcpCapture implements SimulatedTcp.Observer {
    private static final int PROTOCOL_TCP = 6;
    private static final int LEFT = 0x0a000001;
    private static final int RIGHT = 0x0a000002;
    private static final int LEFT_PORT = 40_000;
    private static final int RIGHT_PORT = 7174;
    private static final int TCP_BYTES = 20;
    /** ACK, PSH. */
    private static final int FLAGS = 0x18;

    private final ByteBuffer file = ByteBuffer.allocate(1 << 20);
    private int end;
    private long packets;
    private int leftSeq = 1000;
    private int rightSeq = 9000;

    TcpCapture() {
        end = Pcapng.putSectionHeader(file, end);
        end = Pcapng.putInterface(file, end, Pcapng.LINK_RAW_IP, 0, "sim");
    }

    @Override
    public void onPiece(boolean fromLeft, byte[] bytes) {
        int length = Ipv4.LENGTH + TCP_BYTES + bytes.length;
        ByteBuffer b = ByteBuffer.allocate(length);
        Ipv4.put(b, 0, 0, length, 0, true, 64, PROTOCOL_TCP, fromLeft ? LEFT : RIGHT, fromLeft ? RIGHT : LEFT);
        b.position(Ipv4.LENGTH);
        b.putShort((short) (fromLeft ? LEFT_PORT : RIGHT_PORT)).putShort((short) (fromLeft ? RIGHT_PORT : LEFT_PORT));
        b.putInt(fromLeft ? leftSeq : rightSeq).putInt(fromLeft ? rightSeq : leftSeq);
        b.put((byte) (TCP_BYTES / 4 << 4)).put((byte) FLAGS).putShort((short) 0xffff).putInt(0);
        b.put(bytes);
        leftSeq += fromLeft ? bytes.length : 0;
        rightSeq += fromLeft ? 0 : bytes.length;
        end = Pcapng.putPacket(file, end, 0, 1_000 * packets++, b, 0, length);
    }

    void write(Path to) throws IOException {
        Files.write(to, Arrays.copyOf(file.array(), end));
    }
}
