// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.jmh;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.IpIdSolver;
import org.softrdma.wire.roce.Opcode;

/** Cost of sealing one packet: masked prefix and ICRC in one pass, as the device does it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class IcrcBench {
    private static final int BTH_AT = 128;
    private static final int PORT = 4791;

    @Param({"64", "1024", "4096"})
    int payload;

    private final Icrc icrc = new Icrc();
    private final IpIdSolver solver = new IpIdSolver();
    private ByteBuffer packet;
    private int end;
    private int ipId;

    @Setup
    public void fill() {
        packet = ByteBuffer.allocateDirect(BTH_AT + 8192);
        end = BTH_AT + Bth.LENGTH + payload;
        for (int i = BTH_AT; i < end; i++) {
            packet.put(i, (byte) (i * 31));
        }
        Bth.put(packet, BTH_AT, Opcode.RC_RDMA_WRITE_MIDDLE, false, 0, 0xffff, 0x1234, false, 77);
    }

    @Benchmark
    public int overPrefix() {
        int prefix = Icrc.putIpv4Prefix(packet, BTH_AT, 0x7f000001, 0x7f000002, 0, true, PORT, PORT, end + Icrc.LENGTH - BTH_AT);
        return icrc.overPrefix(packet, prefix, BTH_AT, end);
    }

    /** As above, with an IP identification that has to be found first: a segment of a train that the kernel cut. */
    @Benchmark
    public int overPrefixAndSolveIpId() {
        int computed = overPrefix();
        ipId = ipId + 1 & 63;
        return solver.solve(computed, computed ^ ipId * 0x01010101, IpIdSolver.bytesAfterId(BTH_AT, end));
    }
}
