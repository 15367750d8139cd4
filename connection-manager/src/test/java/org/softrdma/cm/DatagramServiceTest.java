// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.PortSpace;

/** Datagram services and multicast groups. */
class DatagramServiceTest extends TwoHosts {
    @Test
    void shouldLookUpWhereDatagramsGo() {
        CmId listener = bob.manager.createId(bobs, null, PortSpace.UDP);
        listener.bind(at(BOB, PORT));
        listener.listen(5);
        SoftCmId active = resolved(alices, BOB, PORT, PortSpace.UDP);
        active.createQp(null, ud());
        RecordingQueuePair qp = alicesDevice.context().queuePairs.getFirst();
        assertEquals(List.of(QpState.INIT, QpState.RTR, QpState.RTS), qp.states, "it can send before it is connected");
        assertEquals(DatagramParameters.UDP_QKEY, qp.query().qkey());
        active.connect(ConnectionParameters.DEFAULT.withPrivateData(new byte[] {1}));
        CmEvent request = expect(bobs, CmEventType.CONNECT_REQUEST, 0);
        assertArrayEquals(new byte[] {1}, request.datagram().privateData());
        assertNull(request.connection());
        request.ack();
        request.id().createQp(null, ud());
        request.id().accept();
        CmEvent established = expect(alices, CmEventType.ESTABLISHED, 0);
        assertEquals(BOBS_QPN, established.datagram().qpNum());
        assertEquals(0x01234567, established.datagram().qkey());
        assertEquals(Gid.of(TestHost.ip(BOB)), established.datagram().addressVector().dgid());
        established.ack();
        expectNothing(bobs);
        active.disconnect();
        assertEquals(QpState.ERR, active.qp().state());
        expectNothing(bobs);
    }

    @Test
    void shouldNotUnderstandPeersWithAnotherKey() {
        // Its answers are the test's.
        alice.route("10.0.0.99", ALICE);
        SoftCmId active = resolved(alices, "10.0.0.99", PORT, PortSpace.UDP);
        active.createQp(null, ud());
        active.connect(ConnectionParameters.DEFAULT);
        active.handler().onDatagramTarget(new DatagramParameters(new byte[0], null, 5, 0x11111111));
        expect(alices, CmEventType.ADDR_ERROR, -22).ack();
        SoftCmId without = resolved(alices, "10.0.0.99", PORT, PortSpace.UDP);
        without.connect(ConnectionParameters.DEFAULT);
        without.handler().onDatagramTarget(new DatagramParameters(new byte[0], null, 5, 0x11111111));
        expect(alices, CmEventType.ESTABLISHED, 0).ack();
    }

    @Test
    void shouldHearThatNobodyTakesDatagrams() {
        resolved(alices, BOB, PORT, PortSpace.UDP).connect(ConnectionParameters.DEFAULT);
        expect(alices, CmEventType.UNREACHABLE, 1).ack();
    }

    @Test
    void shouldJoinAndLeaveGroups() {
        CmId id = alice.manager.createId(alices, null, PortSpace.UDP);
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip("239.1.1.1"), false, null));
        id.bind(at(ALICE, 0));
        id.createQp(null, ud());
        RecordingQueuePair qp = alicesDevice.context().queuePairs.getFirst();
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip(BOB), false, null));
        id.joinMulticast(TestHost.ip("239.1.1.1"), false, "mine");
        CmEvent joined = expect(alices, CmEventType.MULTICAST_JOIN, 0);
        assertEquals("mine", joined.joinContext());
        assertEquals(0xffffff, joined.datagram().qpNum());
        assertEquals(0x01234567, joined.datagram().qkey());
        assertEquals(Gid.ofIpv4(0xef010101), joined.datagram().addressVector().dgid());
        assertEquals(1, joined.datagram().addressVector().sgidIndex());
        assertEquals(64, joined.datagram().addressVector().hopLimit());
        joined.ack();
        assertEquals(List.of(Gid.ofIpv4(0xef010101)), qp.groups);
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip("239.1.1.1"), false, null));

        id.joinMulticast(TestHost.ip("239.1.1.2"), true, null);
        expect(alices, CmEventType.MULTICAST_JOIN, 0).ack();
        assertEquals(1, qp.groups.size(), "who only sends is not attached");
        alicesDevice.context().refusesGroups = true;
        id.joinMulticast(TestHost.ip("239.1.1.3"), false, "third");
        CmEvent failed = expect(alices, CmEventType.MULTICAST_ERROR, -Errno.ENOMEM.value());
        assertEquals("third", failed.joinContext());
        failed.ack();
        refused(Errno.EINVAL, () -> id.leaveMulticast(TestHost.ip("239.1.1.3")));

        id.leaveMulticast(TestHost.ip("239.1.1.1"));
        assertTrue(qp.groups.isEmpty());
        refused(Errno.EINVAL, () -> id.leaveMulticast(TestHost.ip("239.1.1.1")));
        alicesDevice.context().refusesGroups = false;
        id.joinMulticast(TestHost.ip("239.1.1.1"), false, null);
        expect(alices, CmEventType.MULTICAST_JOIN, 0).ack();
        id.close();
        assertTrue(qp.groups.isEmpty() && qp.destroyed);
    }

    @Test
    void shouldHaveGroupsForDatagramsOnly() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.TCP);
        refused(Errno.EINVAL, () -> id.joinMulticast(TestHost.ip("239.1.1.1"), false, null));
        assertFalse(id.isSynchronous());
    }

    @Test
    void shouldKeepCompletionQueuesOfTheProgram() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.TCP);
        var pd = id.verbs().allocatePd();
        var cq = id.verbs().createCq(4);
        id.createQp(pd, QpInitAttributes.rc(cq, new QpCapabilities(1, 1, 1, 1, 0)));
        assertSame(pd, id.pd());
        assertSame(cq, id.sendCq());
        assertSame(cq, id.receiveCq());
        refused(Errno.EINVAL, () -> id.awaitSend(null));
        id.destroyQp();
        assertNull(id.qp());
        cq.close();
        pd.close();
        CmId other = bob.manager.createId(bobs, null, PortSpace.TCP);
        other.bind(at(BOB, 0));
        refused(Errno.EINVAL, () -> id.createQp(other.pd(), rc()));
    }

    @Test
    void shouldGiveTheInitialAttributesOfDatagrams() {
        SoftCmId id = resolved(alices, BOB, PORT, PortSpace.UDP);
        QpAttributes init = id.initQpAttributes(QpState.INIT);
        assertEquals(0x01234567, init.qkey());
        assertEquals(0, id.initQpAttributes(QpState.RTS).sqPsn());
        refused(Errno.EINVAL, () -> id.initQpAttributes(QpState.SQD));
    }
}
