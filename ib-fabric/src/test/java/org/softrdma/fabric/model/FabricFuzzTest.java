// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/**
 * Any bytes as subnet management packets and as data: executed, answered or dropped by name, never with an exception, and never with a
 * port in a state that no port can have.
 */
class FabricFuzzTest {
    private static final int CHUNK = 48;
    private static final int LID_OFFSET = 4;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyDatagrams(byte[] bytes) {
        Fabric fabric = new Fabric(Topologies.tree(3, 2, 1), new SplittableRandom(1), new FabricObserver() { });
        FabricPort port = fabric.find("h1").port(1);
        fabric.attach(port, new MadClient() {
            @Override
            public boolean accepts(ManagementPacket packet) {
                return true;
            }

            @Override
            public void deliver(ManagementPacket packet) {
                check(packet.mad().capacity() == Mad.LENGTH);
            }
        });
        for (int at = 0; at < bytes.length; at += CHUNK) {
            byte[] chunk = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + CHUNK));
            fabric.carry(port, ByteBuffer.wrap(chunk), 0, chunk.length, at);
            ByteBuffer mad = ByteBuffer.allocate(Mad.LENGTH);
            // Half of the datagrams have a correct beginning, or hardly one would pass the first check.
            mad.put(0, chunk, 0, chunk.length);
            if (chunk.length > 0 && (chunk[0] & 1) == 0) {
                Mad.put(mad, 0, (chunk[0] & 2) == 0 ? Smp.CLASS_DIRECTED : chunk[0] & 0xF, Smp.CLASS_VERSION, 1 + (chunk[0] >>> 4 & 1), at,
                    chunk.length > 1 ? chunk[1] & 0x3F : 0);
                mad.putInt(Mad.MODIFIER_OFFSET, chunk.length > 2 ? chunk[2] : 0);
                mad.putInt(Smp.DR_SLID_OFFSET, -1).put(Smp.HOP_COUNT_OFFSET, (byte) (chunk.length > 3 ? chunk[3] & 3 : 0));
                mad.put(Smp.DATA_OFFSET, chunk, 0, chunk.length);
                mad.put(Smp.INITIAL_PATH_OFFSET, new byte[] {0, 1, 2, 1});
            }
            ManagementPacket packet = Mad.managementClass(mad, 0) == Smp.CLASS_DIRECTED ? ManagementPacket.directed(mad)
                : ManagementPacket.lidRouted(0, lid(chunk), mad);
            fabric.send(port, packet, at);
            fabric.onTime(at);
        }
        for (FabricNode node : fabric.nodes()) {
            for (int i = 0; i <= node.ports(); i++) {
                FabricPort each = node.port(i);
                check(each == null || each.state() >= PortInfo.STATE_DOWN && each.state() <= PortInfo.STATE_ACTIVE);
            }
        }
    }

    /** Returns any LID; half of them small, as those of this fabric are. */
    private static int lid(byte[] chunk) {
        if (chunk.length < LID_OFFSET + Short.BYTES) {
            return 0;
        }
        int any = ByteBuffer.wrap(chunk).getShort(LID_OFFSET) & 0xFFFF;
        return (any & 1) == 0 ? any : any >>> 12;
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }
}
