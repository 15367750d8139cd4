// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.wire.ib.Rmpp;
import org.softrdma.wire.ib.SaMad;
import org.softrdma.wire.mad.Mad;

/**
 * Any bytes as datagrams of subnet administration, requests and acknowledgements: answered or dropped by name, never with an exception,
 * and groups stay within their number.
 */
class AdministrationFuzzTest {
    private static final int CHUNK = 80;
    private static final int[] METHODS = {1, 2, 0x12, 0x14, 0x15, 0x06, 0x92, 0x81};
    private static final int[] ATTRIBUTES = {1, 3, 0x11, 0x12, 0x14, 0x18, 0x20, 0x31, 0x35, 0x38};
    private static final long SECOND = 1_000_000_000L;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyDatagrams(byte[] bytes) {
        AdministeredSubnet subnet = new AdministeredSubnet(Topologies.tree(3, 2, 1), "h1", "h3");
        SubnetAdministrator administrator = subnet.manager.administrator();
        long nowNs = SECOND;
        for (int at = 0; at + 8 < bytes.length; at += CHUNK) {
            byte[] chunk = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + CHUNK));
            ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
            // Transaction IDs repeat, so that acknowledgements find their transfers.
            SaMad.begin(mad, 0, METHODS[chunk[0] & 7], ATTRIBUTES[(chunk[1] & 0xFF) % ATTRIBUTES.length], chunk[2] & 3,
                (chunk[3] & 1) == 0 ? chunk[4] & 0xFF : ByteBuffer.wrap(chunk).getLong(0));
            if ((chunk[3] & 2) != 0) {
                Rmpp.put(mad, 0, chunk[5] & 7, chunk[6] & 7, chunk[7] & 0xFF, chunk[4], chunk[5]);
            }
            mad.put(SaMad.DATA_OFFSET, chunk, 8, chunk.length - 8);
            if ((chunk[3] & 4) != 0) {
                // A real GID, or hardly one request would pass the checks.
                for (int gid = 8; gid <= 24; gid += 8) {
                    mad.putLong(SaMad.DATA_OFFSET + gid, gid % 16 == 0 ? Subnet.PREFIX : subnet.client.guid());
                }
            }
            ManagementPacket packet = ManagementPacket.general(subnet.client.lid(), subnet.at.lid(), mad);
            if (SubnetAdministrator.serves(packet)) {
                administrator.onPacket(packet, nowNs);
            }
            nowNs += SECOND / 4;
            administrator.onTime(nowNs);
            if ((chunk[3] & 8) != 0) {
                for (int i = 0; i < 10 && administrator.transmit(nowNs) != null; i++) {
                    check(administrator.groups().size() <= MulticastGroups.MAX_GROUPS);
                }
            }
        }
        subnet.run(SECOND);
        for (MulticastGroup each : administrator.groups()) {
            check(each.mlid() >= 0xC000 && each.mlid() <= 0xFFFE);
        }
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
