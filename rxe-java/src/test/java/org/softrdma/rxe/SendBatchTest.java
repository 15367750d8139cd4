// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.verbs.CompletionReader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.WrOpcode;

/** The extended ways of posting and polling: batches and readers. */
class SendBatchTest {
    private static final int ALL_OPERATIONS = 0x3ff;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private SimulatedPair pair;
    private MemoryRegion local;
    private MemoryRegion remote;
    private SendBatch batch;

    private void open() {
        setup.queueDepth = 8;
        pair = new SimulatedPair(13, setup);
        local = pair.a.memory(64, SimulatedPair.ALL_REMOTE);
        remote = pair.b.memory(64, SimulatedPair.ALL_REMOTE);
        batch = pair.a.qp.sendBatch(ALL_OPERATIONS);
    }

    private static VerbsException refused(Errno errno, String verb, Executable call, String... values) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(List.of(errno, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        for (String value : values) {
            assertTrue(refused.getMessage().contains(value), "\"" + value + "\" in: " + refused.getMessage());
        }
        return refused;
    }

    private List<String> sends() {
        return pair.a.sends().stream().map(wc -> wc.wrId() + " " + wc.status() + " " + wc.opcode()).toList();
    }

    @Test
    void shouldPostAllOfABatchInOrder() {
        open();
        pair.b.qp.postReceive(new ReceiveRequest().begin(1).element(remote, 0, 64));
        local.memory().set(ValueLayout.JAVA_LONG, 0, 4711);
        batch.start();
        SendRequest first = batch.add().write(remote.address(), remote.rkey()).wrId(1).element(local, 0, 8).signaled();
        MemorySegment unregistered = MemorySegment.ofArray(new byte[] {1, 2, 3, 4});
        assertSame(first, batch.add().write(remote.address() + 8, remote.rkey()).wrId(2).inlineData(unregistered).signaled());
        batch.add().read(remote.address(), remote.rkey()).wrId(3).element(local, 8, 8).signaled();
        batch.add().sendWithImmediate(9).wrId(4).element(local, 0, 4).element(local, 8, 4).signaled();
        pair.settle();
        assertEquals(List.of(), sends(), "nothing goes out before it is complete");
        assertEquals(0, pair.a.counter("sent_pkts"));
        batch.complete();
        pair.runUntil(() -> pair.a.sends().size() == 4);
        assertEquals(List.of("1 SUCCESS RDMA_WRITE", "2 SUCCESS RDMA_WRITE", "3 SUCCESS RDMA_READ", "4 SUCCESS SEND"), sends());
        assertEquals(4711, local.memory().get(ValueLayout.JAVA_LONG, 8), "read back what was written");
        assertEquals(3, remote.memory().get(ValueLayout.JAVA_BYTE, 10));
        assertEquals(List.of(8), pair.b.receives().stream().map(WorkCompletion::byteLength).toList());
    }

    @Test
    void shouldPostNothingOfABatchWithOneBadRequest() {
        open();
        batch.start();
        batch.add().write(remote.address(), remote.rkey()).wrId(1).element(local, 0, 8).signaled();
        batch.add().send().inlineData(MemorySegment.ofArray(new byte[1000]));
        batch.add().write(remote.address(), remote.rkey()).wrId(3).element(local, 0, 8).signaled();
        refused(Errno.EINVAL, "post_send", batch::complete, "1000 bytes");
        pair.settle();
        assertEquals(List.of(), sends());
        assertEquals(0, pair.a.counter("sent_pkts"));
        pair.a.qp.postSend(wr.write(remote.address(), remote.rkey()).wrId(5).element(local, 0, 8).signaled());
        pair.runUntil(() -> !pair.a.sends().isEmpty());
        assertEquals(List.of("5 SUCCESS RDMA_WRITE"), sends(), "the queue is as if nothing had been");
    }

    @Test
    void shouldPostNothingThatWasAborted() {
        open();
        batch.start();
        batch.add().write(remote.address(), remote.rkey()).wrId(1).element(local, 0, 8).signaled();
        batch.abort();
        batch.start();
        batch.complete();
        pair.settle();
        assertEquals(List.of(), sends());
    }

    @Test
    void shouldTakeAsManyAsTheQueueHoldsAndNotOneMore() {
        open();
        for (int count : new int[] {9, 8}) {
            batch.start();
            for (int i = 0; i < count; i++) {
                batch.add().write(remote.address(), remote.rkey()).wrId(i).element(local, 0, 8).signaled();
            }
            if (count == 9) {
                refused(Errno.ENOMEM, "post_send", batch::complete, "8 requests");
            } else {
                batch.complete();
            }
        }
        pair.runUntil(() -> pair.a.sends().size() == 8);
        List<Long> ids = new ArrayList<>(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L));
        assertEquals(ids, pair.a.sends().stream().map(WorkCompletion::wrId).toList());
    }

    @Test
    void shouldTakeOnlyTheOperationsItWasMadeFor() {
        open();
        SendBatch writes = pair.a.qp.sendBatch(SendOps.RDMA_WRITE);
        writes.start();
        writes.add().write(remote.address(), remote.rkey()).element(local, 0, 8);
        writes.add().read(remote.address(), remote.rkey()).element(local, 0, 8);
        refused(Errno.EINVAL, "wr_complete", writes::complete, "RDMA_READ", "0x1");
        refused(Errno.EOPNOTSUPP, "create_qp_ex", () -> pair.a.qp.sendBatch(SendOps.SEND | SendOps.TSO), "0x400");
        refused(Errno.EOPNOTSUPP, "create_qp_ex", () -> pair.a.qp.sendBatch(1 << 20), "0x100000");
    }

    /** Numbers of {@code enum ibv_qp_create_send_ops_flags}, by operation. */
    @Test
    void shouldUseTheNumbersOfC() {
        List<WrOpcode> order = List.of(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM, WrOpcode.SEND, WrOpcode.SEND_WITH_IMM,
            WrOpcode.RDMA_READ, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD, WrOpcode.LOCAL_INV, WrOpcode.BIND_MW,
            WrOpcode.SEND_WITH_INV);
        for (int bit = 0; bit < order.size(); bit++) {
            assertEquals(1 << bit, SendOps.of(order.get(bit)), order.get(bit).text());
        }
        assertEquals(1 << 11, SendOps.of(WrOpcode.FLUSH));
        assertEquals(1 << 12, SendOps.of(WrOpcode.ATOMIC_WRITE));
    }

    @Test
    void shouldRefuseCallsOutOfTurn() {
        open();
        refused(Errno.EINVAL, "wr_start", batch::add, "no batch");
        refused(Errno.EINVAL, "wr_complete", batch::complete);
        refused(Errno.EINVAL, "wr_abort", batch::abort);
        batch.start();
        refused(Errno.EINVAL, "wr_start", batch::start, "in a batch");
        refused(Errno.EINVAL, "post_send", () -> pair.a.qp.postSend(wr.send()), "in a batch");
        batch.abort();
        pair.a.qp.modify(new QpAttributes().state(QpState.RESET));
        batch.start();
        batch.add().send();
        refused(Errno.EINVAL, "post_send", batch::complete, "RESET");
    }

    @Test
    void shouldKeepOtherPostersOutOfABatch() throws InterruptedException {
        open();
        batch.start();
        batch.add().write(remote.address(), remote.rkey()).wrId(1).element(local, 0, 8).signaled();
        Thread other = Thread.ofPlatform().start(() -> pair.a.qp.postSend(
            wr.write(remote.address(), remote.rkey()).wrId(99).element(local, 0, 8).signaled()));
        while (other.getState() != Thread.State.WAITING) {
            assertTrue(other.isAlive(), "it should wait");
            Thread.onSpinWait();
        }
        batch.add().write(remote.address(), remote.rkey()).wrId(2).element(local, 0, 8).signaled();
        batch.complete();
        other.join();
        pair.runUntil(() -> pair.a.sends().size() == 3);
        assertEquals(List.of(1L, 2L, 99L), pair.a.sends().stream().map(WorkCompletion::wrId).toList());
    }

    /**
     * One way takes a microsecond on the simulated network: the answer of the responder comes two after the post, and its receive after
     * one.
     */
    @Test
    void shouldReadCompletionsInPlaceWithTheirTimes() {
        open();
        pair.b.qp.postReceive(new ReceiveRequest().begin(7).element(remote, 0, 64));
        long beganNs = pair.a.context.rawClockNs();
        pair.a.qp.postSend(wr.sendWithImmediate(0xabcd).wrId(3).element(local, 0, 12).signaled());
        pair.settle();
        CompletionReader received = pair.b.recvCq.reader();
        assertTrue(received.startPoll());
        assertEquals(List.of(7L, WcStatus.SUCCESS, WcOpcode.RECV, 12, 0xabcd, pair.b.qp.qpNum(), WcFlags.GRH | WcFlags.WITH_IMM),
            List.of(received.wrId(), received.status(), received.opcode(), received.byteLength(), received.immediate(), received.qpNum(),
                received.flags()));
        assertEquals(beganNs + 1_000, received.timestampNs());
        assertFalse(received.nextPoll());
        received.endPoll();
        CompletionReader sent = pair.a.sendCq.reader();
        assertTrue(sent.startPoll());
        assertEquals(beganNs + 2_000, sent.timestampNs());
        sent.endPoll();
    }
}
