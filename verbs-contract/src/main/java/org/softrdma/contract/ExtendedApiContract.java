// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** The extended ways of posting and polling: batches, all or nothing, and readers that look at completions where they are. */
public abstract class ExtendedApiContract extends ContractTest {
    private MemoryRegion local;
    private MemoryRegion remote;
    private SendBatch batch;

    private void connectWithBatch(int operations) {
        setup.queueDepth = 8;
        connect();
        local = a.memory(64, AccessFlags.LOCAL_WRITE);
        remote = b.memory(64, End.ALL_REMOTE);
        batch = a.qp.sendBatch(operations);
    }

    private List<String> sends() {
        return a.sends().stream().map(wc -> wc.wrId() + " " + wc.status() + " " + wc.opcode()).toList();
    }

    /** A batch of one. */
    private WorkCompletion post(Consumer<SendRequest> request) {
        int before = a.sends().size();
        batch.start();
        SendRequest added = batch.add();
        request.accept(added);
        added.signaled();
        batch.complete();
        await(() -> a.sends().size() > before);
        return a.sends().getLast();
    }

    private WorkCompletion received() {
        await(() -> !b.receives().isEmpty());
        return b.receives().getLast();
    }

    // ---- each operation ----

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldBatchSends() {
        connectWithBatch(SendOps.SEND);
        b.qp.postReceive(recv.begin(3).element(remote, 0, 64));
        assertEquals(WcOpcode.SEND, post(wr -> wr.send().inlineData(MemorySegment.ofArray(bytes(9, 1)))).opcode());
        assertEquals(9, received().byteLength());
        assertArrayEquals(bytes(9, 1), End.content(remote, 0, 9));
    }

    @Test
    @Needs({Capability.SEND_BATCHES, Capability.IMMEDIATE_DATA})
    void shouldBatchSendsWithImmediate() {
        connectWithBatch(SendOps.SEND_WITH_IMM);
        b.qp.postReceive(recv.begin(3));
        assertTrue(post(wr -> wr.sendWithImmediate(0x12345678)).isSuccess());
        assertEquals(0x12345678, received().immediate());
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldBatchWrites() {
        connectWithBatch(SendOps.RDMA_WRITE);
        local.memory().set(ValueLayout.JAVA_LONG, 0, 4711);
        assertEquals(WcOpcode.RDMA_WRITE, post(wr -> wr.write(remote.address() + 8, remote.rkey()).element(local, 0, 8)).opcode());
        await(() -> remote.memory().get(ValueLayout.JAVA_LONG, 8) == 4711);
        assertTrue(post(wr -> wr.write(0, 0)).isSuccess(), "of nothing");
    }

    @Test
    @Needs({Capability.SEND_BATCHES, Capability.IMMEDIATE_DATA})
    void shouldBatchWritesWithImmediate() {
        connectWithBatch(SendOps.RDMA_WRITE_WITH_IMM);
        b.qp.postReceive(recv.begin(3));
        assertTrue(post(wr -> wr.writeWithImmediate(remote.address(), remote.rkey(), 9).element(local, 0, 8)).isSuccess());
        assertEquals(List.of(WcOpcode.RECV_RDMA_WITH_IMM, 9), List.of(received().opcode(), received().immediate()));
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldBatchReads() {
        connectWithBatch(SendOps.RDMA_READ);
        remote.memory().set(ValueLayout.JAVA_LONG, 0, 4711);
        assertEquals(WcOpcode.RDMA_READ, post(wr -> wr.read(remote.address(), remote.rkey()).element(local, 8, 8)).opcode());
        assertEquals(4711, local.memory().get(ValueLayout.JAVA_LONG, 8));
        assertTrue(post(wr -> wr.read(0, 0)).isSuccess(), "of nothing");
    }

    @Test
    @Needs({Capability.SEND_BATCHES, Capability.ATOMICS})
    void shouldBatchAtomics() {
        connectWithBatch(SendOps.ATOMIC_CMP_AND_SWP | SendOps.ATOMIC_FETCH_AND_ADD);
        assertEquals(WcOpcode.FETCH_ADD, post(wr -> wr.fetchAndAdd(remote.address(), remote.rkey(), 5).element(local, 0, 8)).opcode());
        assertEquals(WcOpcode.COMP_SWAP,
            post(wr -> wr.compareAndSwap(remote.address(), remote.rkey(), 5, 6).element(local, 0, 8)).opcode());
        assertEquals(List.of(5L, 6L),
            List.of(local.memory().get(ValueLayout.JAVA_LONG, 0), remote.memory().get(ValueLayout.JAVA_LONG, 0)));
    }

    @Test
    @Needs({Capability.SEND_BATCHES, Capability.ATOMIC_WRITE})
    void shouldBatchAtomicWrites() {
        connectWithBatch(SendOps.ATOMIC_WRITE);
        assertEquals(WcOpcode.ATOMIC_WRITE,
            post(wr -> wr.atomicWrite(remote.address(), remote.rkey()).inlineData(MemorySegment.ofArray(bytes(8, 3)))).opcode());
        assertArrayEquals(bytes(8, 3), End.content(remote, 0, 8));
    }

    @Test
    @Needs({Capability.SEND_BATCHES, Capability.WINDOWS_OF_TYPE_2})
    void shouldBatchBindsAndInvalidations() {
        connectWithBatch(SendOps.BIND_MW | SendOps.LOCAL_INV);
        MemoryWindow window = a.window(MemoryWindow.Type.TYPE_2);
        MemoryRegion region = a.memory(64, End.ALL_REMOTE | AccessFlags.MW_BIND);
        int key = MemoryWindow.nextRkey(window.rkey());
        assertEquals(WcOpcode.BIND_MW,
            post(wr -> wr.bindWindow(key, region, region.address(), 64, AccessFlags.REMOTE_READ)).opcode());
        assertEquals(WcOpcode.LOCAL_INV, post(wr -> wr.localInvalidate(key)).opcode());
        assertTrue(a.sends().stream().allMatch(WorkCompletion::isSuccess));
    }

    @Test
    @Needs({Capability.SEND_BATCHES, Capability.DATAGRAMS})
    void shouldBatchDatagrams() {
        setup.type = QpType.UD;
        connectWithBatch(SendOps.SEND | SendOps.SEND_WITH_IMM);
        AddressHandle handle = keep(a.pd.createAh(fabric().way(0, 1)));
        for (int i = 0; i < 2; i++) {
            b.qp.postReceive(recv.begin(i).element(remote, 0, 48));
        }
        batch.start();
        batch.add().send().to(handle, b.qp.qpNum(), setup.qkey);
        batch.add().sendWithImmediate(6).inlineData(MemorySegment.ofArray(new byte[8])).to(handle, b.qp.qpNum(), setup.qkey).signaled();
        batch.complete();
        await(() -> a.sends().size() == 1 && b.receives().size() == 2);
        assertEquals(List.of(40, 48), b.receives().stream().map(WorkCompletion::byteLength).toList());
        assertEquals(6, b.receives().get(1).immediate());
    }

    // ---- all or nothing ----

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldPostAllOfABatchInOrder() {
        connectWithBatch(SendOps.SEND | SendOps.RDMA_WRITE | SendOps.RDMA_READ);
        b.qp.postReceive(recv.begin(1).element(remote, 0, 64));
        local.memory().set(ValueLayout.JAVA_LONG, 0, 4711);
        batch.start();
        SendRequest first = batch.add().write(remote.address(), remote.rkey()).wrId(1).element(local, 0, 8).signaled();
        MemorySegment unregistered = MemorySegment.ofArray(new byte[] {1, 2, 3, 4});
        assertSame(first, batch.add().write(remote.address() + 8, remote.rkey()).wrId(2).inlineData(unregistered).signaled());
        batch.add().read(remote.address(), remote.rkey()).wrId(3).element(local, 8, 8).signaled();
        batch.add().send().wrId(4).element(local, 0, 4).element(local, 16, 4).signaled();
        assertEquals(List.of(), sends(), "nothing goes out before it is complete");
        assertEquals(0, remote.memory().get(ValueLayout.JAVA_LONG, 0));
        batch.complete();
        await(() -> a.sends().size() == 4 && b.receives().size() == 1);
        assertEquals(List.of("1 SUCCESS RDMA_WRITE", "2 SUCCESS RDMA_WRITE", "3 SUCCESS RDMA_READ", "4 SUCCESS SEND"), sends());
        assertEquals(4711, local.memory().get(ValueLayout.JAVA_LONG, 8), "read back what was written");
        assertEquals(3, remote.memory().get(ValueLayout.JAVA_BYTE, 10));
        assertEquals(8, b.receives().getFirst().byteLength());
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldPostNothingOfABatchWithOneBadRequest() {
        connectWithBatch(SendOps.SEND | SendOps.RDMA_WRITE);
        batch.start();
        batch.add().write(remote.address(), remote.rkey()).wrId(1).inlineData(MemorySegment.ofArray(bytes(8, 1))).signaled();
        batch.add().send().inlineData(MemorySegment.ofArray(new byte[a.qp.capabilities().maxInlineData() + 1]));
        batch.add().write(remote.address(), remote.rkey()).wrId(3).element(local, 0, 8).signaled();
        refused(Errno.EINVAL, "post_send", batch::complete, a.qp.capabilities().maxInlineData() + 1 + " bytes");
        a.qp.postSend(wr.write(remote.address() + 8, remote.rkey()).wrId(5).element(local, 0, 8).signaled());
        await(() -> !a.sends().isEmpty());
        assertEquals(List.of("5 SUCCESS RDMA_WRITE"), sends(), "the queue is as if nothing had been");
        assertEquals(0, remote.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldPostNothingThatWasAborted() {
        connectWithBatch(SendOps.RDMA_WRITE);
        batch.start();
        batch.add().write(remote.address(), remote.rkey()).wrId(1).inlineData(MemorySegment.ofArray(bytes(8, 1))).signaled();
        batch.abort();
        batch.start();
        batch.complete();
        assertEquals(0, post(wr -> wr.write(0, 0)).wrId());
        assertEquals(List.of("0 SUCCESS RDMA_WRITE"), sends());
        assertEquals(0, remote.memory().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldTakeAsManyAsTheQueueHoldsAndNotOneMore() {
        connectWithBatch(SendOps.RDMA_WRITE);
        int depth = a.qp.capabilities().maxSendWr();
        for (int count : new int[] {depth + 1, depth}) {
            batch.start();
            for (int i = 0; i < count; i++) {
                batch.add().write(remote.address(), remote.rkey()).wrId(i).element(local, 0, 8).signaled();
            }
            if (count > depth) {
                refused(Errno.ENOMEM, "post_send", batch::complete, depth + " requests");
            } else {
                batch.complete();
            }
        }
        await(() -> a.sends().size() == depth);
        List<Long> ids = new ArrayList<>();
        for (long i = 0; i < depth; i++) {
            ids.add(i);
        }
        assertEquals(ids, a.sends().stream().map(WorkCompletion::wrId).toList());
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldTakeOnlyTheOperationsItWasMadeFor() {
        connectWithBatch(SendOps.RDMA_WRITE);
        batch.start();
        batch.add().write(remote.address(), remote.rkey()).element(local, 0, 8);
        batch.add().read(remote.address(), remote.rkey()).element(local, 0, 8);
        refused(Errno.EINVAL, "wr_complete", batch::complete, "RDMA_READ", "0x1");
        refused(Errno.EOPNOTSUPP, "create_qp_ex", () -> a.qp.sendBatch(SendOps.SEND | SendOps.TSO), "0x400");
        refused(Errno.EOPNOTSUPP, "create_qp_ex", () -> a.qp.sendBatch(1 << 20), "0x100000");
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldRefuseCallsOutOfTurn() {
        connectWithBatch(SendOps.SEND);
        refused(Errno.EINVAL, "wr_start", batch::add, "no batch");
        refused(Errno.EINVAL, "wr_complete", batch::complete);
        refused(Errno.EINVAL, "wr_abort", batch::abort);
        batch.start();
        refused(Errno.EINVAL, "wr_start", batch::start, "in a batch");
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send()), "in a batch");
        batch.abort();
        a.qp.modify(new QpAttributes().state(QpState.RESET));
        batch.start();
        batch.add().send();
        refused(Errno.EINVAL, "post_send", batch::complete, "RESET");
    }

    @Test
    @Needs(Capability.SEND_BATCHES)
    void shouldKeepOtherPostersOutOfABatch() throws InterruptedException {
        connectWithBatch(SendOps.RDMA_WRITE);
        batch.start();
        batch.add().write(remote.address(), remote.rkey()).wrId(1).element(local, 0, 8).signaled();
        Thread other = Thread.ofPlatform().start(
            () -> a.qp.postSend(new SendRequest().write(remote.address(), remote.rkey()).wrId(99).element(local, 0, 8).signaled()));
        while (other.getState() != Thread.State.WAITING) {
            assertTrue(other.isAlive(), "it should wait");
            Thread.onSpinWait();
        }
        batch.add().write(remote.address(), remote.rkey()).wrId(2).element(local, 0, 8).signaled();
        batch.complete();
        other.join();
        await(() -> a.sends().size() == 3);
        assertEquals(List.of(1L, 2L, 99L), a.sends().stream().map(WorkCompletion::wrId).toList());
    }

    // ---- readers ----

    @Test
    @Needs({Capability.COMPLETION_READERS, Capability.IMMEDIATE_DATA})
    void shouldReadEveryFieldInPlace() {
        connect();
        b.qp.postReceive(recv.begin(7).element(b.memory(64, AccessFlags.LOCAL_WRITE), 0, 64));
        a.qp.postSend(wr.sendWithImmediate(0xabcd).wrId(3).inlineData(MemorySegment.ofArray(new byte[12])).signaled());
        CompletionReader reader = b.recvCq.reader();
        await(reader::startPoll);
        assertEquals(List.of(7L, WcStatus.SUCCESS, WcOpcode.RECV, 12, 0xabcd, b.qp.qpNum(), WcFlags.WITH_IMM, 0),
            List.of(reader.wrId(), reader.status(), reader.opcode(), reader.byteLength(), reader.immediate(), reader.qpNum(),
                reader.flags() & (WcFlags.WITH_IMM | WcFlags.WITH_INV), reader.vendorError()));
        assertFalse(reader.nextPoll());
        assertEquals(7, reader.wrId(), "the last one stays current");
        reader.endPoll();
        assertFalse(reader.startPoll());
    }

    @Test
    @Needs({Capability.COMPLETION_READERS, Capability.TIMESTAMPS})
    void shouldReadWhenACompletionWasAdded() {
        connect();
        b.qp.postReceive(recv.begin(7));
        long beganNs = b.context.rawClockNs();
        a.qp.postSend(wr.send());
        CompletionReader reader = b.recvCq.reader();
        await(reader::startPoll);
        assertTrue(reader.timestampNs() - beganNs >= 0 && b.context.rawClockNs() - reader.timestampNs() >= 0);
        reader.endPoll();
    }

    @Test
    @Needs({Capability.COMPLETION_READERS, Capability.DATAGRAMS})
    void shouldReadWhoSentADatagram() {
        setup.type = QpType.UD;
        connect();
        b.qp.postReceive(recv.begin(7).element(b.memory(64, AccessFlags.LOCAL_WRITE), 0, 64));
        a.qp.postSend(wr.send().to(keep(a.pd.createAh(fabric().way(0, 1))), b.qp.qpNum(), setup.qkey));
        CompletionReader reader = b.recvCq.reader();
        await(reader::startPoll);
        assertEquals(List.of(a.qp.qpNum(), 40, WcFlags.GRH),
            List.of(reader.sourceQp(), reader.byteLength(), reader.flags() & WcFlags.GRH));
        reader.endPoll();
    }

    /** Completions that were read are removed; the others are left for the next poll. */
    @Test
    @Needs(Capability.COMPLETION_READERS)
    void shouldTakeOutWhatItHasRead() {
        connect();
        for (int i = 0; i < 5; i++) {
            a.qp.postSend(wr.write(0, 0).wrId(i).signaled());
        }
        CompletionReader reader = a.sendCq.reader();
        List<Long> read = new ArrayList<>();
        await(() -> {
            if (read.size() < 3 && reader.startPoll()) {
                read.add(reader.wrId());
                while (read.size() < 3 && reader.nextPoll()) {
                    read.add(reader.wrId());
                }
                reader.endPoll();
            }
            return read.size() == 3;
        });
        assertEquals(List.of(0L, 1L, 2L), read);
        await(() -> a.sends().size() == 2);
        assertEquals(List.of(3L, 4L), a.sends().stream().map(WorkCompletion::wrId).toList());
    }

    @Test
    @Needs(Capability.COMPLETION_READERS)
    void shouldRefuseToReadWhereThereIsNothing() {
        CompletionQueue cq = keep(openContext(0).createCq(4));
        CompletionReader reader = cq.reader();
        assertFalse(reader.startPoll());
        for (Runnable each : List.<Runnable>of(reader::wrId, reader::status, reader::opcode, reader::nextPoll, reader::endPoll,
            reader::timestampNs)) {
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, each::run).errno());
        }
    }
}
