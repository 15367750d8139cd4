// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.host.config.NetDevice;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/** The order of the table, which programs and administrators rely on. */
class GidTableTest {
    private static final NetDevice NETDEV = new NetDevice("eth0", 2, 0x505400123456L, 1500, true, true, false, List.of());
    private static final Gid LINK_LOCAL = gid("fe80::5254:ff:fe12:3456");
    private static final List<GidType> BOTH = List.of(GidType.ROCE_V1, GidType.ROCE_V2);

    private static Gid gid(String text) {
        return Gid.of(InetAddress.ofLiteral(text));
    }

    private static List<Gid> gids(String... addresses) {
        return Arrays.stream(addresses).map(GidTableTest::gid).toList();
    }

    private static List<String> list(GidTable table) {
        return table.entries().stream().map(entry -> entry.index() + " " + entry.type().text() + " " + entry.gid()).toList();
    }

    /** As Linux lists the GIDs of adapters with both versions. */
    @Test
    void shouldListEachAddressInVersionOneFirst() {
        GidTable table = GidTable.of(NETDEV, BOTH, gids("10.0.0.1", "fd00::1"));
        assertEquals(List.of("0 IB/RoCE v1 " + LINK_LOCAL, "1 RoCE v2 " + LINK_LOCAL, "2 IB/RoCE v1 ::ffff:10.0.0.1",
            "3 RoCE v2 ::ffff:10.0.0.1", "4 IB/RoCE v1 fd00::1", "5 RoCE v2 fd00::1"), list(table));
    }

    @Test
    void shouldListOneVersionAsKernelRxeDoes() {
        assertEquals(List.of("0 RoCE v2 " + LINK_LOCAL, "1 RoCE v2 ::ffff:10.0.0.1"),
            list(GidTable.of(NETDEV, List.of(GidType.ROCE_V2), gids("10.0.0.1"))));
        assertEquals(List.of("0 IB/RoCE v1 " + LINK_LOCAL, "1 IB/RoCE v1 ::ffff:10.0.0.1"),
            list(GidTable.of(NETDEV, List.of(GidType.ROCE_V1), gids("10.0.0.1"))));
    }

    @Test
    void shouldKeepBothIndexesOfAnAddressThatStays() {
        GidTable table = GidTable.of(NETDEV, BOTH, gids("10.0.0.1", "10.0.0.2"));
        table.update(NETDEV, gids("10.0.0.2"));
        table.update(NETDEV, gids("10.0.0.2", "10.0.0.3"));
        assertEquals(List.of("0 IB/RoCE v1 " + LINK_LOCAL, "1 RoCE v2 " + LINK_LOCAL, "2 IB/RoCE v1 ::ffff:10.0.0.3",
            "3 RoCE v2 ::ffff:10.0.0.3", "4 IB/RoCE v1 ::ffff:10.0.0.2", "5 RoCE v2 ::ffff:10.0.0.2"), list(table));
    }
}
