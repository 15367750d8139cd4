// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.jmh;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.PacketCheck;
import org.softrdma.wire.roce.Reth;

/** Looking at a received packet's headers, without its ICRC: the check that makes all else safe, and the fields a responder reads. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PacketBench {
    private static final int AT = 128;
    private static final int PAYLOAD = 1024;
    private static final int KINDS = 4;

    private final ByteBuffer packets = ByteBuffer.allocateDirect(AT + KINDS * 2048);
    private final int[] lengths = new int[KINDS];
    private int next;

    @Setup
    public void fill() {
        int[] opcodes = {Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_MIDDLE, Opcode.RC_RDMA_WRITE_LAST, Opcode.RC_RDMA_WRITE_ONLY};
        for (int i = 0; i < KINDS; i++) {
            Bth.put(packets, AT + i * 2048, opcodes[i], false, 0, 0xffff, 0x1234, true, 77 + i);
            lengths[i] = Opcode.headerLength(opcodes[i]) + PAYLOAD + Icrc.LENGTH;
        }
    }

    /** Another kind of packet each time, so that branches are not learned by heart. */
    @Benchmark
    public long checkAndReadFields() {
        int kind = next++ & KINDS - 1;
        int at = AT + kind * 2048;
        if (PacketCheck.verdict(packets, at, lengths[kind]) != PacketCheck.OK) {
            throw new IllegalStateException("it is right");
        }
        int opcode = Bth.opcode(packets, at);
        long sum = Bth.destQp(packets, at) + Bth.psn(packets, at) + Bth.pkey(packets, at)
            + PacketCheck.payloadLength(packets, at, lengths[kind]) + (Bth.ackRequest(packets, at) ? 1 : 0);
        if (Opcode.has(opcode, Opcode.RETH)) {
            int reth = at + Opcode.rethOffset(opcode);
            sum += Reth.va(packets, reth) + Reth.rkey(packets, reth) + Reth.length(packets, reth);
        }
        return sum;
    }
}
