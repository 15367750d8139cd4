// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;

/** A caller's mistakes with XRC: each causes an exception with errno, verb and the offending values, and changes nothing. */
class XrcMisuseTest {
    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();

    private SimulatedPair pair() {
        setup.queueDepth = 4;
        setup.maxSge = 2;
        return new SimulatedPair(5, setup);
    }

    /** @param values must appear in the message */
    private static VerbsException refused(Errno errno, String verb, Executable call, String... values) {
        VerbsException refused = assertThrows(VerbsException.class, call);
        assertEquals(List.of(errno, verb), List.of(refused.errno(), refused.verb()), refused.getMessage());
        for (String value : values) {
            assertTrue(refused.getMessage().contains(value), "\"" + value + "\" in: " + refused.getMessage());
        }
        assertTrue(refused.getMessage().startsWith(verb + ": " + errno.text() + " (" + errno + ")"), refused.getMessage());
        return refused;
    }

    @Test
    void shouldRefuseXrcDomainsThatCannotBe() {
        SimulatedPair pair = pair();
        Context context = pair.a.context;
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd("d", 0x100 | XrcDomain.CREATE), "0x140");
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd(null, 0), "CREATE");
        refused(Errno.EAGAIN, "open_xrcd", () -> context.openXrcd("d", 0), "no domain d");
        XrcDomain domain = context.openXrcd("d", XrcDomain.CREATE | XrcDomain.EXCLUSIVE);
        refused(Errno.EINVAL, "open_xrcd", () -> context.openXrcd("d", XrcDomain.CREATE | XrcDomain.EXCLUSIVE), "domain d exists");
        refused(Errno.EAGAIN, "open_xrcd", () -> pair.b.context.openXrcd("d", 0), "no domain d");
        XrcDomain again = context.openXrcd("d", 0);
        domain.close();
        domain.close();
        context.openXrcd("d", 0).close();
        again.close();
        refused(Errno.EAGAIN, "open_xrcd", () -> context.openXrcd("d", 0), "no domain d");
        refused(Errno.EINVAL, "create_qp_ex", domain::createTarget, "closed");
        refused(Errno.EINVAL, "open_qp", () -> domain.openTarget(17), "closed");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pair.a.pd, pair.a.recvCq, 1, 1, 0), "closed");
    }

    @Test
    void shouldRefuseXrcQueuesThatCannotBe() {
        SimulatedPair pair = pair();
        ProtectionDomain pd = pair.a.pd;
        CompletionQueue cq = pair.a.context.createCq(4);
        XrcDomain domain = pair.a.context.openXrcd(null, XrcDomain.CREATE);
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pair.b.pd, cq, 1, 1, 0), "pd", "another context");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(null, cq, 1, 1, 0), "pd is missing");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pd, pair.b.recvCq, 1, 1, 0), "cq", "another context");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pd, null, 1, 1, 0), "cq is missing");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pd, cq, 0, 1, 0), "max_wr 0");
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pd, cq, 1, 28, 0), "max_sge 28");
        SharedReceiveQueue srq = domain.createSrq(pd, cq, 4, 1, 0);
        QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
        refused(Errno.EINVAL, "create_qp", () -> pd.createQp(new QpInitAttributes(QpType.RC, cq, cq, srq, cap, false)), "XRC queue");
        refused(Errno.EINVAL, "create_qp", () -> pd.createQp(new QpInitAttributes(QpType.XRC_SEND, cq, null, srq, cap, false)),
            "receives nothing");
        refused(Errno.EBUSY, "destroy_cq", cq::close, "shared receive queues=1");
        refused(Errno.EBUSY, "close_xrcd", domain::close, "shared receive queues=1");
        refused(Errno.EBUSY, "dealloc_pd", pd::close, "shared receive queues=1");
        srq.close();
        cq.close();
        refused(Errno.EINVAL, "create_srq_ex", () -> domain.createSrq(pd, cq, 1, 1, 0), "cq is closed");
        domain.close();
    }

    @Test
    void shouldRefuseWhatTheHalvesOfAnXrcConnectionDoNotDo() {
        SimulatedPair pair = pair();
        XrcDomain domain = pair.a.context.openXrcd("d", XrcDomain.CREATE);
        XrcDomain other = pair.a.context.openXrcd("e", XrcDomain.CREATE);
        QueuePair target = domain.createTarget();
        QueuePair initiator = pair.a.pd.createQp(QpInitAttributes.xrcSend(pair.a.sendCq, new QpCapabilities(4, 9, 2, 9, 0)));
        assertEquals(new QpCapabilities(0, 0, 0, 0, 0), target.capabilities());
        assertEquals(List.of(0, 0), List.of(initiator.capabilities().maxRecvWr(), initiator.capabilities().maxRecvSge()));
        assertEquals(null, target.pd());
        setup.type = QpType.XRC_RECV;
        target.modify(SimulatedPair.init(setup, 0));
        target.modify(SimulatedPair.rtr(pair.b.gid, 17, setup, 0));
        refused(Errno.EINVAL, "post_recv", () -> target.postReceive(recv.begin(1)), "XRC_RECV has no receive queue");
        refused(Errno.EINVAL, "post_send", () -> target.postSend(wr.send()), "RTS");
        target.modify(new QpAttributes().state(QpState.RTS).timeout(14).sqPsn(0));
        refused(Errno.EINVAL, "post_send", () -> target.postSend(wr.send()), "SEND is not an operation of XRC_RECV");
        initiator.modify(SimulatedPair.init(setup, 0));
        refused(Errno.EINVAL, "post_recv", () -> initiator.postReceive(recv.begin(1)), "XRC_SEND has no receive queue");
        refused(Errno.EINVAL, "modify_qp", () -> initiator.modify(SimulatedPair.rtr(pair.b.gid, 17, setup, 0)), "MAX_DEST_RD_ATOMIC");
        setup.type = QpType.UC;
        initiator.modify(SimulatedPair.rtr(pair.b.gid, 17, setup, 0));
        initiator.modify(new QpAttributes().state(QpState.RTS).timeout(14).sqPsn(0).retryCount(7).rnrRetry(7).maxRdAtomic(1));
        refused(Errno.EINVAL, "post_send", () -> initiator.postSend(wr.send().toSrq(0x1000000)), "remote_srqn 0x1000000");
        refused(Errno.EINVAL, "post_send", () -> initiator.postSend(wr.flush(0, 0, 0, 1, 0).toSrq(1)), "FLUSH", "XRC_SEND");
        refused(Errno.EINVAL, "post_send", () -> initiator.postSend(wr.atomicWrite(0, 0).toSrq(1)), "ATOMIC_WRITE", "XRC_SEND");
        refused(Errno.EINVAL, "open_qp", () -> domain.openTarget(initiator.qpNum()), "is not a target of this XRC domain");
        refused(Errno.EINVAL, "open_qp", () -> domain.openTarget(0), "qp 0x0 is not a target");
        refused(Errno.EINVAL, "create_qp", () -> pair.a.pd.createQp(
            new QpInitAttributes(QpType.XRC_RECV, pair.a.sendCq, pair.a.recvCq, null, new QpCapabilities(1, 1, 1, 1, 0), false)),
            "XrcDomain.createTarget()");
        refused(Errno.EINVAL, "open_qp", () -> other.openTarget(target.qpNum()), "is not a target of this XRC domain");
        refused(Errno.EBUSY, "close_xrcd", domain::close, "queue pairs=1");
        refused(Errno.EBUSY, "close_device", pair.a.context::close, "XRC domains=2");
        target.close();
        refused(Errno.EINVAL, "open_qp", () -> domain.openTarget(target.qpNum()), "is not a target");
        refused(Errno.EINVAL, "modify_qp", () -> target.modify(new QpAttributes().state(QpState.ERR)), "closed");
        domain.close();
        other.close();
    }
}
