// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
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

    /**
     * One way takes a microsecond on the simulated network: the response is received two after the post, and the receive completes after
     * one.
     */
    @Test
    void shouldStampCompletionsWithTheTimeTheyCame() {
        SimulatedPair pair = new SimulatedPair(13, new SimulatedPair.Setup());
        pair.b.qp.postReceive(recv.begin(7));
        long beganNs = pair.a.context.rawClockNs();
        pair.a.qp.postSend(wr.send().signaled());
        pair.settle();
        CompletionReader received = pair.b.recvCq.reader();
        assertTrue(received.startPoll());
        assertEquals(beganNs + 1_000, received.timestampNs());
        received.endPoll();
        CompletionReader sent = pair.a.sendCq.reader();
        assertTrue(sent.startPoll());
        assertEquals(beganNs + 2_000, sent.timestampNs());
        sent.endPoll();
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
