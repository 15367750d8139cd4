// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAddress;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;

/** Calls that do in one step what most programs write by hand: connecting, waiting, polling with a handler. */
public abstract class ShortcutsContract extends ContractTest {
    private static final int BYTES = 5000;
    private static final Duration SHORT = Duration.ofMillis(2);
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Posts a WRITE and a READ of what it wrote, with wr_id 1 and 2; returns when the data is back, and with it the completions. */
    private void writeAndReadBack() {
        byte[] data = bytes(BYTES, 1);
        MemoryRegion source = a.memory(data);
        MemoryRegion target = b.memory(BYTES, End.ALL_REMOTE);
        MemoryRegion sink = a.memory(BYTES, End.WRITABLE);
        a.qp.postSend(wr.write(target.address(), target.rkey()).wrId(1).element(source, 0, BYTES).signaled());
        a.qp.postSend(wr.read(target.address(), target.rkey()).wrId(2).element(sink, 0, BYTES).signaled());
        await(() -> sink.memory().get(ValueLayout.JAVA_BYTE, BYTES - 1) == data[BYTES - 1]);
        assertArrayEquals(data, End.content(sink, 0, BYTES));
    }

    private static QpAddress onKind(GidType type, QpAddress of) {
        return new QpAddress(of.gid(), type, of.qpn(), of.psn(), of.mtu(), of.reads());
    }

    // ---- connecting ----

    @Test
    @Needs(Capability.INFINIBAND_TRANSPORT)
    void shouldConnectTwoQueuePairs() {
        open();
        QueuePair.connect(a.qp, b.qp);
        assertEquals(List.of(QpState.RTS, QpState.RTS), List.of(a.qp.state(), b.qp.state()));
        assertEquals(List.of(b.qp.qpNum(), a.qp.qpNum()), List.of(a.qp.query().destQpn(), b.qp.query().destQpn()));
        assertNotEquals(a.qp.query().sqPsn(), b.qp.query().sqPsn());
        writeAndReadBack();
    }

    @Test
    @Needs(Capability.INFINIBAND_TRANSPORT)
    void shouldTakeReceivesBeforeItConnects() {
        open();
        QpAddress ofA = a.qp.init(fabric().address(0));
        QpAddress ofB = b.qp.init(fabric().address(1));
        assertEquals(List.of(QpState.INIT, QpState.INIT), List.of(a.qp.state(), b.qp.state()));
        b.qp.postReceive(recv.begin(7));
        b.qp.connect(ofB, QpAddress.parse(ofA.toString()));
        a.qp.connect(ofA, QpAddress.parse(ofB.toString()));
        a.qp.postSend(wr.send().wrId(1).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("7 SUCCESS"), End.brief(b.receives()));
    }

    @Test
    @Needs(Capability.UNRELIABLE_CONNECTIONS)
    void shouldConnectUnreliableQueuePairs() {
        setup.type = QpType.UC;
        open();
        QueuePair.connect(a.qp, b.qp);
        b.qp.postReceive(recv.begin(7));
        a.qp.postSend(wr.send().wrId(1).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("7 SUCCESS"), End.brief(b.receives()));
    }

    @Test
    @Needs(Capability.INFINIBAND_TRANSPORT)
    void shouldConnectWithTheSmallerValuesOfBothEnds() {
        open();
        QpAddress ofA = a.qp.init(fabric().address(0));
        QpAddress ofB = b.qp.init(fabric().address(1));
        QpAddress weak = new QpAddress(ofB.gid(), ofB.type(), ofB.qpn(), ofB.psn(), Mtu.MTU_256, 1);
        a.qp.connect(ofA, weak);
        b.qp.connect(weak, ofA);
        assertEquals(List.of(Mtu.MTU_256, Mtu.MTU_256), List.of(a.qp.query().pathMtu(), b.qp.query().pathMtu()));
        assertEquals(List.of(1, 1), List.of(a.qp.query().maxRdAtomic(), b.qp.query().maxDestRdAtomic()));
        writeAndReadBack();
    }

    @Test
    @Needs(Capability.INFINIBAND_TRANSPORT)
    void shouldRefuseConnectionsThatCannotBe() {
        open();
        QpAddress ofA = a.qp.init(fabric().address(0));
        QpAddress ofB = b.qp.init(fabric().address(1));
        QpAddress elsewhere = new QpAddress(Gid.ofIpv4(0x01020304), ofA.type(), ofA.qpn(), ofA.psn(), ofA.mtu(), ofA.reads());
        refused(Errno.EADDRNOTAVAIL, "modify_qp", () -> a.qp.connect(elsewhere, ofB), elsewhere.gid());
        refused(Errno.EINVAL, "modify_qp", () -> a.qp.connect(ofA, onKind(GidType.IB, ofB)), ofA.type().text(), GidType.IB.text());
        assertEquals(QpState.INIT, a.qp.state());
        a.qp.connect(ofA, ofB);
        refusedByDevice(Errno.EINVAL, "modify_qp", () -> a.qp.connect(ofA, ofB));
    }

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldActivateQueuePairsForDatagrams() {
        setup.type = QpType.UD;
        open();
        a.qp.activate(setup.qkey);
        b.qp.activate(setup.qkey);
        MemoryRegion target = b.memory(64, End.WRITABLE);
        AddressHandle handle = keep(a.pd.createAh(fabric().way(0, 1)));
        b.qp.postReceive(recv.begin(7).element(target, 0, 64));
        a.qp.postSend(wr.send().to(handle, b.qp.qpNum(), setup.qkey).wrId(1).element(a.memory(bytes(8, 1)), 0, 8).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("7 SUCCESS"), End.brief(b.receives()));
        assertArrayEquals(bytes(8, 1), End.content(target, 40, 8));
    }

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldNameTheCallForTheService() {
        setup.type = QpType.UD;
        open();
        refused(Errno.EINVAL, "modify_qp", a.qp::init, QpType.UD, "activate");
        setup.type = QpType.RC;
        QueuePair reliable = a.newQp(a.pd);
        refused(Errno.EINVAL, "modify_qp", () -> reliable.activate(setup.qkey), QpType.RC, "init");
    }

    // ---- waiting and polling ----

    @Test
    void shouldWaitForSeveralCompletions() {
        connect();
        writeAndReadBack();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sendCq.await(2, LONG)));
        writeAndReadBack();
        assertEquals(1, a.sendCq.await(LONG).requireSuccess().wrId());
        VerbsException late = refused(Errno.ETIMEDOUT, "poll_cq", () -> a.sendCq.await(2, SHORT), "1 of 2", "wr_id 2 SUCCESS");
        assertTrue(late.getMessage().contains(SHORT.toMillis() + " ms"), late.getMessage());
    }

    @Test
    void shouldReturnFromWaitingWithoutCompletions() {
        connect();
        assertEquals(0, a.sendCq.await(WorkCompletion.array(1), 0));
        assertEquals(0, a.sendCq.await(WorkCompletion.array(1), SHORT.toNanos()));
        Thread.currentThread().interrupt();
        refused(Errno.EINTR, "poll_cq", () -> a.sendCq.await(LONG));
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldHandCompletionsToAHandler() {
        connect();
        writeAndReadBack();
        WorkCompletion[] reused = WorkCompletion.array(4);
        List<Long> seen = new ArrayList<>();
        await(() -> {
            a.sendCq.poll(reused, completion -> seen.add(completion.wrId()));
            return seen.size() == 2;
        });
        assertEquals(List.of(1L, 2L), seen);
        assertEquals(0, a.sendCq.poll(reused, completion -> seen.add(completion.wrId())));
    }

    @Test
    @Violates("LOCAL_MEMORY")
    void shouldRequireSuccess() {
        connect();
        a.qp.postSend(wr.write(b.memory(8, End.ALL_REMOTE).address(), 0).wrId(5).element(0x1234, 8, 0x777700).signaled());
        await(() -> a.sends().size() == 1);
        WorkCompletion failed = a.sends().getFirst();
        assertFalse(failed.isSuccess());
        refused(Errno.EIO, "poll_cq", failed::requireSuccess, "wr_id 5", failed.status());
        WorkCompletion fine = new WorkCompletion();
        assertSame(fine, fine.requireSuccess());
    }
}
