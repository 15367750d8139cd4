// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.RoceFrame;

/** Scapy's RoCE layer computes the same ICRCs as this project, for v1 and v2, over IPv4 and IPv6, for random header contents. */
@ExtendWith(ScapyExtension.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ScapyIcrcTest {
    private static final int ROUNDS = 200;
    private static final int FRAME_BYTES = 1600;

    private final SplittableRandom random = new SplittableRandom(8915);
    private final ByteBuffer b = ByteBuffer.allocate(FRAME_BYTES);

    @Test
    void shouldComputeTheIcrcsOfScapy() throws Exception {
        StringBuilder frames = new StringBuilder();
        StringBuilder expected = new StringBuilder();
        RoceFrame roce = new RoceFrame();
        Icrc icrc = new Icrc();
        for (int i = 0; i < ROUNDS; i++) {
            int length = putFrame(i % 3);
            assertEquals(RoceFrame.OK, roce.dissectEthernet(b, 0, length));
            Icrc.put(b, roce.end(), roce.computeIcrc(b, icrc));
            frames.append(HexFormat.of().formatHex(b.array(), 0, length)).append('\n');
            expected.append(HexFormat.of().formatHex(b.array(), roce.end(), length)).append('\n');
        }
        assertEquals(expected.toString(), Scapy.icrcs(frames.toString()), "seed 8915");
    }

    /**
     * Builds an RC SEND Only of random contents under random headers.
     *
     * @return the frame's length
     */
    private int putFrame(int kind) {
        int payload = random.nextInt(1025);
        int pad = -payload & 3;
        int packet = Bth.LENGTH + payload + pad + Icrc.LENGTH;
        int l3 = Ethernet.LENGTH;
        int bth = switch (kind) {
            case 0 -> {
                Ethernet.put(b, 0, mac(), mac(), Ethernet.TYPE_ROCE_V1);
                Grh.put(b, l3, random.nextInt(256), random.nextInt(1 << 20), packet, Grh.NEXT_HEADER_BTH, random.nextInt(256),
                    random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
                yield l3 + Grh.LENGTH;
            }
            case 1 -> {
                Ethernet.put(b, 0, mac(), mac(), Ethernet.TYPE_IPV4);
                Ipv4.put(b, l3, random.nextInt(256), Ipv4.LENGTH + Udp.LENGTH + packet, random.nextInt(1 << 16), random.nextBoolean(),
                    random.nextInt(256), Ipv4.PROTOCOL_UDP, random.nextInt(), random.nextInt());
                yield putUdp(l3 + Ipv4.LENGTH, packet);
            }
            default -> {
                Ethernet.put(b, 0, mac(), mac(), Ethernet.TYPE_IPV6);
                Ipv6.put(b, l3, random.nextInt(256), random.nextInt(1 << 20), Udp.LENGTH + packet, Ipv4.PROTOCOL_UDP, random.nextInt(256),
                    random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
                yield putUdp(l3 + Ipv6.LENGTH, packet);
            }
        };
        Bth.put(b, bth, 0x04, random.nextBoolean(), pad, 0xffff, random.nextInt(1 << 24), random.nextBoolean(), random.nextInt(1 << 24));
        for (int i = 0; i < payload; i++) {
            b.put(bth + Bth.LENGTH + i, (byte) random.nextInt());
        }
        b.put(bth + Bth.LENGTH + payload, new byte[pad]);
        return bth + packet;
    }

    private int putUdp(int at, int packet) {
        Udp.put(b, at, 0xc000 | random.nextInt(0x4000), Udp.DEST_PORT_ROCE, Udp.LENGTH + packet, random.nextInt(1 << 16));
        return at + Udp.LENGTH;
    }

    private long mac() {
        return random.nextLong() & 0xfeff_ffff_ffffL;
    }
}
