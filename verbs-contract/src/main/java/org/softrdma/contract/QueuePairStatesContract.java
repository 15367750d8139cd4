// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;

/** A queue pair's life: the table of transitions, what each state does, draining, flushing and using it again. IBA vol 1 §10.3.1. */
@Needs(Capability.INFINIBAND_TRANSPORT)
public abstract class QueuePairStatesContract extends ContractTest {
    private static final int PEERS_QPN = 0x123456;

    private void modify(Consumer<QpAttributes> setter) {
        QpAttributes attributes = new QpAttributes();
        setter.accept(attributes);
        a.qp.modify(attributes);
    }

    private AddressVector way() {
        return fabric().way(0, 1);
    }

    /** A alone, in that state. */
    private void goTo(QpState state) {
        open();
        advance(state);
    }

    private void advance(QpState state) {
        if (state.compareTo(QpState.INIT) >= 0) {
            a.qp.modify(setup.init(setup.accessA));
        }
        if (state.compareTo(QpState.RTR) >= 0) {
            a.qp.modify(setup.rtr(way(), PEERS_QPN, setup.psnB));
        }
        if (state.compareTo(QpState.RTS) >= 0) {
            a.qp.modify(setup.rts(setup.psnA));
        }
        if (state == QpState.SQD || state == QpState.ERR) {
            modify(attributes -> attributes.state(state));
        }
        assertEquals(state, a.qp.state());
    }

    private void postSend(long wrId) {
        a.qp.postSend(wr.send().wrId(wrId).inlineData(MemorySegment.ofArray(new byte[8])).signaled());
    }

    private void postReceive(End end, long wrId, int bytes) {
        end.qp.postReceive(recv.begin(wrId).element(end.memory(bytes, AccessFlags.LOCAL_WRITE), 0, bytes));
    }

    private void shouldRefuse(String why, QpAttributes attributes) {
        QpState before = a.qp.state();
        refusedByDevice(Errno.EINVAL, "modify_qp", () -> a.qp.modify(attributes), why);
        assertEquals(before, a.qp.state(), "unchanged");
    }

    // ---- creating and asking ----

    @Test
    void shouldBeBornInReset() {
        open();
        assertEquals(QpState.RESET, a.qp.state());
        assertEquals(QpState.RESET, a.qp.query().state());
        assertEquals(QpType.RC, a.qp.type());
        a.qp.modify(setup.init(AccessFlags.REMOTE_READ));
        QpAttributes now = a.qp.query();
        assertEquals(List.of(QpState.INIT, AccessFlags.REMOTE_READ, 0, 1),
            List.of(now.state(), now.accessFlags(), now.pkeyIndex(), now.port()));
    }

    @Test
    @Needs(Capability.UNRELIABLE_CONNECTIONS)
    void shouldMakeUnreliableConnections() {
        setup.type = QpType.UC;
        goTo(QpState.RTS);
        assertEquals(QpType.UC, a.qp.type());
        QpAttributes now = a.qp.query();
        assertEquals(List.of(QpState.RTS, PEERS_QPN, setup.psnA, setup.psnB, setup.mtu),
            List.of(now.state(), now.destQpn(), now.sqPsn(), now.rqPsn(), now.pathMtu()));
    }

    @Test
    @Needs(Capability.DATAGRAMS)
    void shouldMakeDatagramQueuePairs() {
        setup.type = QpType.UD;
        setup.qkey = 0x123;
        goTo(QpState.INIT);
        assertEquals(QpType.UD, a.qp.type());
        assertEquals(0x123, a.qp.query().qkey());
        a.qp.modify(setup.rtr(null, 0, 0));
        a.qp.modify(setup.rts(0x45));
        assertEquals(0x45, a.qp.query().sqPsn());
        modify(attributes -> attributes.qkey(0x321));
        assertEquals(0x321, a.qp.query().qkey());
        modify(attributes -> attributes.state(QpState.RESET));
        assertEquals(QpState.RESET, a.qp.state());
    }

    @Test
    void shouldTellEverythingThatWasSet() {
        goTo(QpState.RTS);
        QpAttributes now = a.qp.query();
        assertEquals(List.of(way(), setup.mtu, PEERS_QPN, setup.destRdAtomic, setup.minRnrTimer, setup.timeout, setup.retryCount,
            setup.rnrRetry, setup.rdAtomic, setup.accessA),
            List.of(now.addressVector(), now.pathMtu(), now.destQpn(), now.maxDestRdAtomic(), now.minRnrTimer(), now.timeout(),
                now.retryCount(), now.rnrRetry(), now.maxRdAtomic(), now.accessFlags()));
    }

    /** Five packets of a SEND one way, one back; PSNs wrap at 24 bits. */
    @Test
    void shouldTellCurrentPsnsWhenQueried() {
        setup.psnA = 0xfffffd;
        connect();
        postReceive(b, 1, 5000);
        postReceive(a, 2, 8);
        a.qp.postSend(wr.send().element(a.memory(5000, 0), 0, 5000).signaled());
        b.qp.postSend(wr.send().signaled());
        await(() -> a.sends().size() == 1 && b.sends().size() == 1 && a.receives().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of(2, setup.psnB + 1), List.of(a.qp.query().sqPsn(), a.qp.query().rqPsn()));
        assertEquals(List.of(setup.psnB + 1, 2), List.of(b.qp.query().sqPsn(), b.qp.query().rqPsn()));
    }

    // ---- the table, on a device ----

    private Map<String, Consumer<QpAttributes>> attributesOf(QpState to) {
        Map<String, Consumer<QpAttributes>> needed = new LinkedHashMap<>();
        switch (to) {
            case INIT -> {
                needed.put("PKEY_INDEX", attributes -> attributes.pkeyIndex(0));
                needed.put("PORT", attributes -> attributes.port(1));
                needed.put("ACCESS_FLAGS", attributes -> attributes.accessFlags(0));
            }
            case RTR -> {
                needed.put("AV", attributes -> attributes.addressVector(way()));
                needed.put("PATH_MTU", attributes -> attributes.pathMtu(Mtu.MTU_1024));
                needed.put("DEST_QPN", attributes -> attributes.destQpn(PEERS_QPN));
                needed.put("RQ_PSN", attributes -> attributes.rqPsn(5));
                needed.put("MAX_DEST_RD_ATOMIC", attributes -> attributes.maxDestRdAtomic(1));
                needed.put("MIN_RNR_TIMER", attributes -> attributes.minRnrTimer(1));
            }
            default -> {
                needed.put("TIMEOUT", attributes -> attributes.timeout(14));
                needed.put("RETRY_CNT", attributes -> attributes.retryCount(7));
                needed.put("RNR_RETRY", attributes -> attributes.rnrRetry(7));
                needed.put("SQ_PSN", attributes -> attributes.sqPsn(5));
                needed.put("MAX_QP_RD_ATOMIC", attributes -> attributes.maxRdAtomic(1));
            }
        }
        return needed;
    }

    @ParameterizedTest
    @EnumSource(names = {"INIT", "RTR", "RTS"})
    void shouldNameTheMissingAndTheForeignAttribute(QpState to) {
        goTo(QpState.values()[to.ordinal() - 1]);
        Map<String, Consumer<QpAttributes>> needed = attributesOf(to);
        for (String missing : needed.keySet()) {
            QpAttributes attributes = new QpAttributes().state(to);
            needed.forEach((name, setter) -> {
                if (!name.equals(missing)) {
                    setter.accept(attributes);
                }
            });
            shouldRefuse("missing " + missing, attributes);
        }
        QpAttributes withQkey = new QpAttributes().state(to).qkey(1);
        needed.values().forEach(setter -> setter.accept(withQkey));
        shouldRefuse("not allowed here: QKEY", withQkey);
        QpAttributes complete = new QpAttributes().state(to);
        needed.values().forEach(setter -> setter.accept(complete));
        a.qp.modify(complete);
        assertEquals(to, a.qp.state());
    }

    @Test
    void shouldRefuseTransitionsThatAreNotThere() {
        goTo(QpState.RESET);
        for (QpState to : List.of(QpState.RTR, QpState.RTS, QpState.SQD, QpState.SQE, QpState.ERR)) {
            shouldRefuse("RESET to " + to, new QpAttributes().state(to));
        }
        advance(QpState.RTS);
        shouldRefuse("RTS to RTR", setup.rtr(way(), PEERS_QPN, 0));
        shouldRefuse("CUR_STATE SQD", new QpAttributes().state(QpState.RTS).curState(QpState.SQD));
        shouldRefuse("TIMEOUT", new QpAttributes().state(QpState.RTS).timeout(3));
        a.qp.modify(new QpAttributes().state(QpState.RTS).curState(QpState.RTS).minRnrTimer(3));
        assertEquals(3, a.qp.query().minRnrTimer());
    }

    /** IBA vol 1 §11.2.5.2: from RTR on a caller may say in which state the queue pair is; then it must be so. */
    @Test
    void shouldTakeTheCurrentStateOnlyIfItIsRight() {
        goTo(QpState.INIT);
        shouldRefuse("CUR_STATE INIT", setup.rtr(way(), PEERS_QPN, 0).curState(QpState.INIT));
        a.qp.modify(setup.rtr(way(), PEERS_QPN, 0));
        shouldRefuse("CUR_STATE RTS", setup.rts(0).curState(QpState.RTS));
        a.qp.modify(setup.rts(0).curState(QpState.RTR));
        a.qp.modify(new QpAttributes().state(QpState.RTS).curState(QpState.RTS).minRnrTimer(3));
        a.qp.modify(new QpAttributes().state(QpState.SQD));
        shouldRefuse("CUR_STATE RTS", new QpAttributes().state(QpState.RTS).curState(QpState.RTS));
        a.qp.modify(new QpAttributes().state(QpState.RTS).curState(QpState.SQD));
        assertEquals(QpState.RTS, a.qp.state());
        shouldRefuse("CUR_STATE", new QpAttributes().state(QpState.ERR).curState(QpState.RTS));
    }

    @Test
    void shouldRefuseValuesOutOfRangeAndTakeTheLastOnesInside() {
        goTo(QpState.RESET);
        int deep = a.context.queryDevice().maxQpRdAtom();
        int ports = a.context.queryDevice().physPortCnt();
        int pkeys = a.context.queryPort(1).pkeyTblLen();
        shouldRefuse("PORT " + (ports + 1), new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(ports + 1).accessFlags(0));
        shouldRefuse("PKEY_INDEX " + pkeys, new QpAttributes().state(QpState.INIT).pkeyIndex(pkeys).port(1).accessFlags(0));
        advance(QpState.INIT);
        shouldRefuse("RQ_PSN 16777216", setup.rtr(way(), 1, 1 << 24));
        shouldRefuse("DEST_QPN 16777216", setup.rtr(way(), 1 << 24, 0));
        shouldRefuse("MAX_DEST_RD_ATOMIC " + (deep + 1), setup.rtr(way(), 1, 0).maxDestRdAtomic(deep + 1));
        shouldRefuse("MIN_RNR_TIMER 32", setup.rtr(way(), 1, 0).minRnrTimer(32));
        shouldRefuse("sgid_index 5000", setup.rtr(AddressVector.to(way().dgid(), 5000), 1, 0));
        shouldRefuse("sgid_index -1", setup.rtr(AddressVector.to(way().dgid(), -1), 1, 0));
        shouldRefuse("without a GID", setup.rtr(AddressVector.to(Gid.ZERO, way().sgidIndex()), 1, 0));
        shouldRefuse("multicast", setup.rtr(AddressVector.to(Gid.ofIpv4(0xe0000001), way().sgidIndex()), 1, 0));
        shouldRefuse("the other IPv6", setup.rtr(AddressVector.to(new Gid(0xfd00L << 48, 9), way().sgidIndex()), 1, 0));
        a.qp.modify(setup.rtr(way(), 0xffffff, 0xffffff).maxDestRdAtomic(deep).minRnrTimer(31)
            .pathMtu(a.context.queryPort(1).activeMtu()));
        shouldRefuse("TIMEOUT 32", setup.rts(0).timeout(32));
        shouldRefuse("RETRY_CNT 8", setup.rts(0).retryCount(8));
        shouldRefuse("RNR_RETRY -1", setup.rts(0).rnrRetry(-1));
        shouldRefuse("MAX_QP_RD_ATOMIC " + (deep + 1), setup.rts(0).maxRdAtomic(deep + 1));
        shouldRefuse("SQ_PSN -1", setup.rts(-1));
        a.qp.modify(setup.rts(0xffffff).timeout(31).retryCount(7).rnrRetry(7).maxRdAtomic(deep));
        assertEquals(QpState.RTS, a.qp.state());
    }

    // ---- posting per state ----

    @ParameterizedTest
    @EnumSource(names = {"RESET", "INIT", "RTR"})
    void shouldTakeNoSendsBelowRts(QpState state) {
        goTo(state);
        refused(Errno.EINVAL, "post_send", () -> postSend(1), state);
    }

    @Test
    void shouldTakeReceivesFromInitOn() {
        open();
        refused(Errno.EINVAL, "post_recv", () -> postReceive(a, 1, 8), "RESET");
        advance(QpState.INIT);
        postReceive(a, 1, 8);
        assertEquals(QpState.INIT, a.qp.state());
    }

    /** A responder serves in RTR already: its owner need not be ready to send. */
    @Test
    void shouldReceiveAndRespondInRtrAndTellThatThePeerIsThere() {
        open();
        b.qp.modify(setup.init(setup.accessB));
        b.qp.modify(setup.rtr(fabric().way(1, 0), a.qp.qpNum(), setup.psnA));
        setup.connect(a.qp, way(), b.qp.qpNum(), setup.accessA, setup.psnA, setup.psnB);
        postReceive(b, 4, 64);
        MemoryRegion target = b.memory(bytes(16, 1));
        MemoryRegion into = a.memory(16, AccessFlags.LOCAL_WRITE);
        postSend(1);
        a.qp.postSend(wr.read(target.address(), target.rkey()).wrId(2).element(into, 0, 16).signaled());
        await(() -> a.sends().size() == 2 && b.receives().size() == 1 && !b.events().isEmpty());
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()));
        assertEquals(List.of("4 SUCCESS"), End.brief(b.receives()));
        assertEquals(List.of(AsyncEventType.COMM_EST), b.events());
        b.qp.modify(setup.rts(setup.psnB));
        postReceive(a, 5, 8);
        b.qp.postSend(wr.send().signaled());
        await(() -> b.sends().size() == 1);
        assertEquals(List.of("0 SUCCESS"), End.brief(b.sends()));
    }

    // ---- SQD ----

    @Test
    void shouldReportAnEmptyQueueDrainedAtOnceAndOnlyIfAsked() {
        connect();
        modify(attributes -> attributes.state(QpState.SQD));
        assertEquals(List.of(), a.events());
        modify(attributes -> attributes.state(QpState.RTS));
        modify(attributes -> attributes.state(QpState.SQD).sqdAsyncNotify(true));
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), a.events());
    }

    @Test
    void shouldFinishWhatWasBegunThenReportAndKeepWhatIsPostedUntilRts() {
        connect();
        for (int i = 1; i <= 3; i++) {
            postReceive(b, i, 8);
        }
        postSend(1);
        postSend(2);
        await(() -> b.receives().size() == 2);
        modify(attributes -> attributes.state(QpState.SQD).sqdAsyncNotify(true));
        postSend(3);
        await(() -> !a.events().isEmpty());
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), a.events());
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(a.sends()));
        assertEquals(2, b.receives().size(), "the third one waits");
        modify(attributes -> attributes.state(QpState.RTS));
        await(() -> a.sends().size() == 3 && b.receives().size() == 3);
        assertEquals("3 SUCCESS", End.brief(a.sends()).getLast());
        assertEquals(List.of(AsyncEventType.SQ_DRAINED), a.events(), "once");
    }

    @Test
    void shouldReceiveWhileSendsAreDrained() {
        connect();
        modify(attributes -> attributes.state(QpState.SQD));
        postReceive(a, 1, 8);
        MemoryRegion target = a.memory(bytes(8, 1));
        MemoryRegion into = b.memory(8, AccessFlags.LOCAL_WRITE);
        b.qp.postSend(wr.send().wrId(1).signaled());
        b.qp.postSend(wr.read(target.address(), target.rkey()).wrId(2).element(into, 0, 8).signaled());
        await(() -> b.sends().size() == 2 && a.receives().size() == 1);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), End.brief(b.sends()));
    }

    @Test
    void shouldChangeTimersOnlyWhileDrained() {
        goTo(QpState.RTS);
        shouldRefuse("TIMEOUT", new QpAttributes().timeout(10));
        modify(attributes -> attributes.state(QpState.SQD));
        modify(attributes -> attributes.timeout(10).retryCount(1).rnrRetry(2).maxRdAtomic(3).maxDestRdAtomic(2).minRnrTimer(4));
        QpAttributes now = a.qp.query();
        assertEquals(List.of(10, 1, 2, 3, 4),
            List.of(now.timeout(), now.retryCount(), now.rnrRetry(), now.maxRdAtomic(), now.minRnrTimer()));
    }

    // ---- ERR and RESET ----

    /** In posting order, on each queue; what is posted later is flushed as well. The caller knows, so there is no event. */
    @Test
    void shouldFlushEverythingInOrderWhenSentToErr() {
        goTo(QpState.RTS);
        for (int i = 0; i < 3; i++) {
            postSend(i);
            postReceive(a, 10 + i, 8);
        }
        modify(attributes -> attributes.state(QpState.ERR));
        await(() -> a.sends().size() == 3 && a.receives().size() == 3);
        assertEquals(List.of("0 WR_FLUSH_ERR", "1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR"), End.brief(a.sends()));
        assertEquals(List.of("10 WR_FLUSH_ERR", "11 WR_FLUSH_ERR", "12 WR_FLUSH_ERR"), End.brief(a.receives()));
        assertTrue(a.sends().stream().allMatch(wc -> wc.qpNum() == a.qp.qpNum()));
        postSend(3);
        postReceive(a, 13, 8);
        await(() -> a.sends().size() == 4 && a.receives().size() == 4);
        assertEquals("3 WR_FLUSH_ERR", End.brief(a.sends()).getLast());
        assertEquals("13 WR_FLUSH_ERR", End.brief(a.receives()).getLast());
        assertEquals(List.of(), a.events());
    }

    /** RESET forgets: no completions, empty queues, and a life as if it were the first. */
    @Test
    void shouldForgetEverythingOnResetAndServeAgain() {
        setup.queueDepth = 4;
        open();
        for (int round = 0; round < 3; round++) {
            int base = 100 * round;
            // The peer is not ready to answer yet.
            advance(QpState.RTS);
            int granted = a.qp.capabilities().maxSendWr();
            for (int i = 0; i < granted; i++) {
                postSend(base + i);
            }
            for (int i = 0; i < a.qp.capabilities().maxRecvWr(); i++) {
                postReceive(a, base + i, 8);
            }
            modify(attributes -> attributes.state(QpState.RESET));
            setup.psnA = 1000 * round;
            fabric().connect(a.qp, 0, b.qp, 1, setup);
            postReceive(b, base + 51, 8);
            postReceive(a, base + 52, 8);
            postSend(base + 53);
            b.qp.postSend(wr.send().wrId(base + 54).signaled());
            int done = round + 1;
            await(() -> a.sends().size() == done && a.receives().size() == done && b.sends().size() == done && b.receives().size() == done);
            assertEquals(base + 53 + " SUCCESS", End.brief(a.sends()).getLast());
            assertEquals(base + 52 + " SUCCESS", End.brief(a.receives()).getLast());
            modify(attributes -> attributes.state(QpState.RESET));
            b.qp.modify(new QpAttributes().state(QpState.RESET));
        }
    }

    @Test
    void shouldLeaveErrByResetOnly() {
        goTo(QpState.ERR);
        for (QpState to : List.of(QpState.INIT, QpState.RTR, QpState.RTS, QpState.SQD, QpState.SQE)) {
            shouldRefuse("ERR to " + to, new QpAttributes().state(to));
        }
        modify(attributes -> attributes.state(QpState.ERR));
        modify(attributes -> attributes.state(QpState.RESET));
        advance(QpState.RTS);
    }
}
