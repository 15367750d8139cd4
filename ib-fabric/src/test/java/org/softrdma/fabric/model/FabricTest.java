// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.fabric.topology.TopologyReader;
import org.softrdma.wire.ib.GuidBlock;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.MadStatus;
import org.softrdma.wire.ib.MulticastForwardingBlock;
import org.softrdma.wire.ib.NodeInfo;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PerformanceMad;
import org.softrdma.wire.ib.PortCounters;
import org.softrdma.wire.ib.PortCountersExtended;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SlToVlMapping;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.ib.SwitchInfo;
import org.softrdma.wire.ib.VlArbitrationBlock;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;

/** A line of two switches with an adapter at each: h1 - s1 - s2 - h2, and its agents, tables and packets. */
class FabricTest {
    private static final int DATA = Smp.DATA_OFFSET;
    private static final int DATA_BYTES = Lrh.LENGTH + Bth.LENGTH + 64 + Icrc.LENGTH;
    private static final long SECOND = 1_000_000_000L;
    private static final String LINE = """
        Switch 4 "s1"
        [1] "h1"
        [2] "s2"[2]

        Switch 4 "s2"
        [1] "h2"
        [3] "h3"

        Ca 2 "h1"

        Ca 2 "h2"

        Ca 1 "h3"
        """;

    private final Fabric fabric = new Fabric(TopologyReader.read(LINE), new SplittableRandom(1), new FabricObserver() { });
    private final Prober prober = new Prober(fabric, "h1", 1);
    private final List<Integer> delivered = new ArrayList<>();

    /** LIDs 1 for h1, 2 and 3 for the switches, 4 for h2, 5 for h3; all ports active, all routes set. */
    private void bringUp() {
        prober.setLid(1);
        prober.setLid(2, 1);
        prober.setLid(3, 1, 2);
        prober.setLid(4, 1, 2, 1);
        prober.setLid(5, 1, 2, 3);
        prober.setRoutes(new int[] {255, 1, 0, 2, 2, 2}, 1);
        prober.setRoutes(new int[] {255, 2, 2, 0, 1, 3}, 1, 2);
        prober.activate(1);
        prober.activate(1, 1);
        prober.activate(2, 1);
        prober.activate(2, 1, 2);
        prober.activate(1, 1, 2);
        prober.activate(3, 1, 2);
        prober.activate(1, 1, 2, 1);
        prober.activate(1, 1, 2, 3);
    }

    private static ByteBuffer packet(int slid, int dlid) {
        ByteBuffer b = ByteBuffer.allocate(DATA_BYTES);
        Lrh.put(b, 0, 0, 0, Lrh.NEXT_BTH, dlid, DATA_BYTES, slid);
        Bth.put(b, Lrh.LENGTH, Opcode.RC_SEND_ONLY, false, 0, PKeyBlock.DEFAULT, 0x11, false, 0);
        return b;
    }

    private void receiveAt(String node, int number) {
        FabricPort port = fabric.find(node).port(number);
        fabric.attach(port, new PortDevice() {
            @Override
            public boolean onPacket(ByteBuffer packet, int at, int length) {
                delivered.add(port.lid());
                return true;
            }

            @Override
            public void onChange(FabricPort changed, Change change) {
            }
        });
    }

    private void carry(int slid, int dlid) {
        fabric.carry(fabric.find("h1").port(1), packet(slid, dlid), 0, DATA_BYTES, prober.nowNs);
    }

    private long count(FabricCounter name) {
        return fabric.counters().get(name);
    }

    // ---- agents ----

    @Test
    void shouldDescribeNodesByDirectedRoute() {
        ByteBuffer own = prober.get(SmAttribute.NODE_INFO, 0).mad();
        assertEquals(NodeInfo.TYPE_CA, NodeInfo.TYPE.get(own, DATA));
        assertEquals(0x100000, NodeInfo.NODE_GUID.getLong(own, DATA));
        assertEquals(0x100001, NodeInfo.PORT_GUID.getLong(own, DATA));
        ByteBuffer far = prober.get(SmAttribute.NODE_INFO, 0, 1, 2).mad();
        assertEquals(NodeInfo.TYPE_SWITCH, NodeInfo.TYPE.get(far, DATA));
        assertEquals(4, NodeInfo.PORTS.get(far, DATA));
        assertEquals(2, NodeInfo.LOCAL_PORT.get(far, DATA), "the port it came in by");
        assertEquals(NodeInfo.NODE_GUID.getLong(far, DATA), NodeInfo.PORT_GUID.getLong(far, DATA));
        assertTrue(Smp.isReturning(far, 0));
        assertEquals(0, Smp.hopPointer(far, 0));
        assertEquals(1, Smp.returnPath(far, 0, 1));
        assertEquals(2, Smp.returnPath(far, 0, 2));
        byte[] text = new byte[2];
        prober.get(SmAttribute.NODE_DESCRIPTION, 0, 1, 2, 1).mad().get(DATA, text);
        assertEquals("h2", new String(text, StandardCharsets.UTF_8));
    }

    @Test
    void shouldAnswerDirectedRequestsOfSoftwareAtSwitch() {
        Prober ofSwitch = new Prober(fabric, "s1", 0);
        assertEquals(NodeInfo.TYPE_SWITCH, NodeInfo.TYPE.get(ofSwitch.get(SmAttribute.NODE_INFO, 0).mad(), DATA));
        ManagementPacket far = ofSwitch.get(SmAttribute.NODE_INFO, 0, 2, 1);
        assertNotNull(far);
        assertEquals(NodeInfo.TYPE_CA, NodeInfo.TYPE.get(far.mad(), DATA));
    }

    @Test
    void shouldDropDirectedPacketsWithoutAWay() {
        assertNull(prober.get(SmAttribute.NODE_INFO, 0, 1, 4), "a port without cable");
        assertNull(prober.get(SmAttribute.NODE_INFO, 0, 2), "another port than the sender's");
        assertNull(prober.get(SmAttribute.NODE_INFO, 0, 1, 2, 1, 1), "through an adapter");
        assertNull(prober.get(SmAttribute.NODE_INFO, 0, 1, 0), "port 0 leads nowhere");
        assertNull(prober.get(SmAttribute.NODE_INFO, 0, 1, 99), "no such port");
        assertEquals(1, count(FabricCounter.DROP_PORT_DOWN));
    }

    @Test
    void shouldDropDirectedPacketsWithImpossibleHeaders() {
        for (int wrong = 0; wrong < 5; wrong++) {
            int which = wrong;
            assertNull(prober.directed(MadMethod.GET, SmAttribute.NODE_INFO, 0, mad -> {
                switch (which) {
                    case 0 -> mad.put(Smp.HOP_COUNT_OFFSET, (byte) 64);
                    case 1 -> mad.put(Smp.HOP_POINTER_OFFSET, (byte) 1);
                    case 2 -> Smp.setReturning(mad, 0);
                    case 3 -> mad.putShort(Smp.DR_SLID_OFFSET, (short) 7);
                    default -> mad.putShort(Smp.DR_DLID_OFFSET, (short) 7);
                }
            }, 1), "case " + which);
            assertEquals(which + 1, count(FabricCounter.DROP_BAD_DIRECTED_ROUTE));
        }
        assertNull(prober.directed(MadMethod.GET, SmAttribute.NODE_INFO, 0, mad -> mad.put(0, (byte) 2), 1));
        assertNull(prober.directed(MadMethod.GET, SmAttribute.NODE_INFO, 0, mad -> mad.put(Mad.CLASS_VERSION_OFFSET, (byte) 9), 1));
        assertEquals(2, count(FabricCounter.DROP_BAD_MAD));
    }

    @Test
    void shouldFollowSixtyThreeHops() {
        int[] path = new int[63];
        for (int i = 0; i < path.length; i++) {
            path[i] = i == 0 ? 1 : 2;
        }
        assertNotNull(prober.get(SmAttribute.NODE_INFO, 0, path), "to and fro between the switches");
    }

    @Test
    void shouldRefuseWhatAttributesDoNotOffer() {
        assertEquals(MadStatus.UNSUPPORTED_ATTRIBUTE, Prober.status(prober.set(SmAttribute.NODE_INFO, 0, mad -> { })));
        assertEquals(MadStatus.UNSUPPORTED_ATTRIBUTE, Prober.status(prober.get(0xFF90, 0)));
        assertEquals(MadStatus.UNSUPPORTED_ATTRIBUTE, Prober.status(prober.get(SmAttribute.SWITCH_INFO, 0)), "an adapter");
        assertEquals(MadStatus.UNSUPPORTED_ATTRIBUTE, Prober.status(prober.get(SmAttribute.LINEAR_FORWARDING, 0)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.PORT_INFO, 9, 1)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.LINEAR_FORWARDING, 768, 1)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.LINEAR_FORWARDING, -1, 1)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.MULTICAST_FORWARDING, 32, 1)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.MULTICAST_FORWARDING, 1 << 28, 1)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.GUID_INFO, 4)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.GUID_INFO, -1)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.PKEY_TABLE, 2)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.PKEY_TABLE, 9 << 16, 1)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.VL_ARBITRATION, 5 << 16)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.VL_ARBITRATION, 0)));
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.get(SmAttribute.SL_TO_VL_MAPPING, 9, 1)));
    }

    @Test
    void shouldKeepTheTablesThatAreWritten() {
        prober.set(SmAttribute.PKEY_TABLE, 1, mad -> PKeyBlock.set(mad, DATA, 31, 0x8007), 1, 2, 1);
        assertEquals(0x8007, PKeyBlock.get(prober.get(SmAttribute.PKEY_TABLE, 1, 1, 2, 1).mad(), DATA, 31));
        assertEquals(PKeyBlock.DEFAULT, PKeyBlock.get(prober.get(SmAttribute.PKEY_TABLE, 0, 1, 2, 1).mad(), DATA, 0));
        assertEquals(0x8007, fabric.find("h2").port(1).pkey(63));
        prober.set(SmAttribute.GUID_INFO, 0, mad -> {
            GuidBlock.set(mad, DATA, 0, 1);
            GuidBlock.set(mad, DATA, 1, 0x77);
        });
        ByteBuffer guids = prober.get(SmAttribute.GUID_INFO, 0).mad();
        assertEquals(0x100001, GuidBlock.get(guids, DATA, 0), "the first one is fixed");
        assertEquals(0x77, GuidBlock.get(guids, DATA, 1));
        prober.set(SmAttribute.SL_TO_VL_MAPPING, 1 << 8 | 2, mad -> SlToVlMapping.set(mad, DATA, 3, 5), 1);
        assertEquals(5, SlToVlMapping.get(prober.get(SmAttribute.SL_TO_VL_MAPPING, 1 << 8 | 2, 1).mad(), DATA, 3));
        assertEquals(3, SlToVlMapping.get(prober.get(SmAttribute.SL_TO_VL_MAPPING, 2 << 8 | 1, 1).mad(), DATA, 3));
        prober.set(SmAttribute.VL_ARBITRATION, 3 << 16 | 2, mad -> VlArbitrationBlock.set(mad, DATA, 0, 6, 99), 1);
        assertEquals(99, VlArbitrationBlock.weight(prober.get(SmAttribute.VL_ARBITRATION, 3 << 16 | 2, 1).mad(), DATA, 0));
        prober.set(SmAttribute.MULTICAST_FORWARDING, 31, mad -> MulticastForwardingBlock.set(mad, DATA, 31, 0b110), 1);
        FabricSwitch node = (FabricSwitch) fabric.find("s1");
        assertTrue(node.isGroupPort(Lrh.FIRST_MULTICAST_LID + 1023, 1) && node.isGroupPort(Lrh.FIRST_MULTICAST_LID + 1023, 2));
        assertFalse(node.isGroupPort(Lrh.FIRST_MULTICAST_LID + 1023, 3));
        assertFalse(node.isGroupPort(Lrh.LAST_MULTICAST_LID, 1), "beyond the table");
    }

    // ---- states of ports ----

    @Test
    void shouldBeginInitializedAndBecomeActiveStepByStep() {
        FabricPort port = fabric.find("h1").port(1);
        assertEquals(PortInfo.STATE_INIT, port.state());
        assertEquals(PortInfo.STATE_DOWN, fabric.find("h1").port(2).state(), "without cable");
        assertEquals(MadStatus.INVALID_FIELD,
            Prober.status(prober.setPort(1, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_ACTIVE))), "not from initialized");
        assertEquals(MadStatus.INVALID_FIELD,
            Prober.status(prober.setPort(1, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_INIT))), "nobody asks for that");
        prober.setPort(1, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_ARMED));
        assertEquals(PortInfo.STATE_ARMED, port.state());
        prober.setPort(1, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_ACTIVE));
        assertEquals(PortInfo.STATE_ACTIVE, port.state());
        prober.setPort(1, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_DOWN));
        assertEquals(PortInfo.STATE_INIT, port.state(), "trained again at once");
        assertEquals(PortInfo.STATE_INIT, fabric.find("s1").port(1).state(), "both ends");
    }

    @Test
    void shouldDisableAndEnableALink() {
        prober.setPort(1, info -> {
            PortInfo.STATE.set(info, DATA, PortInfo.STATE_DOWN);
            PortInfo.PHYSICAL_STATE.set(info, DATA, PortInfo.PHYSICAL_DISABLED);
        }, 1, 2);
        assertEquals(PortInfo.STATE_DOWN, fabric.find("h2").port(1).state());
        assertNull(prober.get(SmAttribute.NODE_INFO, 0, 1, 2, 1));
        prober.setPort(1, info -> {
            PortInfo.STATE.set(info, DATA, PortInfo.STATE_DOWN);
            PortInfo.PHYSICAL_STATE.set(info, DATA, PortInfo.PHYSICAL_POLLING);
        }, 1, 2);
        assertNotNull(prober.get(SmAttribute.NODE_INFO, 0, 1, 2, 1));
    }

    @Test
    void shouldChangeNothingOfAnInvalidPortInfo() {
        FabricPort port = fabric.find("h1").port(1);
        for (int wrong = 0; wrong < 5; wrong++) {
            int which = wrong;
            assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.setPort(1, info -> {
                PortInfo.LID.set(info, DATA, 8);
                switch (which) {
                    case 0 -> PortInfo.NEIGHBOR_MTU.set(info, DATA, 6);
                    case 1 -> PortInfo.OPERATIONAL_VLS.set(info, DATA, 5);
                    case 2 -> PortInfo.LINK_WIDTH_ENABLED.set(info, DATA, 0x40);
                    case 3 -> PortInfo.LID.set(info, DATA, 0xC000);
                    default -> {
                        PortInfo.LID.set(info, DATA, 9);
                        PortInfo.LMC.set(info, DATA, 1);
                    }
                }
            })), "case " + which);
            assertEquals(0, port.lid());
        }
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.setPort(0, info -> PortInfo.LMC.set(info, DATA, 1), 1)),
            "a base port 0 has one LID");
        assertEquals(MadStatus.INVALID_FIELD, Prober.status(prober.set(SmAttribute.PORT_INFO, 2, mad -> { })), "the adapter's other port");
    }

    @Test
    void shouldNegotiateWidthAndSpeed() {
        prober.setPort(1, info -> {
            PortInfo.LINK_SPEED_ENABLED.set(info, DATA, 7);
            PortInfo.LINK_WIDTH_ENABLED.set(info, DATA, PortInfo.LINK_ALL_SUPPORTED);
        }, 1, 2, 1);
        prober.setPort(1, info -> {
            PortInfo.LINK_SPEED_ENABLED.set(info, DATA, 3);
            PortInfo.LINK_WIDTH_ENABLED.set(info, DATA, 0xB);
            PortInfo.STATE.set(info, DATA, PortInfo.STATE_DOWN);
        }, 1, 2);
        ByteBuffer info = prober.get(SmAttribute.PORT_INFO, 1, 1, 2, 1).mad();
        assertEquals(2, PortInfo.LINK_SPEED_ACTIVE.get(info, DATA), "DDR");
        assertEquals(8, PortInfo.LINK_WIDTH_ACTIVE.get(info, DATA), "12x");
        assertEquals(0x1F, PortInfo.LINK_WIDTH_ENABLED.get(info, DATA));
    }

    // ---- forwarding ----

    @Test
    void shouldForwardByTheTablesOnly() {
        receiveAt("h2", 1);
        receiveAt("h3", 1);
        carry(1, 4);
        assertEquals(1, count(FabricCounter.DROP_SPOOFED_LID), "the port has no LID yet");
        bringUp();
        carry(1, 4);
        carry(1, 5);
        assertEquals(List.of(4, 5), delivered);
        carry(1, 6);
        assertEquals(1, count(FabricCounter.DROP_NO_ROUTE), "beyond the top of the table");
        prober.setRoutes(new int[] {255, 1, 0, 2, 1, 2}, 1);
        carry(1, 4);
        assertEquals(2, count(FabricCounter.DROP_NO_ROUTE), "back where it came from");
        prober.setRoutes(new int[] {255, 1, 0, 2, 2, 2}, 1);
        prober.setRoutes(new int[] {255, 2, 2, 0, 3, 3}, 1, 2);
        carry(1, 4);
        assertEquals(1, count(FabricCounter.DROP_WRONG_LID), "an adapter with another LID");
        carry(2, 4);
        assertEquals(2, count(FabricCounter.DROP_SPOOFED_LID), "somebody else's address");
        assertEquals(List.of(4, 5), delivered);
    }

    @Test
    void shouldCarryDataOnlyBetweenActivePorts() {
        receiveAt("h2", 1);
        bringUp();
        prober.setPort(1, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_DOWN), 1, 2);
        carry(1, 4);
        assertEquals(1, count(FabricCounter.DROP_PORT_DOWN));
        prober.activate(1, 1, 2);
        carry(1, 4);
        assertEquals(2, count(FabricCounter.DROP_PORT_DOWN), "the other end is initialized");
        prober.setPort(1, info -> PortInfo.STATE.set(info, DATA, PortInfo.STATE_ARMED), 1, 2, 1);
        carry(1, 4);
        assertEquals(List.of(4), delivered);
        assertTrue(fabric.find("h2").port(1).isActive(), "by the first packet");
    }

    @Test
    void shouldDropInLoopsOfTheTables() {
        // A triangle in which each switch sends LID 9 on to the next one.
        Fabric ring = new Fabric(Topologies.ring(3, 1), new SplittableRandom(1), new FabricObserver() { });
        Prober at = new Prober(ring, "h1", 1);
        at.setLid(1);
        at.activate(1);
        at.activate(3, 1);
        int[][] ways = {{1}, {1, 1}, {1, 2}};
        for (int[] way : ways) {
            at.activate(1, way);
            at.activate(2, way);
            int next = way.length == 1 ? 1 : 2;
            at.setRoutes(new int[] {255, 255, 255, 255, 255, 255, 255, 255, 255, next}, way);
        }
        ring.carry(ring.find("h1").port(1), packet(1, 9), 0, DATA_BYTES, 0);
        assertEquals(1, ring.counters().get(FabricCounter.DROP_LOOP), ring.counters().toMap().toString());
    }

    @Test
    void shouldSendOneCopyToEachMemberOfAGroup() {
        receiveAt("h2", 1);
        receiveAt("h3", 1);
        bringUp();
        prober.set(SmAttribute.MULTICAST_FORWARDING, 0, mad -> MulticastForwardingBlock.set(mad, DATA, 1, 0b0110), 1);
        prober.set(SmAttribute.MULTICAST_FORWARDING, 0, mad -> MulticastForwardingBlock.set(mad, DATA, 1, 0b1110), 1, 2);
        carry(1, Lrh.FIRST_MULTICAST_LID + 1);
        assertEquals(List.of(4, 5), delivered);
        carry(1, Lrh.FIRST_MULTICAST_LID);
        assertEquals(1, count(FabricCounter.DROP_NO_ROUTE), "no such group");
    }

    @Test
    void shouldBoundTheCopiesOfALoopingGroup() {
        Fabric torus = new Fabric(Topologies.torus(3, 3, 1), new SplittableRandom(1), new FabricObserver() { });
        Prober at = new Prober(torus, "h1", 1);
        at.setLid(1);
        for (FabricNode node : torus.nodes()) {
            for (int i = 1; i <= node.ports(); i++) {
                PortInfo.STATE.set(node.port(i).info(), 0, PortInfo.STATE_ACTIVE);
                node.port(i).refresh();
            }
            if (node instanceof FabricSwitch each) {
                ByteBuffer all = ByteBuffer.allocate(Smp.DATA_LENGTH);
                MulticastForwardingBlock.set(all, 0, 0, 0xFFFF);
                each.setMulticastBlock(0, 0, all, 0);
            }
        }
        torus.carry(torus.find("h1").port(1), packet(1, Lrh.FIRST_MULTICAST_LID), 0, DATA_BYTES, 0);
        assertTrue(torus.counters().get(FabricCounter.DROP_TOO_MANY_COPIES) > 0);
    }

    @Test
    void shouldDropMalformedPackets() {
        bringUp();
        FabricPort port = fabric.find("h1").port(1);
        ByteBuffer good = packet(1, 4);
        for (int length = 0; length < DATA_BYTES; length++) {
            fabric.carry(port, good, 0, length, 0);
        }
        good.put(0, (byte) 1);
        fabric.carry(port, good, 0, DATA_BYTES, 0);
        assertEquals(DATA_BYTES + 1, count(FabricCounter.DROP_MALFORMED));
    }

    @Test
    void shouldHonourMtuServiceLevelAndPartitionsOfSwitches() {
        receiveAt("h2", 1);
        bringUp();
        prober.set(SmAttribute.SL_TO_VL_MAPPING, 1 << 8 | 2, mad -> SlToVlMapping.set(mad, DATA, 0, SlToVlMapping.DROP), 1);
        carry(1, 4);
        assertEquals(1, count(FabricCounter.DROP_SERVICE_LEVEL));
        prober.set(SmAttribute.SL_TO_VL_MAPPING, 1 << 8 | 2, mad -> SlToVlMapping.set(mad, DATA, 0, 0), 1);
        prober.set(SmAttribute.PKEY_TABLE, 2 << 16, mad -> PKeyBlock.set(mad, DATA, 0, 0x8001), 1);
        prober.setPort(2, info -> PortInfo.PARTITION_ENFORCEMENT_OUTBOUND.set(info, DATA, 1), 1);
        carry(1, 4);
        assertEquals(1, count(FabricCounter.DROP_PARTITION));
        prober.set(SmAttribute.PKEY_TABLE, 2 << 16, mad -> PKeyBlock.set(mad, DATA, 0, 0x7FFF), 1);
        carry(1, 4);
        prober.setPort(1, info -> PortInfo.NEIGHBOR_MTU.set(info, DATA, 1), 1, 2);
        int bytes = 256 + 128;
        ByteBuffer longer = ByteBuffer.allocate(bytes);
        Lrh.put(longer, 0, 0, 0, Lrh.NEXT_BTH, 4, bytes, 1);
        Bth.put(longer, Lrh.LENGTH, Opcode.RC_SEND_ONLY, false, 0, PKeyBlock.DEFAULT, 0x11, false, 0);
        fabric.carry(fabric.find("h1").port(1), longer, 0, bytes, 0);
        assertEquals(1, count(FabricCounter.DROP_TOO_LONG));
        assertEquals(List.of(4), delivered);
    }

    @Test
    void shouldRouteManagementByLid() {
        bringUp();
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(mad, 0, MadMethod.GET, SmAttribute.NODE_INFO, 0, 7, 0);
        assertTrue(fabric.send(prober.port, ManagementPacket.lidRouted(0, 3, mad), 0));
        ManagementPacket answer = prober.received.remove();
        assertEquals(3, answer.slid());
        assertEquals(1, answer.dlid());
        assertEquals(0, NodeInfo.LOCAL_PORT.get(answer.mad(), DATA), "routed to the switch itself");
        assertFalse(fabric.send(prober.port, ManagementPacket.lidRouted(0, 6, mad), 0), "nobody's LID");
    }

    // ---- performance management ----

    private ByteBuffer performance(int method, int attribute, int lid, int select, int counters) {
        ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
        Mad.put(mad, 0, PerformanceMad.CLASS, PerformanceMad.CLASS_VERSION, method, 3, attribute);
        PerformanceMad.PORT_SELECT.set(mad, PerformanceMad.DATA_OFFSET, select);
        PerformanceMad.COUNTER_SELECT.set(mad, PerformanceMad.DATA_OFFSET, counters);
        fabric.send(prober.port, ManagementPacket.general(0, lid, mad), 0);
        return prober.received.remove().mad();
    }

    @Test
    void shouldCountTrafficAndErrorsOfPorts() {
        receiveAt("h2", 1);
        bringUp();
        int data = PerformanceMad.DATA_OFFSET;
        performance(MadMethod.SET, PerformanceMad.PORT_COUNTERS, 3, PerformanceMad.ALL_PORTS, 0xFFFF);
        for (int i = 0; i < 10; i++) {
            carry(1, 4);
        }
        carry(1, 6);
        // One request by port 2 before, and its answer; this one is counted before it is executed.
        ByteBuffer in = performance(MadMethod.GET, PerformanceMad.PORT_COUNTERS, 3, 2, 0);
        assertEquals(0, Mad.status(in, 0));
        assertEquals(11, PortCounters.RCV_PACKETS.get(in, data));
        assertEquals(1, PortCounters.XMIT_PACKETS.get(in, data));
        assertEquals(10 * DATA_BYTES / 4 + Crossing.MANAGEMENT_BYTES / 4, PortCounters.RCV_DATA.get(in, data));
        ByteBuffer out = performance(MadMethod.GET, PerformanceMad.PORT_COUNTERS_EXTENDED, 3, 1, 0);
        assertEquals(10, PortCountersExtended.XMIT_PACKETS.getLong(out, data));
        assertEquals(10, PortCountersExtended.UNICAST_XMIT_PACKETS.getLong(out, data));
        ByteBuffer relay = performance(MadMethod.GET, PerformanceMad.PORT_COUNTERS, 2, 1, 0);
        assertEquals(1, PortCounters.RCV_SWITCH_RELAY_ERRORS.get(relay, data), "the LID without route, at the first switch");
        assertEquals(MadStatus.INVALID_FIELD, Mad.status(performance(MadMethod.GET, PerformanceMad.PORT_COUNTERS, 3, 9, 0), 0));
        assertEquals(MadStatus.INVALID_FIELD, Mad.status(performance(MadMethod.GET, PerformanceMad.PORT_COUNTERS, 4, 2, 0), 0));
        assertEquals(MadStatus.UNSUPPORTED_METHOD, Mad.status(performance(MadMethod.DELETE, PerformanceMad.PORT_COUNTERS, 3, 1, 0), 0));
        assertEquals(MadStatus.UNSUPPORTED_ATTRIBUTE, Mad.status(performance(MadMethod.GET, 0x10, 3, 1, 0), 0));
    }

    @Test
    void shouldStopCountersAtTheirGreatestValue() {
        bringUp();
        fabric.find("h1").port(1).traffic().xmitDiscards = 100_000;
        ByteBuffer read = performance(MadMethod.GET, PerformanceMad.PORT_COUNTERS, 1, 1, 0);
        assertEquals(0xFFFF, PortCounters.XMIT_DISCARDS.get(read, PerformanceMad.DATA_OFFSET));
    }

    // ---- keys ----

    @Test
    void shouldProtectRegistersByTheMkey() {
        prober.setPort(1, info -> {
            PortInfo.MKEY.set(info, DATA, 0x1234);
            PortInfo.MKEY_PROTECT.set(info, DATA, 1);
        });
        assertNull(prober.set(SmAttribute.PORT_INFO, 1, mad -> { }), "a Set without the key");
        assertEquals(1, count(FabricCounter.DROP_BAD_MKEY));
        ByteBuffer read = prober.get(SmAttribute.PORT_INFO, 1).mad();
        assertEquals(0, PortInfo.MKEY.getLong(read, DATA), "hidden");
        assertEquals(1, PortInfo.MKEY_VIOLATIONS.get(read, DATA));
        prober.mkey = 0x1234;
        assertEquals(0x1234, PortInfo.MKEY.getLong(prober.get(SmAttribute.PORT_INFO, 1).mad(), DATA));
        prober.setPort(1, info -> PortInfo.MKEY_PROTECT.set(info, DATA, 2));
        prober.mkey = 0x4321;
        assertNull(prober.get(SmAttribute.NODE_INFO, 0), "not even a Get");
        assertNotNull(prober.get(SmAttribute.NODE_INFO, 0, 1), "other nodes have other keys");
    }

    @Test
    void shouldEndProtectionWithTheLease() {
        prober.setPort(1, info -> {
            PortInfo.MKEY.set(info, DATA, 0x1234);
            PortInfo.MKEY_PROTECT.set(info, DATA, 2);
            PortInfo.MKEY_LEASE_PERIOD.set(info, DATA, 10);
        });
        assertNull(prober.get(SmAttribute.PORT_INFO, 1), "begins the lease");
        prober.nowNs = 9 * SECOND;
        assertNull(prober.get(SmAttribute.PORT_INFO, 1));
        prober.nowNs = 10 * SECOND;
        assertEquals(0x1234, PortInfo.MKEY.getLong(prober.get(SmAttribute.PORT_INFO, 1).mad(), DATA), "anybody may read the key now");
        assertNull(prober.set(SmAttribute.PORT_INFO, 1, mad -> { }), "and with it, write");
    }

    // ---- traps ----

    @Test
    void shouldReportChangesOfLinksUntilRepressed() {
        bringUp();
        Cable cable = fabric.find("h3").port(1).cable();
        fabric.pull(cable, SECOND);
        ManagementPacket trap = prober.traps.remove();
        assertEquals(Notice.TRAP_LINK_STATE, Notice.TRAP.get(trap.mad(), DATA));
        assertEquals(3, Notice.LID.get(trap.mad(), DATA));
        assertEquals(3, Notice.ISSUER_LID.get(trap.mad(), DATA));
        assertTrue(SwitchInfo.PORT_STATE_CHANGE.isSet(prober.get(SmAttribute.SWITCH_INFO, 0, 1, 2).mad(), DATA));
        assertTrue(prober.traps.isEmpty());
        long dueNs = fabric.deadlineNs();
        fabric.onTime(dueNs - 1);
        assertTrue(prober.traps.isEmpty());
        fabric.onTime(dueNs);
        ManagementPacket again = prober.traps.remove();
        assertEquals(trap.transactionId(), again.transactionId());
        ByteBuffer repress = ManagementPacket.copyOf(again.mad());
        repress.put(Mad.METHOD_OFFSET, (byte) MadMethod.TRAP_REPRESS);
        fabric.send(prober.port, again.reply(repress), dueNs);
        fabric.onTime(dueNs + 100 * SECOND);
        assertTrue(prober.traps.isEmpty());
        prober.set(SmAttribute.SWITCH_INFO, 0, mad -> {
            SwitchInfo.LINEAR_TOP.set(mad, DATA, 5);
            SwitchInfo.PORT_STATE_CHANGE.set(mad, DATA, 1);
        }, 1, 2);
        assertFalse(SwitchInfo.PORT_STATE_CHANGE.isSet(prober.get(SmAttribute.SWITCH_INFO, 0, 1, 2).mad(), DATA));
    }

    @Test
    void shouldReportWrongKeysAndNewManagers() {
        bringUp();
        prober.setPort(1, info -> PortInfo.MKEY.set(info, DATA, 5), 1, 2, 1);
        assertNull(prober.set(SmAttribute.PORT_INFO, 1, mad -> Smp.setMkey(mad, 0, 6), 1, 2, 1));
        ByteBuffer bad = prober.traps.remove().mad();
        assertEquals(Notice.TRAP_BAD_MKEY, Notice.TRAP.get(bad, DATA));
        assertEquals(4, Notice.ISSUER_LID.get(bad, DATA));
        assertEquals(6, Notice.MKEY.getLong(bad, DATA));
        assertEquals(MadMethod.SET, Notice.MKEY_METHOD.get(bad, DATA));
        assertEquals(SmAttribute.PORT_INFO, Notice.MKEY_ATTRIBUTE.get(bad, DATA));
        assertTrue(Notice.MKEY_DIRECTED.isSet(bad, DATA));
        fabric.setManager(fabric.find("h3").port(1), true, 0);
        ManagementPacket trap = prober.traps.remove();
        assertEquals(Notice.TRAP_CAPABILITY_MASK, Notice.TRAP.get(trap.mad(), DATA));
        assertEquals(5, Notice.CAPABILITY_LID.get(trap.mad(), DATA));
        assertTrue((Notice.CAPABILITY_MASK.get(trap.mad(), DATA) & PortInfo.CAP_SM) != 0);
    }

    // ---- accidents ----

    @Test
    void shouldLosePacketsOfABadCable() {
        receiveAt("h2", 1);
        bringUp();
        fabric.setLoss(fabric.find("h2").port(1).cable(), 0.5);
        for (int i = 0; i < 1000; i++) {
            carry(1, 4);
        }
        assertEquals(1000, delivered.size() + count(FabricCounter.DROP_CABLE_LOSS));
        assertTrue(delivered.size() > 400 && delivered.size() < 600, "got " + delivered.size());
    }

    @Test
    void shouldForgetEverythingWithoutPower() {
        bringUp();
        fabric.powerCycle(fabric.find("s2"), SECOND);
        FabricSwitch node = (FabricSwitch) fabric.find("s2");
        assertEquals(0, node.port(0).lid());
        assertEquals(255, node.outputPort(4));
        assertEquals(PortInfo.STATE_INIT, node.port(2).state());
        assertEquals(PortInfo.STATE_INIT, fabric.find("s1").port(2).state());
        assertEquals(PortInfo.STATE_ACTIVE, fabric.find("h1").port(1).state(), "not its neighbour's neighbours");
        assertNotNull(prober.get(SmAttribute.NODE_INFO, 0, 1, 2), "and it is there again");
    }

    @Test
    void shouldBringALinkUpAgainWithItsCable() {
        bringUp();
        Cable cable = fabric.find("h2").port(1).cable();
        fabric.pull(cable, 0);
        assertEquals(PortInfo.STATE_DOWN, fabric.find("h2").port(1).state());
        assertNull(fabric.find("h2").port(1).peer());
        fabric.pull(cable, 0);
        fabric.plug(cable, 0);
        assertEquals(PortInfo.STATE_INIT, fabric.find("h2").port(1).state());
        assertEquals(4, fabric.find("h2").port(1).lid(), "which an adapter keeps");
    }

    @Test
    void shouldAnswerForAManagerThatIsNotThere() {
        ManagementPacket none = prober.get(SmAttribute.SM_INFO, 0, 1, 2, 1);
        assertEquals(MadStatus.UNSUPPORTED_ATTRIBUTE, Prober.status(none));
    }
}
