// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/** Devices, contexts, ports and their tables. */
public abstract class DevicesContract extends ContractTest {
    /** The default P_Key: full member of the default partition. IBA vol 1 §10.9.1.2 */
    private static final int DEFAULT_PKEY = 0xffff;

    @Test
    void shouldSayWhatItIs() {
        RdmaDevice device = openContext(0).device();
        assertFalse(device.name().isBlank());
        assertFalse(device.netdev().isBlank());
        assertEquals(device.transport() == Transport.IWARP ? NodeType.RNIC : NodeType.CA, device.nodeType());
        assertTrue(device.index() >= -1);
    }

    @Test
    void shouldOpenSeveralContextsOfOneDevice() {
        Context first = openContext(0);
        Context second = keep(first.device().open());
        assertNotSame(first, second);
        assertEquals(first.device().name(), second.device().name());
        assertEquals(first.queryDevice(), second.queryDevice());
        assertEquals(first.queryGidTable(), second.queryGidTable());
        first.close();
        keep(second.allocatePd());
        refused(Errno.EINVAL, "alloc_pd", first::allocatePd);
    }

    @Test
    void shouldSayHowMuchItCanHold() {
        Context context = openContext(0);
        DeviceAttributes limits = context.queryDevice();
        assertEquals(context.device().nodeGuid(), limits.nodeGuid());
        for (int each : List.of(limits.maxQp(), limits.maxQpWr(), limits.maxSge(), limits.maxSgeRd(), limits.maxCq(), limits.maxCqe(),
            limits.maxMr(), limits.maxPd(), limits.maxQpRdAtom(), limits.maxQpInitRdAtom(), limits.maxResRdAtom(),
            limits.physPortCnt(), limits.numCompVectors())) {
            assertTrue(each > 0, limits.toString());
        }
        assertTrue(Long.compareUnsigned(limits.maxMrSize(), 1 << 20) > 0, limits.toString());
        assertEquals(Integer.toUnsignedLong(limits.deviceCapFlags()), limits.deviceCapFlagsEx() & 0xffffffffL,
            "the lower half of the ex ones");
        assertTrue(limits.maxMcastGrp() == 0 || limits.maxMcastQpAttach() > 0 && limits.maxTotalMcastQpAttach() > 0);
    }

    @Test
    void shouldDescribeEachPortAndNoOther() {
        Context context = openContext(0);
        int ports = context.queryDevice().physPortCnt();
        for (int port = 1; port <= ports; port++) {
            PortAttributes attributes = context.queryPort(port);
            assertEquals(PortState.ACTIVE, attributes.state());
            assertTrue(attributes.activeMtu().compareTo(attributes.maxMtu()) <= 0, attributes.toString());
            assertTrue(attributes.gidTblLen() > 0 && attributes.maxMsgSize() >= 1 << 20, attributes.toString());
            assertEquals(2, attributes.linkLayer(), "Ethernet");
            assertEquals(5, attributes.physState(), "link up");
        }
        refused(Errno.EINVAL, "query_port", () -> context.queryPort(0), "port 0");
        refused(Errno.EINVAL, "query_port", () -> context.queryPort(ports + 1), "port " + (ports + 1));
    }

    @Test
    void shouldListTheGidsItHas() {
        Context context = openContext(0);
        List<GidEntry> table = context.queryGidTable();
        assertTrue(table.contains(fabric().address(0)), table.toString());
        Set<Integer> indices = new HashSet<>();
        for (GidEntry entry : table) {
            assertFalse(entry.gid().isZero(), "only used entries");
            assertTrue(indices.add(entry.index()), "once each");
            assertEquals(entry.gid(), context.queryGid(entry.port(), entry.index()));
            assertEquals(entry, context.queryGidEntry(entry.port(), entry.index()));
            assertEquals(context.device().transport() == Transport.IWARP ? GidType.IB : GidType.ROCE_V2, entry.type());
        }
    }

    @Test
    void shouldTellUnusedGidEntriesFromThoseThatAreNotThere() {
        Context context = openContext(0);
        int length = context.queryPort(1).gidTblLen();
        List<Integer> used = context.queryGidTable().stream().filter(entry -> entry.port() == 1).map(GidEntry::index).toList();
        for (int index = 0; index < length; index++) {
            if (!used.contains(index)) {
                int unused = index;
                assertEquals(Gid.ZERO, context.queryGid(1, index));
                refused(Errno.ENODATA, "query_gid_ex", () -> context.queryGidEntry(1, unused), unused);
            }
        }
        refused(Errno.EINVAL, "query_gid", () -> context.queryGid(1, length), length);
        refused(Errno.EINVAL, "query_gid", () -> context.queryGid(1, -1));
        refused(Errno.EINVAL, "query_gid", () -> context.queryGid(9, 0), "port 9");
        refused(Errno.EINVAL, "query_gid_ex", () -> context.queryGidEntry(1, length), length);
        refused(Errno.EINVAL, "query_gid_ex", () -> context.queryGidEntry(9, 0), "port 9");
    }

    @Test
    @Needs(Capability.INFINIBAND_TRANSPORT)
    void shouldHaveTheDefaultPartition() {
        Context context = openContext(0);
        int length = context.queryPort(1).pkeyTblLen();
        assertEquals(DEFAULT_PKEY, context.queryPkey(1, 0));
        assertEquals(0, context.pkeyIndex(1, DEFAULT_PKEY));
        assertEquals(-1, context.pkeyIndex(1, 0x1234));
        refused(Errno.EINVAL, "query_pkey", () -> context.queryPkey(1, length), length);
        refused(Errno.EINVAL, "query_pkey", () -> context.queryPkey(2, 0), "port 2");
        refused(Errno.EINVAL, "query_port", () -> context.pkeyIndex(2, DEFAULT_PKEY), "port 2");
    }

    @Test
    void shouldCountUnderTheSameNamesInTheSameOrder() {
        Context first = openContext(0);
        Context second = openContext(1);
        assertEquals(List.copyOf(first.counters().keySet()), List.copyOf(second.counters().keySet()));
        assertTrue(first.counters().values().stream().allMatch(count -> count >= 0));
    }

    @Test
    @Needs(Capability.TIMESTAMPS)
    void shouldHaveAClockThatNeverGoesBack() {
        Context context = openContext(0);
        long earlier = context.rawClockNs();
        assertTrue(context.rawClockNs() - earlier >= 0);
    }
}
