// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Connecting: queue pairs, parameters, refusals and failures. */
class ConnectingTest extends TwoHosts {
    @Test
    void shouldConnectAndMoveBothQueuePairs() {
        SoftCmId listener = listening(BOB, PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.createQp(null, rc());
        RecordingQueuePair alicesQp = alicesDevice.context().queuePairs.getFirst();
        assertEquals(List.of(QpState.INIT), alicesQp.states, "receives can be posted before connecting");

        active.connect(ConnectionParameters.builder().privateData(new byte[] {1, 2, 3}).responderResources(4).initiatorDepth(3)
            .flowControl(true).retryCount(5).rnrRetryCount(6).build());
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertSame(listener, request.listenId());
        assertEquals("listener", request.id().context());
        assertEquals(at(BOB, PORT), request.id().localAddress());
        assertEquals(active.localAddress(), request.id().peerAddress());
        // The peer's initiator depth is our responder resources.
        assertEquals(ConnectionParameters.builder().privateData(new byte[] {1, 2, 3}).responderResources(3).initiatorDepth(4)
            .flowControl(true).retryCount(5).rnrRetryCount(6).qpNum(ALICES_QPN).build(), request.connection());
        CmId passive = request.id();
        request.ack();
        passive.createQp(null, rc());
        passive.accept(ConnectionParameters.builder().privateData(new byte[] {9}).responderResources(2).initiatorDepth(1)
            .retryCount(7).rnrRetryCount(4).build());
        RecordingQueuePair bobsQp = bobsDevice.context().queuePairs.getFirst();
        assertEquals(List.of(QpState.INIT, QpState.INIT, QpState.RTR, QpState.RTS), bobsQp.states);
        assertEquals(ALICES_QPN, bobsQp.query().destQpn());
        assertEquals(2, bobsQp.query().maxDestRdAtomic());
        assertEquals(1, bobsQp.query().maxRdAtomic());
        assertEquals(AccessFlags.REMOTE_WRITE, bobsQp.query().accessFlags());

        CmEvent established = expect(alices, CmEventType.ESTABLISHED, 0);
        assertSame(active, established.id());
        assertNull(established.listenId());
        assertEquals(ConnectionParameters.builder().privateData(new byte[] {9}).responderResources(1).initiatorDepth(2)
            .retryCount(7).rnrRetryCount(4).qpNum(BOBS_QPN).build(), established.connection());
        established.ack();
        assertEquals(List.of(QpState.INIT, QpState.INIT, QpState.RTR, QpState.RTS), alicesQp.states);
        assertEquals(BOBS_QPN, alicesQp.query().destQpn());
        assertEquals(1, alicesQp.query().maxDestRdAtomic());
        assertEquals(2, alicesQp.query().maxRdAtomic());
        CmEvent atBob = expect(bobs, CmEventType.ESTABLISHED, 0);
        assertSame(passive, atBob.id());
        atBob.ack();
        expectNothing(alices);
    }

    @Test
    void shouldLetTheProgramMoveItsOwnQueuePair() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        assertEquals(QpState.INIT, active.initQpAttributes(QpState.INIT).state());
        refused(Errno.EINVAL, () -> active.initQpAttributes(QpState.RTR));
        active.connect(ConnectionParameters.DEFAULT.withQp(0xabc, false));
        CmId passive = requested();
        assertEquals(0xabc, passive.initQpAttributes(QpState.RTR).destQpn());
        passive.accept(ConnectionParameters.DEFAULT.withQp(0xdef, false));
        CmEvent response = expect(alices, CmEventType.CONNECT_RESPONSE, 0);
        assertEquals(0xdef, response.connection().qpNum());
        response.ack();
        assertEquals(0xdef, active.initQpAttributes(QpState.RTR).destQpn());
        expectNothing(bobs);
        active.establish();
        expect(bobs, CmEventType.ESTABLISHED, 0).ack();
        expectNothing(alices);
    }

    @Test
    void shouldBeEstablishedWhenDataCameBeforeThePeersLastWord() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.accept();
        passive.notify(AsyncEventType.PATH_MIG);
        expectNothing(bobs);
        passive.notify(AsyncEventType.COMM_EST);
        expect(bobs, CmEventType.ESTABLISHED, 0).ack();
    }

    @Test
    void shouldSayConnectErrorWhenTheQueuePairDoesNotFollow() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.createQp(null, rc());
        alicesDevice.context().refusedState = QpState.RTR;
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.createQp(null, rc());
        passive.accept();
        expect(alices, CmEventType.CONNECT_ERROR, -Errno.EHOSTUNREACH.value()).ack();
        assertEquals(QpState.ERR, active.qp().state());
        expect(bobs, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
        assertEquals(QpState.ERR, passive.qp().state());
        expectNothing(alices);
    }

    @Test
    void shouldThrowWhenTheAcceptingQueuePairDoesNotFollow() {
        listening("0.0.0.0", PORT, 5);
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.createQp(null, rc());
        bobsDevice.context().refusedState = QpState.RTS;
        refused(Errno.EHOSTUNREACH, passive::accept);
        assertEquals(QpState.ERR, passive.qp().state());
        expectNothing(alices);
        passive.reject(new byte[0]);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT).ack();
    }

    @Test
    void shouldHandOverARefusalWithItsData() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.createQp(null, rc());
        active.connect(ConnectionParameters.DEFAULT);
        requested().reject(new byte[] {4, 2});
        CmEvent rejected = expect(alices, CmEventType.REJECTED, MemoryNetwork.CONSUMER_REJECT);
        assertArrayEquals(new byte[] {4, 2}, rejected.connection().privateData());
        rejected.ack();
        assertEquals(QpState.ERR, active.qp().state());
    }

    @Test
    void shouldHearThatNobodyListens() {
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        bob.manager.createId(bobs, null, PortSpace.TCP).bind(at(BOB, PORT));
        active.connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.REJECTED, MemoryNetwork.NO_SERVICE).ack();
    }

    @Test
    void shouldBeUnreachableWhenNobodyAnswers() {
        alice.route("10.0.0.99", ALICE);
        resolved(alices, "10.0.0.99", PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT);
        expectNothing(alices);
        network.run((MemoryNetwork.REPEATS + 1) * MemoryNetwork.REPEAT_NS);
        expect(alices, CmEventType.UNREACHABLE, -110).ack();
    }

    @Test
    void shouldTakeNumbersOfTheRequestWhenAcceptingWithoutAny() {
        listening("0.0.0.0", PORT, 5);
        resolved(alices, BOB, PORT, PortSpace.TCP).connect(ConnectionParameters.DEFAULT.withReads(5, 3).withRetries(2, 1));
        CmId passive = requested();
        passive.accept();
        CmEvent response = expect(alices, CmEventType.CONNECT_RESPONSE, 0);
        assertEquals(5, response.connection().responderResources());
        assertEquals(3, response.connection().initiatorDepth());
        assertEquals(7, response.connection().rnrRetryCount());
        response.ack();
    }

    @Test
    void shouldAskForWhatTheDeviceCanAndNotForMore() {
        listening("0.0.0.0", PORT, 5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        ConnectionParameters all = ConnectionParameters.DEFAULT;
        refused(Errno.EINVAL, () -> active.connect(all.withReads(TestContext.MAX_READS + 1, 1)));
        refused(Errno.EINVAL, () -> active.connect(all.withReads(1, TestContext.MAX_READS + 1)));
        refused(Errno.EINVAL, () -> active.connect(all.withReads(-1, 1)));
        refused(Errno.EINVAL, () -> active.connect(all.withRetries(8, 0)));
        refused(Errno.EINVAL, () -> active.connect(all.withRetries(0, 8)));
        refused(Errno.EINVAL, () -> active.connect(all.withQp(1 << 24, false)));
        refused(Errno.EINVAL, () -> active.connect(all.withPrivateData(new byte[MemoryNetwork.LONGEST_REQUEST + 1])));
        active.connect(all.withPrivateData(new byte[MemoryNetwork.LONGEST_REQUEST]));
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertEquals(TestContext.MAX_READS, request.connection().responderResources());
        assertEquals(TestContext.MAX_READS, request.connection().initiatorDepth());
        request.ack();
    }

    @Test
    void shouldGiveOptionsToTheQueuePair() {
        SoftCmId listener = listening("0.0.0.0", PORT, 5);
        listener.minRnrTimer(12);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.TCP);
        active.ackTimeout(14);
        refused(Errno.EINVAL, () -> active.ackTimeout(32));
        refused(Errno.EINVAL, () -> active.typeOfService(256));
        refused(Errno.EINVAL, () -> active.minRnrTimer(32));
        active.createQp(null, rc());
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = requested();
        passive.createQp(null, rc());
        passive.accept();
        expect(alices, CmEventType.ESTABLISHED, 0).ack();
        assertEquals(14, active.qp().query().timeout());
        assertEquals(12, passive.qp().query().minRnrTimer());
    }

    @Test
    void shouldRefuseWhatDoesNotFitTheState() {
        CmId id = alice.manager.createId(alices, null, PortSpace.TCP);
        ConnectionParameters all = ConnectionParameters.DEFAULT;
        refused(Errno.EINVAL, () -> id.resolveRoute(1));
        refused(Errno.EINVAL, () -> id.connect(all));
        refused(Errno.EINVAL, id::accept);
        refused(Errno.EINVAL, () -> id.reject(new byte[0]));
        refused(Errno.EINVAL, id::disconnect);
        refused(Errno.EINVAL, id::establish);
        refused(Errno.EINVAL, () -> id.createQp(null, rc()));
        refused(Errno.EINVAL, () -> id.initQpAttributes(QpState.INIT));
        refused(Errno.EINVAL, id::getRequest);
        id.resolveAddress(null, at(BOB, PORT), 1);
        expect(alices, CmEventType.ADDR_RESOLVED, 0).ack();
        refused(Errno.EINVAL, () -> id.connect(all));
        refused(Errno.EINVAL, () -> id.listen(1));
        refused(Errno.EINVAL, () -> id.resolveAddress(null, at(BOB, PORT), 1));
        refused(Errno.EINVAL, () -> id.reuseAddress(true));
        refused(Errno.EINVAL, () -> id.familyOnly(true));
        refused(Errno.EINVAL, () -> id.createQp(null, ud()));
        id.createQp(null, rc());
        refused(Errno.EINVAL, () -> id.createQp(null, rc()));
        id.resolveRoute(1);
        expect(alices, CmEventType.ROUTE_RESOLVED, 0).ack();
        refused(Errno.EINVAL, () -> alice.manager.createId(alices, null, PortSpace.TCP, QpType.UD));
        id.connect(all);
        refused(Errno.EINVAL, () -> id.connect(all));
        refused(Errno.EINVAL, id::accept);
    }

    @Test
    void shouldForbidPort0AsDestination() {
        refused(Errno.EINVAL, () -> resolved(alices, BOB, 0, PortSpace.TCP).connect(ConnectionParameters.DEFAULT));
    }
}
