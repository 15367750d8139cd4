// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.cm.CmPathOptions;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.wire.cm.CmRejectReason;

/** Complete devices that connect through queue pair 1, on virtual time and a network with losses. */
class CmTransportTest {
    private static final long SECOND = 1_000_000_000L;

    private SimulatedFabric fabric;
    private Simulation simulation;
    private CmEnd a;
    private CmEnd b;

    private void open(FaultPlan faults, QpType type, boolean ipv6) {
        open(faults, type, ipv6, 9000);
    }

    private void open(FaultPlan faults, QpType type, boolean ipv6, int mtuOfB) {
        fabric = new SimulatedFabric(11, faults);
        simulation = new Simulation(fabric);
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        setup.type = type;
        a = end(1, ipv6, setup, 9000);
        b = end(2, ipv6, setup, mtuOfB);
    }

    private CmEnd end(int number, boolean ipv6, SimulatedPair.Setup setup, int mtu) {
        Gid gid = ipv6 ? new Gid(0xfd00L << 48, number) : Gid.ofIpv4(0x0a000000 | number);
        return new CmEnd(SimulatedRxe.open(simulation, fabric.attach(gid), new SplittableRandom(number), mtu), gid, setup);
    }

    private void runUntil(BooleanSupplier condition) {
        assertTrue(simulation.runUntil(condition, fabric.nowNs() + 1000 * SECOND), a.told() + " | " + b.told());
    }

    private void connect() {
        b.transport.listen(CmEnd.SERVICE, b);
        a.connect(b, "may I?");
        runUntil(() -> b.count() == 1);
        b.accept("yes");
        runUntil(() -> a.count() == 1);
        a.establish();
        runUntil(() -> b.count() == 2);
        assertEquals("response", a.told());
        assertEquals("request, established", b.told());
    }

    private static boolean isIdle(CmEnd end) {
        return ((RxeContext) end.side.context).running().engine().gsi().manager().isIdle();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldConnectExchangeDataAndDisconnect(boolean ipv6) {
        open(FaultPlan.NONE, QpType.RC, ipv6);
        connect();
        assertEquals("may I?", CmEnd.text(b.request.parameters().privateData()));
        assertEquals(56, b.request.parameters().privateData().length);
        assertEquals("yes", CmEnd.text(a.response.privateData()));
        assertEquals(196, a.response.privateData().length);
        assertEquals(CmEnd.SERVICE, b.request.service());
        assertEquals(a.address, b.request.remote());
        assertEquals(b.port(CmEnd.SERVICE.port()), b.request.local());
        assertEquals(QpType.RC, b.request.type());
        // Requested with responder resources 16 and initiator depth 8: the other end has them swapped.
        assertEquals(8, b.request.parameters().responderResources());
        assertEquals(16, b.request.parameters().initiatorDepth());
        assertEquals(b.side.qp.qpNum(), a.response.qpNum());
        assertEquals(a.side.qp.qpNum(), b.request.parameters().qpNum());
        CmEnd.exchange(a, b, this::runUntil);
        a.disconnect();
        runUntil(() -> b.count() == 3);
        b.disconnect();
        runUntil(() -> a.count() == 3 && b.count() == 4);
        assertEquals("response, disconnected 0, timewait is over", a.told());
        assertEquals("request, established, disconnected 0, timewait is over", b.told());
        assertTrue(isIdle(a) && isIdle(b));
    }

    @Test
    void shouldConnectAndDisconnectOverALossyNetwork() {
        open(FaultPlan.NONE.withLoss(0.3).withDuplication(0.2).withReordering(0.2, 1_000_000), QpType.RC, false);
        connect();
        CmEnd.exchange(a, b, this::runUntil);
        b.disconnect();
        runUntil(() -> a.told().contains("disconnected"));
        a.disconnect();
        runUntil(() -> isIdle(a) && isIdle(b));
        assertEquals("response, disconnected 0, timewait is over", a.told());
        assertTrue(b.told().startsWith("request, established, disconnected "), b.told());
    }

    @Test
    void shouldBeEstablishedByDataWhenTheRtuDoesNotCome() {
        open(FaultPlan.NONE, QpType.RC, false);
        b.transport.listen(CmEnd.SERVICE, b);
        a.connect(b, "");
        runUntil(() -> b.count() == 1);
        b.accept("");
        runUntil(() -> a.count() == 1);
        fabric.partition(a.side.gid, b.side.gid, 1_000);
        a.establish();
        simulation.runFor(1_000_000);
        assertEquals("request", b.told(), "the RTU is lost");
        CmEnd.exchange(a, b, this::runUntil);
        assertEquals("request, established", b.told());
        assertEquals(1, b.side.counter("cm_established_by_packet"));
    }

    @Test
    void shouldSetUpQueuePairsAsBothSaid() {
        open(FaultPlan.NONE, QpType.RC, false);
        b.transport.listen(CmEnd.SERVICE, b);
        a.connection = a.transport.open(a);
        a.connection.connect(CmEnd.SERVICE, QpType.RC, a.address, b.port(CmEnd.SERVICE.port()),
            ConnectionParameters.builder().responderResources(3).initiatorDepth(2).retryCount(5).rnrRetryCount(4)
                .qpNum(a.side.qp.qpNum()).build(), new CmPathOptions(0x20, 13, 9));
        runUntil(() -> b.count() == 1);
        QpAttributes rtr = b.connection.qpAttributes(QpState.RTR, CmPathOptions.DEFAULT);
        assertEquals(Mtu.MTU_4096, rtr.pathMtu());
        assertEquals(a.side.qp.qpNum(), rtr.destQpn());
        assertEquals(a.side.gid, rtr.addressVector().dgid());
        assertEquals(b.side.gid, b.side.context.queryGid(1, rtr.addressVector().sgidIndex()));
        assertEquals(0x20, rtr.addressVector().trafficClass());
        assertEquals(2, rtr.maxDestRdAtomic());
        QpAttributes rts = b.connection.qpAttributes(QpState.RTS, CmPathOptions.DEFAULT);
        assertEquals(13, rts.timeout(), "the asking side's");
        assertEquals(5, rts.retryCount());
        assertEquals(4, rts.rnrRetry());
        assertEquals(3, rts.maxRdAtomic());
        assertEquals(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC,
            b.connection.qpAttributes(QpState.INIT, CmPathOptions.DEFAULT).accessFlags());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class,
            () -> a.connection.qpAttributes(QpState.RTR, CmPathOptions.DEFAULT)).errno(), "nothing is known of the peer");
        b.connection.accept(ConnectionParameters.builder().responderResources(2).initiatorDepth(1).rnrRetryCount(6)
            .qpNum(b.side.qp.qpNum()).build(), 0);
        runUntil(() -> a.count() == 1);
        QpAttributes activeRtr = a.connection.qpAttributes(QpState.RTR, new CmPathOptions(0x20, 13, 9));
        QpAttributes activeRts = a.connection.qpAttributes(QpState.RTS, CmPathOptions.DEFAULT);
        assertEquals(rts.sqPsn(), activeRtr.rqPsn());
        assertEquals(rtr.rqPsn(), activeRts.sqPsn());
        assertEquals(9, activeRtr.minRnrTimer());
        assertEquals(1, activeRtr.maxDestRdAtomic(), "what the other side said it will use");
        assertEquals(2, activeRts.maxRdAtomic());
        assertEquals(6, activeRts.rnrRetry());
        assertEquals(5, activeRts.retryCount());
        // Packet life time 18 and target ACK delay 15 make 19, as Linux computes it on RoCE.
        assertEquals(19, activeRts.timeout());
    }

    @Test
    void shouldConnectUnreliableQueuePairs() {
        open(FaultPlan.NONE, QpType.UC, false);
        b.transport.listen(CmEnd.SERVICE, b);
        a.connection = a.transport.open(a);
        a.connection.connect(CmEnd.SERVICE, QpType.UC, a.address, b.port(CmEnd.SERVICE.port()), a.parameters(""), CmEnd.OPTIONS);
        runUntil(() -> b.count() == 1);
        assertEquals(QpType.UC, b.request.type());
        assertEquals(0, b.connection.qpAttributes(QpState.RTS, CmEnd.OPTIONS).mask() & QpAttributeMask.TIMEOUT);
        b.accept("");
        runUntil(() -> a.count() == 1);
        a.establish();
        runUntil(() -> b.count() == 2);
        assertEquals(QpState.RTS, a.side.qp.state());
        assertEquals(QpState.RTS, b.side.qp.state());
    }

    @Test
    void shouldTellWhyThereIsNoConnection() {
        open(FaultPlan.NONE, QpType.RC, false);
        a.connect(b, "");
        runUntil(() -> a.count() == 1);
        assertEquals("rejected " + CmRejectReason.INVALID_SERVICE_ID, a.told().trim());
        b.transport.listen(CmEnd.SERVICE, b);
        a.connect(b, "");
        runUntil(() -> b.count() == 1);
        b.connection.reject("no, thanks".getBytes());
        runUntil(() -> a.count() == 2);
        assertTrue(a.told().endsWith("rejected 28 no, thanks"), a.told());
        b.transport.unlisten(CmEnd.SERVICE);
        a.connect(b, "");
        runUntil(() -> a.count() == 3);
        assertTrue(isIdle(a) && isIdle(b));
        fabric.partition(a.side.gid, b.side.gid, 1000 * SECOND);
        a.connect(b, "");
        runUntil(() -> a.count() == 4);
        assertTrue(a.told().trim().endsWith("unreachable -110"), a.told());
    }

    @Test
    void shouldRefuseAPathMtuItCannotCarry() {
        open(FaultPlan.NONE, QpType.RC, false, 1500);
        b.transport.listen(CmEnd.SERVICE, b);
        a.connect(b, "");
        runUntil(() -> a.count() == 1);
        assertEquals("rejected " + CmRejectReason.INVALID_MTU, a.told().trim());
        assertEquals("", b.told());
        a.transport.listen(CmEnd.SERVICE, a);
        b.connect(a, "");
        runUntil(() -> a.count() == 2);
        assertEquals(Mtu.MTU_1024, a.connection.qpAttributes(QpState.RTR, CmEnd.OPTIONS).pathMtu());
    }

    @Test
    void shouldFindTheQueuePairOfADatagramService() {
        open(FaultPlan.NONE.withLoss(0.3), QpType.UD, false);
        b.transport.listen(CmEnd.DATAGRAMS, b);
        a.connection = a.transport.open(a);
        a.connection.connect(CmEnd.DATAGRAMS, QpType.UD, a.address, b.port(CmEnd.DATAGRAMS.port()), a.parameters("who?"), CmEnd.OPTIONS);
        runUntil(() -> b.count() == 1);
        assertEquals(QpType.UD, b.request.type());
        assertEquals("who?", CmEnd.text(b.request.parameters().privateData()));
        assertEquals(180, b.request.parameters().privateData().length);
        assertEquals(a.address, b.request.remote());
        b.connection.accept(b.parameters("me"), CmEnd.QKEY);
        runUntil(() -> a.count() == 1);
        assertEquals("target", a.told());
        assertEquals(b.side.qp.qpNum(), a.target.qpNum());
        assertEquals(CmEnd.QKEY, a.target.qkey());
        assertEquals(b.side.gid, a.target.addressVector().dgid());
        assertEquals("me", CmEnd.text(a.target.privateData()));
        assertEquals(136, a.target.privateData().length);
        runUntil(() -> isIdle(a) && isIdle(b));
        assertEquals("request", b.told());
    }

    /** One of several addresses is removed while others receive the reply: nothing may fail. */
    @Test
    void shouldTakeTheAnswerOfADatagramServiceThoughTheAddressThatAskedIsGone() {
        open(FaultPlan.NONE, QpType.UD, false);
        b.transport.listen(CmEnd.DATAGRAMS, b);
        a.connection = a.transport.open(a);
        a.connection.connect(CmEnd.DATAGRAMS, QpType.UD, a.address, b.port(CmEnd.DATAGRAMS.port()), a.parameters(""), CmEnd.OPTIONS);
        runUntil(() -> b.count() == 1);
        RunningRxe device = ((RxeContext) a.side.context).running();
        assertTrue(device.gids().update(device.netdev(), List.of()));
        b.connection.accept(b.parameters("me"), CmEnd.QKEY);
        runUntil(() -> a.count() == 1);
        assertEquals("target", a.told());
        assertEquals(b.side.qp.qpNum(), a.target.qpNum());
        assertEquals(0, a.side.counter("internal_errors"));
    }

    @Test
    void shouldSayWhyADatagramServiceCannotBeUsed() {
        open(FaultPlan.NONE, QpType.UD, false);
        b.transport.listen(CmEnd.SERVICE, b);
        a.connection = a.transport.open(a);
        a.connection.connect(CmEnd.DATAGRAMS, QpType.UD, a.address, b.port(CmEnd.DATAGRAMS.port()), a.parameters(""), CmEnd.OPTIONS);
        runUntil(() -> a.count() == 1);
        assertEquals("unreachable 1", a.told().trim());
        b.transport.listen(CmEnd.DATAGRAMS, b);
        a.connection = a.transport.open(a);
        a.connection.connect(CmEnd.DATAGRAMS, QpType.UD, a.address, b.port(CmEnd.DATAGRAMS.port()), a.parameters(""), CmEnd.OPTIONS);
        runUntil(() -> b.count() == 1);
        b.connection.reject("busy".getBytes());
        runUntil(() -> a.count() == 2);
        assertTrue(a.told().endsWith("unreachable 2 busy"), a.told());
    }

    @Test
    void shouldRefuseMisuse() {
        open(FaultPlan.NONE, QpType.RC, false);
        a.connection = a.transport.open(a);
        refused(Errno.EINVAL, () -> a.connection.accept(a.parameters(""), 0));
        refused(Errno.EINVAL, () -> a.connection.establish());
        refused(Errno.EINVAL, () -> a.connect(b, "x".repeat(57)));
        refused(Errno.EADDRNOTAVAIL, () -> a.connection.connect(CmEnd.SERVICE, QpType.RC, b.address, a.address, a.parameters(""),
            CmEnd.OPTIONS));
        refused(Errno.EOPNOTSUPP, () -> a.connection.connect(CmEnd.SERVICE, QpType.XRC_SEND, a.address, b.address, a.parameters(""),
            CmEnd.OPTIONS));
        a.connect(b, "x".repeat(56));
        refused(Errno.EINVAL, () -> a.connection.connect(CmEnd.SERVICE, QpType.RC, a.address, b.address, a.parameters(""), CmEnd.OPTIONS));
        b.transport.listen(CmEnd.SERVICE, b);
        refused(Errno.EADDRINUSE, () -> b.transport.listen(CmEnd.SERVICE, b));
        a.connection.close();
        a.connection.close();
        refused(Errno.EINVAL, () -> a.connection.connect(CmEnd.SERVICE, QpType.RC, a.address, b.address, a.parameters(""), CmEnd.OPTIONS));
    }

    private static void refused(Errno errno, Runnable call) {
        VerbsException refusal = assertThrows(VerbsException.class, call::run);
        assertEquals(errno, refusal.errno(), refusal.getMessage());
    }

    @Test
    void shouldTellThePeerOfWhatIsClosed() {
        open(FaultPlan.NONE, QpType.RC, false);
        connect();
        a.connection.close();
        runUntil(() -> b.count() == 3);
        assertEquals("request, established, disconnected 0", b.told());
        b.connection.close();
        runUntil(() -> isIdle(a) && isIdle(b));
        assertEquals("response", a.told(), "closed, and told nothing any more");
        assertEquals("request, established, disconnected 0", b.told());
    }

    @Test
    void shouldTellPeersWhenTheDeviceGoesAway() {
        open(FaultPlan.NONE, QpType.RC, false);
        connect();
        ((RxeContext) a.side.context).running().cm().abandonAll();
        runUntil(() -> b.count() == 3);
        assertTrue(b.told().endsWith("disconnected 0"), b.told());
    }

    @Test
    void shouldCountByName() {
        open(FaultPlan.NONE, QpType.RC, false);
        connect();
        assertEquals(2, a.side.counter("cm_sent"));
        assertEquals(1, a.side.counter("cm_received"));
        assertArrayEquals(new long[] {0, 0}, new long[] {a.side.counter("cm_drop_unknown_id"), a.side.counter("drop_gsi_full")});
    }
}
