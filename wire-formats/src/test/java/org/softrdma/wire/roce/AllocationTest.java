// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.pcap.Pcapng;

/** The data path allocates nothing: measured by the JVM's own per-thread counter. */
class AllocationTest {
    private static final int ROUNDS = 5_000;

    @Test
    void shouldNotAllocatePerPacket() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        GoldenVectorTest.Vector v = GoldenVectorTest.Vector.A;
        ByteBuffer heap = v.buffer();
        ByteBuffer direct = ByteBuffer.allocateDirect(256);
        ByteBuffer capture = ByteBuffer.allocate(256);
        Icrc icrc = new Icrc();
        IpIdSolver solver = new IpIdSolver();
        RoceFrame frame = new RoceFrame();
        long first = run(v, heap, direct, capture, icrc, solver, frame);
        long least = Long.MAX_VALUE;
        // The least of ten: what the compiler proves away is there until it is done.
        for (int i = 0; i < 10; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            assertEquals(first, run(v, heap, direct, capture, icrc, solver, frame));
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least < ROUNDS, least + " bytes in " + ROUNDS + " rounds");
    }

    private static long run(GoldenVectorTest.Vector v, ByteBuffer heap, ByteBuffer direct, ByteBuffer capture, Icrc icrc, IpIdSolver solver,
            RoceFrame frame) {
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            sum += frame.dissectEthernet(heap, 0, v.bytes.length);
            sum += PacketCheck.verdict(heap, frame.bthAt(), frame.packetLength());
            int real = frame.computeIcrc(heap, icrc);
            Bth.put(direct, 64, Opcode.RC_SEND_ONLY, false, 0, 0xFFFF, i, true, i);
            int prefix = Icrc.putIpv4Prefix(direct, 64, 1, 2, 0, true, 3, 4, 32);
            Icrc.put(direct, 92, icrc.overPrefix(direct, prefix, 64, 92));
            sum += icrc.ofIpv4Payload(direct, 64, 92, i & 3, 2, 3, 4);
            sum += solver.solve(real, Icrc.get(direct, 92), 34 + (i & 4095)) + real;
            sum += Pcapng.putPacket(capture, 0, 0, i, direct, 64, 32);
            sum += Opcode.name(i & 0xFF).length();
        }
        return sum;
    }
}
