// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.FlushFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** RC: every operation, its completions on both sides, order, fences, and what happens when the peer is not ready or not there. */
public abstract class ReliableConnectionContract extends ContractTest {
    private static final int FETCHED = AccessFlags.LOCAL_WRITE;

    private WorkCompletion onlySend() {
        await(() -> !a.sends().isEmpty());
        assertEquals(1, a.sends().size());
        return a.sends().getFirst();
    }

    private static long word(MemoryRegion region, long offset) {
        return region.memory().get(ValueLayout.JAVA_LONG, offset);
    }

    // ---- SEND ----

    @ParameterizedTest
    @CsvSource({"0,256", "1,256", "255,256", "256,256", "257,256", "1000,1024", "4096,1024", "70000,4096", "1000003,1024", "8388608,4096"})
    void shouldDeliverSendsOfEverySize(int size, int mtu) {
        setup.mtu = Mtu.ofBytes(mtu);
        connect();
        byte[] data = bytes(size, size);
        MemoryRegion from = a.memory(data);
        MemoryRegion to = b.memory(Math.max(1, size), FETCHED);
        b.qp.postReceive(recv.begin(77).element(to, 0, size));
        a.qp.postSend(wr.send().wrId(5).element(from, 0, size).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        WorkCompletion sent = a.sends().getFirst();
        assertEquals(List.of(5L, WcStatus.SUCCESS, WcOpcode.SEND, a.qp.qpNum()),
            List.of(sent.wrId(), sent.status(), sent.opcode(), sent.qpNum()));
        WorkCompletion got = b.receives().getFirst();
        assertEquals(List.of(77L, WcStatus.SUCCESS, WcOpcode.RECV, size, b.qp.qpNum()),
            List.of(got.wrId(), got.status(), got.opcode(), got.byteLength(), got.qpNum()));
        assertEquals(0, got.flags() & (WcFlags.WITH_IMM | WcFlags.WITH_INV));
        assertArrayEquals(data, End.content(to, 0, size));
    }

    @Test
    void shouldGatherAndScatter() {
        connect();
        byte[] data = bytes(3000, 3);
        MemoryRegion from = a.memory(data);
        MemoryRegion to = b.memory(3000, FETCHED);
        b.qp.postReceive(recv.begin(1).element(to, 2000, 1000).element(to, 0, 0).element(to, 0, 2000));
        a.qp.postSend(wr.send().element(from, 1, 1000).element(from, 0, 1).element(from, 1001, 1999).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(3000, b.receives().getFirst().byteLength());
        assertArrayEquals(End.content(from, 1, 1000), End.content(to, 2000, 1000));
        assertEquals(data[0], to.memory().get(ValueLayout.JAVA_BYTE, 0));
        assertArrayEquals(End.content(from, 1001, 1999), End.content(to, 1, 1999));
    }

    /** Shorter than the receive: the rest of the buffer is the receiver's. */
    @Test
    void shouldNotTouchTheReceiveBeyondTheMessage() {
        connect();
        MemoryRegion to = b.memory(64, FETCHED);
        to.memory().fill((byte) 0x5a);
        b.qp.postReceive(recv.begin(1).element(to, 0, 64));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[10])).signaled());
        await(() -> b.receives().size() == 1);
        assertEquals(10, b.receives().getFirst().byteLength());
        assertEquals(0x5a, to.memory().get(ValueLayout.JAVA_BYTE, 10));
        assertEquals(0x5a, to.memory().get(ValueLayout.JAVA_BYTE, 63));
    }

    @Test
    @Needs(Capability.IMMEDIATE_DATA)
    void shouldDeliverImmediateData() {
        connect();
        b.qp.postReceive(recv.begin(1));
        a.qp.postSend(wr.sendWithImmediate(0xcafebabe).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        WorkCompletion got = b.receives().getFirst();
        assertEquals(List.of(WcOpcode.RECV, 0xcafebabe, 0), List.of(got.opcode(), got.immediate(), got.byteLength()));
        assertTrue((got.flags() & WcFlags.WITH_IMM) != 0);
    }

    @Test
    void shouldServeBothDirectionsAtOnce() {
        connect();
        int count = 30;
        for (int i = 0; i < count; i++) {
            a.qp.postReceive(recv.begin(i).element(a.memory(2000, FETCHED), 0, 2000));
            b.qp.postReceive(recv.begin(i).element(b.memory(2000, FETCHED), 0, 2000));
        }
        MemoryRegion ofA = a.memory(2000, 0);
        MemoryRegion ofB = b.memory(2000, 0);
        for (int i = 0; i < count; i++) {
            a.qp.postSend(wr.send().wrId(i).element(ofA, 0, 50 * i).signaled());
            b.qp.postSend(wr.send().wrId(i).element(ofB, 0, 60 * i).signaled());
        }
        await(() -> a.sends().size() == count && b.sends().size() == count && a.receives().size() == count && b.receives().size() == count);
        for (int i = 0; i < count; i++) {
            assertEquals(List.of((long) i, 60 * i), List.of(a.receives().get(i).wrId(), a.receives().get(i).byteLength()));
            assertEquals(List.of((long) i, 50 * i), List.of(b.receives().get(i).wrId(), b.receives().get(i).byteLength()));
        }
    }

    // ---- RDMA ----

    @ParameterizedTest
    @CsvSource({"1", "1024", "1025", "100000"})
    void shouldWriteAndReadBack(int size) {
        connect();
        byte[] data = bytes(size, size);
        MemoryRegion from = a.memory(data);
        MemoryRegion back = a.memory(size, FETCHED);
        MemoryRegion remote = b.memory(size + 2L, End.WRITABLE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
        a.qp.postSend(wr.write(remote.address() + 1, remote.rkey()).wrId(1).element(from, 0, size).signaled());
        a.qp.postSend(wr.read(remote.address() + 1, remote.rkey()).wrId(2).element(back, 0, size / 2)
            .element(back, size / 2, size - size / 2).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()));
        assertEquals(List.of(WcOpcode.RDMA_WRITE, WcOpcode.RDMA_READ), a.sends().stream().map(WorkCompletion::opcode).toList());
        assertEquals(size, a.sends().get(1).byteLength());
        assertArrayEquals(data, End.content(remote, 1, size));
        assertArrayEquals(data, End.content(back, 0, size));
        assertEquals(List.of(0, 0), List.of((int) remote.memory().get(ValueLayout.JAVA_BYTE, 0),
            (int) remote.memory().get(ValueLayout.JAVA_BYTE, size + 1)), "nothing beside it");
        assertEquals(List.of(), b.receives());
    }

    /** The receive says how much was written, and its own buffer is not touched. */
    @Test
    @Needs(Capability.IMMEDIATE_DATA)
    void shouldWriteWithImmediate() {
        connect();
        MemoryRegion remote = b.memory(5000, End.ALL_REMOTE & ~AccessFlags.REMOTE_ATOMIC);
        MemoryRegion untouched = b.memory(bytes(64, 9));
        b.qp.postReceive(recv.begin(9).element(untouched, 0, 64));
        byte[] data = bytes(5000, 5);
        a.qp.postSend(wr.writeWithImmediate(remote.address(), remote.rkey(), 0x01020304).element(a.memory(data), 0, 5000).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(WcOpcode.RDMA_WRITE, a.sends().getFirst().opcode());
        WorkCompletion got = b.receives().getFirst();
        assertEquals(List.of(9L, WcStatus.SUCCESS, WcOpcode.RECV_RDMA_WITH_IMM, 0x01020304, 5000),
            List.of(got.wrId(), got.status(), got.opcode(), got.immediate(), got.byteLength()));
        assertTrue((got.flags() & WcFlags.WITH_IMM) != 0);
        assertArrayEquals(data, End.content(remote, 0, 5000));
        assertArrayEquals(bytes(64, 9), End.content(untouched, 0, 64));
    }

    /** Messages of no bytes need no memory on either side. IBA vol 1 §9.7.4.1.5 */
    @Test
    void shouldWriteAndReadNothingWithoutKeys() {
        connect();
        a.qp.postSend(wr.write(0x1234, 0x5678).wrId(1).signaled());
        a.qp.postSend(wr.read(0x1234, 0x5678).wrId(2).signaled());
        a.qp.postSend(wr.write(1, 2).wrId(3).element(0, 0, 99).signaled());
        await(() -> a.sends().size() == 3);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), End.brief(a.sends()));
    }

    // ---- atomics ----

    @Test
    @Needs(Capability.ATOMICS)
    void shouldFetchAndAdd() {
        connect();
        MemoryRegion word = b.memory(16, End.ALL_REMOTE);
        MemoryRegion old = a.memory(16, FETCHED);
        word.memory().set(ValueLayout.JAVA_LONG, 8, -1L);
        a.qp.postSend(wr.fetchAndAdd(word.address() + 8, word.rkey(), 3).wrId(1).element(old, 0, 8).signaled());
        a.qp.postSend(wr.fetchAndAdd(word.address() + 8, word.rkey(), Long.MIN_VALUE).wrId(2).element(old, 8, 8).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()));
        assertEquals(List.of(WcOpcode.FETCH_ADD, 8), List.of(a.sends().getFirst().opcode(), a.sends().getFirst().byteLength()));
        assertEquals(List.of(-1L, 2L, 2L + Long.MIN_VALUE, 0L), List.of(word(old, 0), word(old, 8), word(word, 8), word(word, 0)));
    }

    @Test
    @Needs(Capability.ATOMICS)
    void shouldCompareAndSwap() {
        connect();
        MemoryRegion word = b.memory(8, End.ALL_REMOTE);
        MemoryRegion old = a.memory(16, FETCHED);
        word.memory().set(ValueLayout.JAVA_LONG, 0, 41);
        a.qp.postSend(wr.compareAndSwap(word.address(), word.rkey(), 41, 99).wrId(1).element(old, 0, 8).signaled());
        a.qp.postSend(wr.compareAndSwap(word.address(), word.rkey(), 41, 7).wrId(2).element(old, 8, 8).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()), "not equal is no error");
        assertEquals(WcOpcode.COMP_SWAP, a.sends().getFirst().opcode());
        assertEquals(List.of(41L, 99L, 99L), List.of(word(old, 0), word(old, 8), word(word, 0)));
    }

    /** Two connections, one word: no addition is lost. */
    @Test
    @Needs(Capability.ATOMICS)
    void shouldAddAtomicallyFromSeveralQueuePairs() {
        connect();
        Connection other = connectMore(a.pd, b.pd);
        MemoryRegion word = b.memory(8, End.ALL_REMOTE);
        MemoryRegion old = a.memory(800, FETCHED);
        for (int i = 0; i < 50; i++) {
            a.qp.postSend(wr.fetchAndAdd(word.address(), word.rkey(), 1).element(old, 8L * i, 8).signaled());
            other.ofA().postSend(wr.fetchAndAdd(word.address(), word.rkey(), 1).element(old, 400 + 8L * i, 8).signaled());
        }
        await(() -> a.sends().size() == 100);
        assertEquals(100, word(word, 0));
        List<Long> seen = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            seen.add(word(old, 8L * i));
        }
        seen.sort(null);
        for (int i = 0; i < 100; i++) {
            assertEquals(i, seen.get(i), "each value once");
        }
    }

    @Test
    @Needs(Capability.ATOMIC_WRITE)
    void shouldWriteAtomically() {
        connect();
        MemoryRegion word = b.memory(16, End.ALL_REMOTE);
        byte[] data = bytes(8, 8);
        a.qp.postSend(wr.atomicWrite(word.address() + 8, word.rkey()).wrId(1).element(a.memory(data), 0, 8).signaled());
        a.qp.postSend(wr.atomicWrite(word.address(), word.rkey()).wrId(2).inlineData(MemorySegment.ofArray(data)).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()));
        assertEquals(WcOpcode.ATOMIC_WRITE, a.sends().getFirst().opcode());
        assertArrayEquals(data, End.content(word, 8, 8));
        assertArrayEquals(data, End.content(word, 0, 8));
    }

    @Test
    @Needs(Capability.FLUSH)
    void shouldFlushWhatWasWritten() {
        setup.accessB = AccessFlags.REMOTE_WRITE | AccessFlags.FLUSH_GLOBAL;
        connect();
        MemoryRegion target = b.memory(64, End.WRITABLE | AccessFlags.REMOTE_WRITE | AccessFlags.FLUSH_GLOBAL);
        MemoryRegion closed = b.memory(64, End.WRITABLE | AccessFlags.REMOTE_WRITE);
        a.qp.postSend(wr.write(target.address(), target.rkey()).inlineData(MemorySegment.ofArray(bytes(64, 6))));
        a.qp.postSend(wr.flush(target.address(), target.rkey(), 64, FlushFlags.GLOBAL, FlushFlags.RANGE).wrId(2).signaled());
        await(() -> a.sends().size() == 1);
        assertEquals(List.of("2 SUCCESS"), End.brief(a.sends()));
        assertEquals(WcOpcode.FLUSH, a.sends().getFirst().opcode());
        assertArrayEquals(bytes(64, 6), End.content(target, 0, 64));
        a.qp.postSend(wr.flush(closed.address(), closed.rkey(), 64, FlushFlags.GLOBAL, FlushFlags.RANGE).wrId(3).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(WcStatus.REM_ACCESS_ERR, a.sends().get(1).status(), "a region that does not allow it");
    }

    // ---- order ----

    /** Completions of a send queue come in posting order, whatever the operations. */
    @Test
    void shouldCompleteInPostingOrder() {
        connect();
        MemoryRegion remote = b.memory(50_000, End.WRITABLE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
        MemoryRegion local = a.memory(50_000, FETCHED);
        List<Long> posted = new ArrayList<>();
        for (long i = 0; i < 60; i++) {
            int bytes = (int) (i * 811 % 50_000);
            SendRequest request = i % 3 == 0 ? wr.read(remote.address(), remote.rkey()) : wr.write(remote.address(), remote.rkey());
            a.qp.postSend(request.wrId(i).element(local, 0, bytes).signaled());
            posted.add(i);
        }
        await(() -> a.sends().size() == 60);
        assertEquals(posted, a.sends().stream().map(WorkCompletion::wrId).toList());
        assertTrue(a.sends().stream().allMatch(WorkCompletion::isSuccess));
    }

    /** A READ that was posted before is done, data and all, before a fenced SEND begins: it sends what the READ has fetched. */
    @Test
    void shouldFenceBehindReads() {
        connect();
        byte[] data = bytes(20_000, 4);
        MemoryRegion remote = b.memory(data);
        MemoryRegion local = a.memory(20_000, FETCHED);
        MemoryRegion echo = b.memory(20_000, FETCHED);
        b.qp.postReceive(recv.begin(1).element(echo, 0, 20_000));
        a.qp.postSend(wr.read(remote.address(), remote.rkey()).element(local, 0, 20_000));
        a.qp.postSend(wr.send().element(local, 0, 20_000).fence().signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of(WcStatus.SUCCESS), a.sendStatuses());
        assertArrayEquals(data, End.content(echo, 0, 20_000));
    }

    /** Data written before a SEND is visible when the SEND's receive completes. IBA vol 1 §9.5 */
    @Test
    void shouldWriteBeforeTheSendThatFollows() {
        connect();
        MemoryRegion target = b.memory(100_000, End.ALL_REMOTE);
        for (int round = 0; round < 10; round++) {
            byte[] data = bytes(100_000, round);
            b.qp.postReceive(recv.begin(round));
            a.qp.postSend(wr.write(target.address(), target.rkey()).element(a.memory(data), 0, 100_000));
            a.qp.postSend(wr.send().wrId(round).signaled());
            int done = round + 1;
            await(() -> b.receives().size() == done);
            assertArrayEquals(data, End.content(target, 0, 100_000));
        }
        await(() -> a.sends().size() == 10);
    }

    @Test
    @Needs(Capability.ACKNOWLEDGEMENTS)
    void shouldCompleteUnsignaledRequestsOnFailureOnly() {
        connect();
        a.qp.postSend(wr.write(0, 0).wrId(1));
        a.qp.postSend(wr.write(1, 0x77777700).wrId(2).inlineData(MemorySegment.ofArray(new byte[1])));
        a.qp.postSend(wr.write(0, 0).wrId(3));
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("2 REM_ACCESS_ERR", "3 WR_FLUSH_ERR"), End.brief(a.sends()));
    }

    /** More READs than may be outstanding: they wait their turn. */
    @Test
    void shouldQueueReadsBeyondTheDepth() {
        setup.rdAtomic = 1;
        setup.destRdAtomic = 1;
        connect();
        byte[] data = bytes(40 * 1000, 2);
        MemoryRegion remote = b.memory(data);
        MemoryRegion local = a.memory(data.length, FETCHED);
        for (int i = 0; i < 40; i++) {
            a.qp.postSend(wr.read(remote.address() + 1000L * i, remote.rkey()).wrId(i).element(local, 1000L * i, 1000).signaled());
        }
        await(() -> a.sends().size() == 40);
        assertTrue(a.sends().stream().allMatch(WorkCompletion::isSuccess));
        assertArrayEquals(data, End.content(local, 0, data.length));
    }

    /** A queue pair may be its own device's, even its own peer. */
    @Test
    void shouldTalkToItself() {
        open();
        fabric().connect(a.qp, 0, a.newQp(a.pd), 0, setup);
        byte[] data = bytes(5000, 5);
        MemoryRegion from = a.memory(data);
        MemoryRegion to = a.memory(5000, End.ALL_REMOTE);
        a.qp.postSend(wr.write(to.address(), to.rkey()).element(from, 0, 5000).signaled());
        assertEquals(WcStatus.SUCCESS, outcome(a.qp, 0));
        assertArrayEquals(data, End.content(to, 0, 5000));
    }

    // ---- a peer that is not ready, or not there ----

    @Test
    @Needs(Capability.RECEIVER_NOT_READY)
    void shouldWaitForThePeersReceive() {
        connect();
        a.qp.postSend(wr.send().wrId(1).signaled());
        a.qp.postSend(wr.write(0, 0).wrId(2).signaled());
        b.qp.postReceive(recv.begin(7));
        await(() -> a.sends().size() == 2 && b.receives().size() == 1);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()));
    }

    @ParameterizedTest
    @CsvSource({"0", "2"})
    @Needs(Capability.INFINIBAND_TRANSPORT)
    @Violates("RECEIVE_TOO_LATE")
    void shouldGiveUpWhenThePeerIsNeverReady(int rnrRetry) {
        setup.rnrRetry = rnrRetry;
        connect();
        a.qp.postSend(wr.send().wrId(1).signaled());
        a.qp.postSend(wr.write(0, 0).wrId(2).signaled());
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 RNR_RETRY_EXC_ERR", "2 WR_FLUSH_ERR"), End.brief(a.sends()));
        assertEquals(List.of(QpState.ERR, QpState.RTS), List.of(a.qp.state(), b.qp.state()), "the responder is as it was");
    }

    @ParameterizedTest
    @CsvSource({"0", "1"})
    @Needs(Capability.INFINIBAND_TRANSPORT)
    void shouldGiveUpWhenThePeerIsSilent(int retryCount) {
        setup.retryCount = retryCount;
        setup.timeout = 8;
        open();
        // In RESET it takes no packets and answers none.
        setup.connect(a.qp, fabric().way(0, 1), b.qp.qpNum(), setup.accessA, 1, 1);
        a.qp.postSend(wr.send().wrId(1).signaled());
        a.qp.postSend(wr.send().wrId(2));
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 RETRY_EXC_ERR", "2 WR_FLUSH_ERR"), End.brief(a.sends()));
        assertEquals(QpState.ERR, a.qp.state());
    }
}
