// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Icrc;

/** Captured datagrams, compared field by field with what the tools printed of them, and packets of the specification. */
class IbGoldenTest {
    private static final int AT = IbCaptures.MAD_AT;
    private static final int SMP_DATA = AT + Smp.DATA_OFFSET;
    private static final int SA_DATA = AT + SaMad.DATA_OFFSET;

    private static ByteBuffer smp(int attribute, int modifier, Predicate<ByteBuffer> which) {
        return IbCaptures.response(Smp.CLASS_LID_ROUTED, MadMethod.GET_RESPONSE, attribute,
            b -> Mad.modifier(b, AT) == modifier && which.test(b));
    }

    private static ByteBuffer table(int attribute) {
        return IbCaptures.response(SaMad.CLASS, MadMethod.GET_TABLE_RESPONSE, attribute, b -> true);
    }

    @Test
    void shouldReadNodeInfoAsSmpqueryPrintsIt() {
        ByteBuffer b = smp(SmAttribute.NODE_INFO, 0, each -> NodeInfo.TYPE.get(each, SMP_DATA) == NodeInfo.TYPE_CA);
        assertEquals(1, NodeInfo.BASE_VERSION.get(b, SMP_DATA));
        assertEquals(1, NodeInfo.CLASS_VERSION.get(b, SMP_DATA));
        assertEquals(2, NodeInfo.PORTS.get(b, SMP_DATA));
        assertEquals(0x100000, NodeInfo.SYSTEM_GUID.getLong(b, SMP_DATA));
        assertEquals(0x100000, NodeInfo.NODE_GUID.getLong(b, SMP_DATA));
        assertEquals(0x100001, NodeInfo.PORT_GUID.getLong(b, SMP_DATA));
        assertEquals(64, NodeInfo.PARTITION_CAP.get(b, SMP_DATA));
        assertEquals(0, NodeInfo.DEVICE_ID.get(b, SMP_DATA));
        assertEquals(0xa1, NodeInfo.REVISION.get(b, SMP_DATA));
        assertEquals(1, NodeInfo.LOCAL_PORT.get(b, SMP_DATA));
        assertEquals(0, NodeInfo.VENDOR_ID.get(b, SMP_DATA));
    }

    @Test
    void shouldReadSwitchInfoAsSmpqueryPrintsIt() {
        ByteBuffer b = smp(SmAttribute.SWITCH_INFO, 0, each -> true);
        assertEquals(30720, SwitchInfo.LINEAR_CAP.get(b, SMP_DATA));
        assertEquals(0, SwitchInfo.RANDOM_CAP.get(b, SMP_DATA));
        assertEquals(1024, SwitchInfo.MULTICAST_CAP.get(b, SMP_DATA));
        assertEquals(6, SwitchInfo.LINEAR_TOP.get(b, SMP_DATA));
        assertEquals(18, SwitchInfo.LIFE_TIME.get(b, SMP_DATA));
        assertFalse(SwitchInfo.PORT_STATE_CHANGE.isSet(b, SMP_DATA));
        assertEquals(64, SwitchInfo.PARTITION_ENFORCEMENT_CAP.get(b, SMP_DATA));
        assertFalse(SwitchInfo.INBOUND_ENFORCEMENT_CAP.isSet(b, SMP_DATA));
        assertTrue(SwitchInfo.FILTER_RAW_INBOUND_CAP.isSet(b, SMP_DATA));
        assertTrue(SwitchInfo.FILTER_RAW_OUTBOUND_CAP.isSet(b, SMP_DATA));
        assertFalse(SwitchInfo.ENHANCED_PORT_0.isSet(b, SMP_DATA));
    }

    @Test
    void shouldReadPortInfoAsSmpqueryPrintsIt() {
        ByteBuffer b = smp(SmAttribute.PORT_INFO, 1, each -> PortInfo.LID.get(each, SMP_DATA) == 1);
        assertEquals(0xfe80000000000000L, PortInfo.GID_PREFIX.getLong(b, SMP_DATA));
        assertEquals(1, PortInfo.SM_LID.get(b, SMP_DATA));
        assertEquals(0x50c04a, PortInfo.CAPABILITY_MASK.get(b, SMP_DATA));
        assertEquals(4089, PortInfo.MKEY_LEASE_PERIOD.get(b, SMP_DATA));
        assertEquals(1, PortInfo.LOCAL_PORT.get(b, SMP_DATA));
        assertEquals(2, PortInfo.LINK_WIDTH_ENABLED.get(b, SMP_DATA));
        assertEquals(0x1f, PortInfo.LINK_WIDTH_SUPPORTED.get(b, SMP_DATA));
        assertEquals(2, PortInfo.LINK_WIDTH_ACTIVE.get(b, SMP_DATA));
        assertEquals(7, PortInfo.LINK_SPEED_SUPPORTED.get(b, SMP_DATA));
        assertEquals(PortInfo.STATE_ACTIVE, PortInfo.STATE.get(b, SMP_DATA));
        assertEquals(PortInfo.PHYSICAL_LINK_UP, PortInfo.PHYSICAL_STATE.get(b, SMP_DATA));
        assertEquals(PortInfo.PHYSICAL_POLLING, PortInfo.LINK_DOWN_DEFAULT_STATE.get(b, SMP_DATA));
        assertEquals(0, PortInfo.LMC.get(b, SMP_DATA));
        assertEquals(1, PortInfo.LINK_SPEED_ACTIVE.get(b, SMP_DATA));
        assertEquals(1, PortInfo.LINK_SPEED_ENABLED.get(b, SMP_DATA));
        assertEquals(4, PortInfo.NEIGHBOR_MTU.get(b, SMP_DATA));
        assertEquals(4, PortInfo.VL_CAP.get(b, SMP_DATA));
        assertEquals(8, PortInfo.VL_ARBITRATION_HIGH_CAP.get(b, SMP_DATA));
        assertEquals(8, PortInfo.VL_ARBITRATION_LOW_CAP.get(b, SMP_DATA));
        assertEquals(4, PortInfo.MTU_CAP.get(b, SMP_DATA));
        assertEquals(7, PortInfo.VL_STALL_COUNT.get(b, SMP_DATA));
        assertEquals(0, PortInfo.HOQ_LIFE.get(b, SMP_DATA));
        assertEquals(4, PortInfo.OPERATIONAL_VLS.get(b, SMP_DATA));
        assertEquals(32, PortInfo.GUID_CAP.get(b, SMP_DATA));
        assertFalse(PortInfo.CLIENT_REREGISTER.isSet(b, SMP_DATA));
        assertEquals(31, PortInfo.SUBNET_TIMEOUT.get(b, SMP_DATA));
        assertEquals(0x30, PortInfo.CAPABILITY_MASK_2.get(b, SMP_DATA));
    }

    @Test
    void shouldReadSmInfoAsSminfoPrintsIt() {
        ByteBuffer b = smp(SmAttribute.SM_INFO, 0, each -> true);
        assertEquals(0x100001, SmInfo.GUID.getLong(b, SMP_DATA));
        assertEquals(0, SmInfo.PRIORITY.get(b, SMP_DATA));
        assertEquals(SmInfo.STATE_MASTER, SmInfo.STATE.get(b, SMP_DATA));
        assertTrue(SmInfo.ACTIVITY_COUNT.get(b, SMP_DATA) > 100);
    }

    @Test
    void shouldReadTheTablesAsSmpqueryAndIbroutePrintThem() {
        ByteBuffer pkeys = smp(SmAttribute.PKEY_TABLE, 1 << 16, each -> true);
        assertEquals(PKeyBlock.DEFAULT, PKeyBlock.get(pkeys, SMP_DATA, 0));
        assertEquals(0x8001, PKeyBlock.get(pkeys, SMP_DATA, 1));
        assertEquals(0, PKeyBlock.get(pkeys, SMP_DATA, 2));

        ByteBuffer mapping = smp(SmAttribute.SL_TO_VL_MAPPING, 0, each -> true);
        for (int sl = 0; sl < SlToVlMapping.ENTRIES; sl++) {
            assertEquals(sl == 15 ? 7 : sl, SlToVlMapping.get(mapping, SMP_DATA, sl));
        }

        ByteBuffer low = smp(SmAttribute.VL_ARBITRATION, 1 << 16 | 1, each -> true);
        ByteBuffer high = smp(SmAttribute.VL_ARBITRATION, 3 << 16 | 1, each -> true);
        for (int i = 0; i < 8; i++) {
            assertEquals(i, VlArbitrationBlock.vl(low, SMP_DATA, i));
            assertEquals(i == 0 ? 0 : 4, VlArbitrationBlock.weight(low, SMP_DATA, i));
            assertEquals(i == 0 ? 4 : 0, VlArbitrationBlock.weight(high, SMP_DATA, i));
        }

        ByteBuffer forwarding = smp(SmAttribute.LINEAR_FORWARDING, 0, each -> LinearForwardingBlock.get(each, SMP_DATA, 2) == 0);
        int[] ports = {255, 1, 0, 3, 3, 2, 5, 255};
        for (int lid = 0; lid < ports.length; lid++) {
            assertEquals(ports[lid], LinearForwardingBlock.get(forwarding, SMP_DATA, lid), "LID " + lid);
        }
    }

    @Test
    void shouldReadATrapOfASwitch() {
        ByteBuffer b = IbCaptures.response(Smp.CLASS_LID_ROUTED, MadMethod.TRAP_REPRESS, SmAttribute.NOTICE, each -> true);
        assertTrue(Notice.GENERIC.isSet(b, SMP_DATA));
        assertEquals(Notice.TYPE_URGENT, Notice.TYPE.get(b, SMP_DATA));
        assertEquals(NodeInfo.TYPE_SWITCH, Notice.PRODUCER.get(b, SMP_DATA));
        assertEquals(Notice.TRAP_LINK_STATE, Notice.TRAP.get(b, SMP_DATA));
        assertEquals(2, Notice.ISSUER_LID.get(b, SMP_DATA));
        assertEquals(2, Notice.LID.get(b, SMP_DATA));
    }

    @Test
    void shouldReadDirectedRequestsOfOpensm() {
        ByteBuffer b = IbCaptures.response(Smp.CLASS_DIRECTED, MadMethod.SET, SmAttribute.PORT_INFO,
            each -> PortInfo.SM_LID.get(each, SMP_DATA) == 1);
        assertEquals(0, Smp.hopPointer(b, AT));
        assertFalse(Smp.isReturning(b, AT));
        assertEquals(Lrh.PERMISSIVE_LID, Smp.drSlid(b, AT));
        assertEquals(Lrh.PERMISSIVE_LID, Smp.drDlid(b, AT));
        assertEquals(0, Smp.mkey(b, AT));
        ByteBuffer far = IbCaptures.response(Smp.CLASS_DIRECTED, MadMethod.SET, SmAttribute.LINEAR_FORWARDING,
            each -> Smp.hopCount(each, AT) == 2);
        assertEquals(1, Smp.initialPath(far, AT, 1));
        assertTrue(Smp.initialPath(far, AT, 2) == 3 || Smp.initialPath(far, AT, 2) == 5, "one of the cables between the switches");
    }

    @Test
    void shouldWriteDirectedRequestsAsOthersDo() {
        for (ByteBuffer b : IbCaptures.all()) {
            int method = Mad.method(b, AT);
            if (Mad.managementClass(b, AT) == Smp.CLASS_DIRECTED && !MadMethod.isResponse(method)) {
                byte[] path = new byte[Smp.hopCount(b, AT) + 1];
                b.get(AT + Smp.INITIAL_PATH_OFFSET, path);
                ByteBuffer own = Bytes.filled(AT + Mad.LENGTH);
                Smp.beginDirected(own, AT, method, Mad.attribute(b, AT), Mad.modifier(b, AT), Mad.transactionId(b, AT), Smp.mkey(b, AT),
                    path);
                own.put(SMP_DATA, b, SMP_DATA, Smp.DATA_LENGTH);
                // Some of the tools leave garbage behind the path.
                int used = Smp.INITIAL_PATH_OFFSET + path.length;
                assertEquals(Bytes.text(b, AT, used), Bytes.text(own, AT, used));
            }
        }
    }

    @Test
    void shouldReadRecordsAsSaqueryPrintsThem() {
        ByteBuffer nodes = table(SaAttribute.NODE_RECORD);
        assertEquals(SaMad.stride(NodeRecord.LENGTH), SaMad.ATTRIBUTE_OFFSET.get(nodes, AT) * SaMad.OFFSET_UNIT);
        assertEquals(1, NodeRecord.LID.get(nodes, SA_DATA));
        assertEquals(0x100001, NodeInfo.PORT_GUID.getLong(nodes, SA_DATA + NodeRecord.NODE_INFO_OFFSET));
        assertEquals("48636131", Bytes.text(nodes, SA_DATA + NodeRecord.DESCRIPTION_OFFSET, 4));

        ByteBuffer ports = table(SaAttribute.PORT_INFO_RECORD);
        assertEquals(SaMad.stride(PortInfoRecord.LENGTH), SaMad.ATTRIBUTE_OFFSET.get(ports, AT) * SaMad.OFFSET_UNIT);
        assertEquals(1, PortInfoRecord.LID.get(ports, SA_DATA));
        assertEquals(1, PortInfoRecord.PORT.get(ports, SA_DATA));
        assertEquals(0x50c04a, PortInfoRecord.CAPABILITY_MASK.get(ports, SA_DATA));

        ByteBuffer guids = table(SaAttribute.GUID_INFO_RECORD);
        assertEquals(1, TableRecord.LID.get(guids, SA_DATA));
        assertEquals(0x100001, GuidBlock.get(guids, SA_DATA + TableRecord.BLOCK_OFFSET, 0));
        assertEquals(SaMad.stride(TableRecord.LENGTH), SaMad.ATTRIBUTE_OFFSET.get(guids, AT) * SaMad.OFFSET_UNIT);

        ByteBuffer links = table(SaAttribute.LINK_RECORD);
        assertEquals(SaMad.stride(LinkRecord.LENGTH), SaMad.ATTRIBUTE_OFFSET.get(links, AT) * SaMad.OFFSET_UNIT);
        int second = SA_DATA + SaMad.stride(LinkRecord.LENGTH);
        assertEquals(2, LinkRecord.FROM_LID.get(links, second));
        assertEquals(1, LinkRecord.FROM_PORT.get(links, second));
        assertEquals(1, LinkRecord.TO_PORT.get(links, second));
        assertEquals(1, LinkRecord.TO_LID.get(links, second));

        ByteBuffer managers = table(SaAttribute.SM_INFO_RECORD);
        assertEquals(SaMad.stride(SmInfoRecord.LENGTH), SaMad.ATTRIBUTE_OFFSET.get(managers, AT) * SaMad.OFFSET_UNIT);
        assertEquals(0x100001, SmInfo.GUID.getLong(managers, SA_DATA + SmInfoRecord.SM_INFO_OFFSET));
        assertEquals(SmInfo.STATE_MASTER, SmInfo.STATE.get(managers, SA_DATA + SmInfoRecord.SM_INFO_OFFSET));

        ByteBuffer tables = table(SaAttribute.LINEAR_FORWARDING_RECORD);
        assertEquals(2, TableRecord.LID.get(tables, SA_DATA));
        assertEquals(5, LinearForwardingBlock.get(tables, SA_DATA + TableRecord.BLOCK_OFFSET, 6));
    }

    @Test
    void shouldReadThePathRecordThatSaqueryPrints() {
        ByteBuffer b = IbCaptures.response(SaMad.CLASS, MadMethod.GET_TABLE_RESPONSE, SaAttribute.PATH_RECORD,
            each -> PathRecord.SLID.get(each, SA_DATA) == 1 && PathRecord.DLID.get(each, SA_DATA) == 4);
        assertEquals(SaMad.stride(PathRecord.LENGTH), SaMad.ATTRIBUTE_OFFSET.get(b, AT) * SaMad.OFFSET_UNIT);
        assertEquals(0, PathRecord.SERVICE_ID.getLong(b, SA_DATA));
        assertEquals(0xfe80000000000000L, PathRecord.DGID_HIGH.getLong(b, SA_DATA));
        assertEquals(0x100004, PathRecord.DGID_LOW.getLong(b, SA_DATA));
        assertEquals(0x100001, PathRecord.SGID_LOW.getLong(b, SA_DATA));
        assertEquals(0, PathRecord.HOP_LIMIT.get(b, SA_DATA));
        assertEquals(1, PathRecord.REVERSIBLE.get(b, SA_DATA));
        assertEquals(0, PathRecord.NUMBER_OF_PATHS.get(b, SA_DATA));
        assertEquals(0x8001, PathRecord.PKEY.get(b, SA_DATA));
        assertEquals(PathRecord.EXACTLY, PathRecord.MTU_SELECTOR.get(b, SA_DATA));
        assertEquals(4, PathRecord.MTU.get(b, SA_DATA));
        assertEquals(IbRate.GBPS_10, PathRecord.RATE.get(b, SA_DATA));
        assertEquals(0x12, PathRecord.LIFE_TIME.get(b, SA_DATA));
    }

    @Test
    void shouldReadTheGroupsThatSaqueryPrints() {
        ByteBuffer b = table(SaAttribute.MC_MEMBER_RECORD);
        assertEquals(SaMad.stride(McMemberRecord.LENGTH), SaMad.ATTRIBUTE_OFFSET.get(b, AT) * SaMad.OFFSET_UNIT);
        assertEquals(0xff12401b80010000L, McMemberRecord.MGID_HIGH.getLong(b, SA_DATA));
        assertEquals(0xffffffffL, McMemberRecord.MGID_LOW.getLong(b, SA_DATA));
        assertEquals(0xc001, McMemberRecord.MLID.get(b, SA_DATA));
        assertEquals(0x84, McMemberRecord.MTU_SELECTOR.get(b, SA_DATA) << 6 | McMemberRecord.MTU.get(b, SA_DATA));
        assertEquals(0x83, McMemberRecord.RATE_SELECTOR.get(b, SA_DATA) << 6 | McMemberRecord.RATE.get(b, SA_DATA));
        assertEquals(0x8001, McMemberRecord.PKEY.get(b, SA_DATA));
        assertEquals(0, McMemberRecord.SERVICE_LEVEL.get(b, SA_DATA));
        assertEquals(2, McMemberRecord.SCOPE.get(b, SA_DATA));
        assertEquals(0xb1b, McMemberRecord.QKEY.get(b, SA_DATA));
    }

    @Test
    void shouldReadAndWriteRmppHeaders() {
        ByteBuffer b = table(SaAttribute.LINK_RECORD);
        assertTrue(Rmpp.isActive(b, AT));
        assertEquals(Rmpp.TYPE_NONE, Rmpp.TYPE.get(b, AT), "the kernel makes segments, which ibsim does without");
        ByteBuffer own = Bytes.filled(AT + Mad.LENGTH);
        Rmpp.put(own, AT, Rmpp.TYPE_DATA, Rmpp.FLAG_ACTIVE | Rmpp.FLAG_FIRST, Rmpp.STATUS_NORMAL, 1, 4096);
        assertEquals("0101fb00" + "00000001" + "00001000", Bytes.text(own, AT + 24, 12));
        assertTrue(Rmpp.isActive(own, AT) && Rmpp.has(own, AT, Rmpp.FLAG_FIRST) && !Rmpp.has(own, AT, Rmpp.FLAG_LAST));
        assertEquals(Rmpp.NO_RESPONSE_TIME, Rmpp.RESPONSE_TIME.get(own, AT));
    }

    @Test
    void shouldReadTheCountersThatPerfqueryPrints() {
        int data = AT + PerformanceMad.DATA_OFFSET;
        ByteBuffer b = IbCaptures.response(PerformanceMad.CLASS, MadMethod.GET_RESPONSE, PerformanceMad.PORT_COUNTERS, each -> true);
        assertEquals(1, PerformanceMad.PORT_SELECT.get(b, data));
        int packets = PortCounters.XMIT_PACKETS.get(b, data);
        assertTrue(packets > 100);
        assertEquals(72L * packets, PortCounters.XMIT_DATA.getLong(b, data), "ibsim counts 72 words for each datagram");
        ByteBuffer wide = IbCaptures.response(PerformanceMad.CLASS, MadMethod.GET_RESPONSE, PerformanceMad.PORT_COUNTERS_EXTENDED,
            each -> true);
        assertEquals(72 * PortCountersExtended.RCV_PACKETS.getLong(wide, data), PortCountersExtended.RCV_DATA.getLong(wide, data));
        ByteBuffer abilities = IbCaptures.response(PerformanceMad.CLASS, MadMethod.GET_RESPONSE, ClassPortInfo.ATTRIBUTE, each -> true);
        assertEquals(PerformanceMad.CAP_EXTENDED_WIDTH | PerformanceMad.CAP_XMIT_WAIT,
            ClassPortInfo.CAPABILITY_MASK.get(abilities, data));
        ByteBuffer administration = IbCaptures.response(SaMad.CLASS, MadMethod.GET_RESPONSE, ClassPortInfo.ATTRIBUTE, each -> true);
        assertEquals(0x2602, ClassPortInfo.CAPABILITY_MASK.get(administration, SA_DATA));
        assertEquals(0xb5e8, ClassPortInfo.CAPABILITY_MASK_2.get(administration, SA_DATA));
        assertEquals(0x10, ClassPortInfo.RESPONSE_TIME.get(administration, SA_DATA));
        assertEquals(1, ClassPortInfo.REDIRECT_QPN.get(administration, SA_DATA));
        assertEquals(0x80010000, ClassPortInfo.TRAP_QKEY.get(administration, SA_DATA));
    }

    @Test
    void shouldKnowEveryCapturedAttribute() {
        Set<String> unknown = new HashSet<>();
        List<ByteBuffer> all = IbCaptures.all();
        assertTrue(all.size() > 200);
        for (ByteBuffer b : all) {
            int attribute = Mad.attribute(b, AT);
            String name = switch (Mad.managementClass(b, AT)) {
                case Smp.CLASS_LID_ROUTED, Smp.CLASS_DIRECTED -> SmAttribute.name(attribute);
                case SaMad.CLASS -> SaAttribute.name(attribute);
                default -> "performance";
            };
            if (name.contains("0x")) {
                unknown.add(name);
            }
        }
        assertEquals(Set.of(), unknown);
    }

    /** RDMA WRITE of the specification's examples: IBA vol 1 §7.8, local packet. */
    private static final String WRITE = "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d400238f27a050000000e"
        + "bb884d85fd5cfba4728bc0690ed40000";

    @Test
    void shouldReadAndWriteTheHeaderOfTheSpecificationsPacket() {
        ByteBuffer b = Bytes.buffer(WRITE + "9625b75a");
        assertTrue(Lrh.isValid(b, 0, b.capacity()));
        assertEquals(7, Lrh.vl(b, 0));
        assertEquals(1, Lrh.sl(b, 0));
        assertEquals(Lrh.NEXT_BTH, Lrh.nextHeader(b, 0));
        assertEquals(0x375c, Lrh.dlid(b, 0));
        assertEquals(0x17d2, Lrh.slid(b, 0));
        assertEquals(b.capacity(), Lrh.packetBytes(b, 0));
        ByteBuffer own = Bytes.filled(Lrh.LENGTH);
        Lrh.put(own, 0, 7, 1, Lrh.NEXT_BTH, 0x375c, 56, 0x17d2);
        assertEquals(Bytes.text(b, 0, Lrh.LENGTH), Bytes.text(own));
        for (int length = 0; length < b.capacity(); length++) {
            assertFalse(Lrh.isValid(b, 0, length), length + " bytes");
        }
    }

    /** Computed bit by bit with the polynomial as the specification prints it: x^16 + x^12 + x^3 + x + 1, first bit first. */
    @Test
    void shouldComputeTheVcrcAsTheSpecificationDefinesIt() {
        ByteBuffer b = Bytes.buffer(WRITE + "9625b75a");
        int register = 0xFFFF;
        for (int i = 0; i < b.capacity(); i++) {
            for (int bit = 0; bit < 8; bit++) {
                int in = b.get(i) >>> bit & 1;
                int carry = register >>> 15 ^ in;
                register = register << 1 & 0xFFFF ^ (carry == 1 ? 0x100B : 0);
            }
        }
        ByteBuffer sent = ByteBuffer.allocate(Vcrc.LENGTH);
        for (int i = 0; i < 16; i++) {
            int out = ~register >>> 15 - i & 1;
            sent.put(i / 8, (byte) (sent.get(i / 8) | out << i % 8));
        }
        ByteBuffer own = Bytes.filled(Vcrc.LENGTH);
        Vcrc.put(own, 0, Vcrc.of(b, 0, b.capacity()));
        assertEquals(Bytes.text(sent), Bytes.text(own));
        assertEquals(Vcrc.of(b, 0, b.capacity()), Vcrc.get(own, 0));
    }

    @Test
    void shouldComputeTheIcrcOfTheSpecificationsPacket() {
        ByteBuffer b = Bytes.buffer(WRITE);
        int icrc = new Icrc().ofLrhFrame(b, 0, Lrh.LENGTH, b.capacity());
        assertEquals(0x5ab72596, icrc, "9625b75a, least significant byte first");
        assertEquals(0x5ab72596, new Icrc().ofLrhPayload(b, Lrh.LENGTH, b.capacity(), Lrh.header(15, 1, Lrh.NEXT_BTH, 0x375c,
            b.capacity() + Icrc.LENGTH, 0x17d2)), "another virtual lane");
        ByteBuffer blank = Bytes.buffer(WRITE);
        blank.putLong(0, 0x1122334455667788L);
        assertEquals(0x5ab72596, new Icrc().ofLrhPayload(blank, Lrh.LENGTH, b.capacity(), b.getLong(0)), "an LRH that is not there");
        assertEquals(0x1122334455667788L, blank.getLong(0), "as it was");
        assertEquals(Bytes.text(b, Lrh.LENGTH, b.capacity() - Lrh.LENGTH), Bytes.text(blank, Lrh.LENGTH, b.capacity() - Lrh.LENGTH));
    }

    @Test
    void shouldKnowTheRatesOfLinks() {
        assertEquals(IbRate.GBPS_10, IbRate.ofLink(2, 1, 0));
        assertEquals(2, IbRate.ofLink(1, 1, 0), "1x SDR");
        assertEquals(7, IbRate.ofLink(2, 4, 0), "4x QDR");
        assertEquals(12, IbRate.ofLink(2, 4, 1), "4x FDR");
        assertEquals(16, IbRate.ofLink(2, 4, 2), "4x EDR");
        assertEquals(17, IbRate.ofLink(2, 4, 4), "4x HDR");
        assertEquals(10, IbRate.ofLink(8, 4, 0), "12x QDR");
        assertEquals(5, IbRate.ofLink(16, 1, 0), "2x SDR");
        assertEquals(24, IbRate.codeOf(1_000_000));
        assertEquals(2, IbRate.codeOf(1));
    }
}
