// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.attach;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.softrdma.link.SubnetPort;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Grh;

/** The messages of an attachment: a packet of the specification, registers both ways, and everything that is neither. */
class PortMessagesTest {
    /** RDMA WRITE of the specification's examples: IBA vol 1 §7.8, local packet. */
    private static final byte[] WRITE = HexFormat.of().parseHex("7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000e"
        + "bb884d85fd5cfba4728bc0690ed400009625b75a");

    @Test
    void shouldFindTheBthOfTheSpecificationsPacket() {
        ByteBuffer packet = ByteBuffer.wrap(WRITE);
        assertEquals(8, PortMessages.bthAt(packet, 0, WRITE.length));
        assertEquals(0x0a, Bth.opcode(packet, 8), "RC RDMA WRITE Only");
        for (int length = 0; length < WRITE.length; length++) {
            assertEquals(-1, PortMessages.bthAt(packet, 0, length), length + " bytes");
        }
    }

    @Test
    void shouldFindTheBthBehindAGlobalRouteHeader() {
        int length = 8 + Grh.LENGTH + 12 + 4;
        ByteBuffer packet = ByteBuffer.allocate(length);
        packet.putLong(0, 0x0003_0002_0010_0001L);
        Grh.put(packet, 8, 0, 0, 16, Grh.NEXT_HEADER_BTH, 64, 1, 2, 3, 4);
        assertEquals(48, PortMessages.bthAt(packet, 0, length));

        Grh.put(packet, 8, 0, 0, 12, Grh.NEXT_HEADER_BTH, 64, 1, 2, 3, 4);
        assertEquals(-1, PortMessages.bthAt(packet, 0, length), "another length than the packet's");
        Grh.put(packet, 8, 0, 0, 16, 17, 64, 1, 2, 3, 4);
        assertEquals(-1, PortMessages.bthAt(packet, 0, length), "UDP behind it");
    }

    @Test
    void shouldAcceptOnlyLengthsOfTheirKind() {
        assertTrue(PortMessages.isPossible(0x01000018), "LRH, BTH and ICRC");
        assertFalse(PortMessages.isPossible(0x01000017));
        assertTrue(PortMessages.isPossible(0x01000000 | 4096 + 124));
        assertFalse(PortMessages.isPossible(0x01000000 | 4096 + 125));
        assertTrue(PortMessages.isPossible(0x02000000 | 40 + 64 + 4 + 128 + 256));
        assertFalse(PortMessages.isPossible(0x02000000 | 40 + 64 + 4 + 128 + 255));
        assertFalse(PortMessages.isPossible(0x00000018));
        assertFalse(PortMessages.isPossible(0x03000018));
    }

    @Test
    void shouldCarryTheRegistersOfAPort() {
        ByteBuffer node = ByteBuffer.allocate(NodeInfo.LENGTH).putLong(12, 0x0002c90300001234L);
        ByteBuffer info = ByteBuffer.allocate(PortInfo.LENGTH).putLong(8, 0xfe80000000000000L).putShort(16, (short) 0x40)
            .put(32, (byte) 0x14).put(34, (byte) 2).put(36, (byte) 0x50);
        ByteBuffer pkeys = ByteBuffer.allocate(128).putShort(0, (short) 0xffff).putShort(126, (short) 0x8001);
        ByteBuffer guids = ByteBuffer.allocate(256).putLong(0, 0x0002c90300001235L).putLong(248, 7);
        ByteBuffer message = ByteBuffer.allocate(PortMessages.PORT_LENGTH + 3);
        PortMessages.putPort(message, 3, node, info, 9, pkeys, guids);

        SubnetPort port = PortMessages.readPort("here", message, 3);

        assertEquals(0x0002c90300001234L, port.nodeGuid());
        assertEquals(PortInfo.STATE_ACTIVE, port.state());
        assertEquals(0x40, port.lid());
        assertTrue(port.owns(0x43));
        assertFalse(port.owns(0x44), "LMC 2: four LIDs");
        assertFalse(port.owns(0x3f));
        assertEquals(4096, port.mtu());
        assertTrue(port.hasPartitionOf(0x7fff), "a limited member of the default partition");
        assertTrue(port.hasPartitionOf(0x0001));
        assertFalse(port.hasPartitionOf(0x8002));
        assertEquals(new Gid(0xfe80000000000000L, 0x0002c90300001235L), port.gid(0));
        assertEquals(Gid.ZERO, port.gid(1));
        assertEquals(2, port.gids().size());
        assertEquals(9, port.reregistrations());
    }
}
