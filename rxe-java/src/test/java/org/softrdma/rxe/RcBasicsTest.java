// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

class RcBasicsTest {
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] content(MemoryRegion region, int length) {
        return region.memory().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @CsvSource({"0,256", "1,256", "255,256", "256,256", "257,256", "1000,1024", "4096,1024", "70000,4096", "1000003,1024", "8388608,4096"})
    void shouldDeliverSendsOfEverySize(int size, int mtu) {
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        setup.mtu = Mtu.ofBytes(mtu);
        setup.sqPsnA = 0xfffff0;
        SimulatedPair pair = new SimulatedPair(1, setup);
        byte[] data = random(size, size);
        MemoryRegion from = pair.a.memory(data);
        MemoryRegion to = pair.b.memory(Math.max(1, size), SimulatedPair.ALL_REMOTE);
        pair.b.qp.postReceive(recv.begin(77).element(to, 0, size));
        pair.a.qp.postSend(wr.send().wrId(5).element(from, 0, size).signaled());
        pair.runUntil(() -> pair.a.sends().size() == 1 && pair.b.receives().size() == 1);

        WorkCompletion sent = pair.a.sends().get(0);
        assertEquals(List.of(5L, WcStatus.SUCCESS, WcOpcode.SEND), List.of(sent.wrId(), sent.status(), sent.opcode()));
        WorkCompletion got = pair.b.receives().get(0);
        assertEquals(List.of(77L, WcStatus.SUCCESS, WcOpcode.RECV, size),
            List.of(got.wrId(), got.status(), got.opcode(), got.byteLength()));
        assertArrayEquals(data, content(to, size));
        assertEquals(0, pair.a.counter("completer_retry_err"), "no fault, no retry");
    }

    @Test
    void shouldWriteReadAndSwapInOrder() {
        for (boolean ipv6 : new boolean[] {false, true}) {
            SimulatedPair.Setup setup = new SimulatedPair.Setup();
            setup.hiddenIpId = true;
            setup.ipv6 = ipv6;
            SimulatedPair pair = new SimulatedPair(2, setup);
            byte[] data = random(10_000, 2);
            MemoryRegion local = pair.a.memory(data);
            MemoryRegion back = pair.a.memory(10_000, SimulatedPair.ALL_REMOTE);
            MemoryRegion result = pair.a.memory(16, SimulatedPair.ALL_REMOTE);
            MemoryRegion remote = pair.b.memory(10_000, SimulatedPair.ALL_REMOTE);
            MemoryRegion word = pair.b.memory(8, SimulatedPair.ALL_REMOTE);
            word.memory().set(ValueLayout.JAVA_LONG, 0, 41);
            pair.b.qp.postReceive(recv.begin(9));
            pair.a.qp.postSend(wr.write(remote.address(), remote.rkey()).wrId(1).element(local, 0, 10_000).signaled());
            pair.a.qp.postSend(wr.read(remote.address(), remote.rkey()).wrId(2).element(back, 0, 10_000).signaled());
            pair.a.qp.postSend(wr.fetchAndAdd(word.address(), word.rkey(), 1).wrId(3).element(result, 0, 8).signaled());
            pair.a.qp.postSend(wr.compareAndSwap(word.address(), word.rkey(), 42, 99).wrId(4).element(result, 8, 8).signaled());
            pair.a.qp.postSend(wr.writeWithImmediate(remote.address(), remote.rkey(), 0xcafebabe).wrId(5).element(local, 0, 16).signaled());
            pair.runUntil(() -> pair.a.sends().size() == 5 && pair.b.receives().size() == 1);

            assertEquals(List.of(1L, 2L, 3L, 4L, 5L), pair.a.sends().stream().map(WorkCompletion::wrId).toList());
            assertEquals(List.of(WcOpcode.RDMA_WRITE, WcOpcode.RDMA_READ, WcOpcode.FETCH_ADD, WcOpcode.COMP_SWAP, WcOpcode.RDMA_WRITE),
                pair.a.sends().stream().map(WorkCompletion::opcode).toList());
            assertArrayEquals(data, content(remote, 10_000));
            assertArrayEquals(data, content(back, 10_000));
            assertEquals(41, result.memory().get(ValueLayout.JAVA_LONG, 0));
            assertEquals(42, result.memory().get(ValueLayout.JAVA_LONG, 8));
            assertEquals(99, word.memory().get(ValueLayout.JAVA_LONG, 0));
            WorkCompletion got = pair.b.receives().get(0);
            assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, got.opcode());
            assertEquals(0xcafebabe, got.immediate());
            assertEquals(WcFlags.GRH | WcFlags.WITH_IMM, got.flags());
            assertEquals(16, got.byteLength());
        }
    }
}
