// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.softrdma.device.agent.Doorbells;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.device.verbs.SoftXrcDomain;
import org.softrdma.link.Path;
import org.softrdma.rxe.engine.RxeEngine;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RcMachine;
import org.softrdma.rxe.qp.UcMachine;
import org.softrdma.rxe.qp.UdMachine;
import org.softrdma.rxe.qp.XrcInitiator;
import org.softrdma.rxe.qp.XrcTarget;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpTransitions;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** Application side of a queue pair on an rxe device: checks the calls and passes them to the {@link QpMachine} of its service. */
final class RxeQueuePair extends SoftQueuePair {
    private final RxeContext context;
    private final RxeEngine engine;
    private final QpMachine machine;
    private final Doorbells.Bell bell = new Doorbells.Bell() {
        @Override
        protected void onRung() {
            engine.onDoorbell(machine);
        }
    };

    private RxeQueuePair(RxeContext context, SoftProtectionDomain pd, QpInitAttributes init) {
        super(pd, init);
        this.context = context;
        engine = context.running().engine();
        machine = underOwner(() -> engine.add(this::newMachine));
    }

    /**
     * Creates a handle of an XRC target.
     *
     * @param maker creates the machine of a new target, or finds that of an existing one
     */
    private RxeQueuePair(RxeContext context, SoftXrcDomain domain, Function<RxeQueuePair, QpMachine> maker) {
        super(domain);
        this.context = context;
        engine = context.running().engine();
        machine = underOwner(() -> maker.apply(this));
    }

    private QpMachine underOwner(Supplier<QpMachine> maker) {
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            return maker.get();
        } catch (VerbsException refused) {
            disown();
            throw refused;
        } finally {
            owner.unlock();
        }
    }

    private XrcTarget newTarget(SoftXrcDomain domain, int qpn) {
        return new XrcTarget(qpn, this, sharedReceives(), domain.number(), engine.memory(), engine.counters(), engine.flight(),
            engine.sharedReceives()::find);
    }

    private XrcTarget holdTarget(SoftXrcDomain domain, int number) {
        if (!(engine.find(number) instanceof XrcTarget target) || target.domain() != domain.number()) {
            throw new VerbsException(Errno.EINVAL, "open_qp",
                "qp 0x" + Integer.toHexString(number) + " is not a target of this XRC domain; its creator must still have it open");
        }
        target.hold(this);
        return target;
    }

    private QpMachine newMachine(int qpn) {
        return switch (type()) {
            case RC -> new RcMachine(qpn, this, engine.memory(), engine.counters(), engine.flight());
            case UC -> new UcMachine(qpn, this, engine.memory(), engine.counters());
            case UD -> new UdMachine(qpn, this, engine.memory(), engine.counters(), context.activeMtu().bytes());
            case XRC_SEND -> new XrcInitiator(qpn, this, engine.memory(), engine.counters(), engine.flight());
            case XRC_RECV -> throw new AssertionError("belongs to no protection domain");
        };
    }

    static RxeQueuePair create(RxeContext context, SoftProtectionDomain pd, QpInitAttributes init) {
        return new RxeQueuePair(context, pd, init);
    }

    static RxeQueuePair createTarget(RxeContext context, SoftXrcDomain domain) {
        return new RxeQueuePair(context, domain, qp -> qp.engine.add(qpn -> qp.newTarget(domain, qpn)));
    }

    /**
     * Opens an existing target.
     *
     * @throws VerbsException EINVAL: the domain has no target of that number
     */
    static RxeQueuePair openTarget(RxeContext context, SoftXrcDomain domain, int number) {
        return new RxeQueuePair(context, domain, qp -> qp.holdTarget(domain, number));
    }

    QpMachine machine() {
        return machine;
    }

    @Override
    public int qpNum() {
        return machine.qpn();
    }

    @Override
    protected QpState current() {
        return machine.state();
    }

    @Override
    protected boolean supports(SendRequest request) {
        QpType type = type();
        return type != QpType.XRC_RECV && switch (request.opcode()) {
            case SEND, SEND_WITH_IMM -> true;
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM, LOCAL_INV, BIND_MW -> type != QpType.UD;
            case SEND_WITH_INV, RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> type == QpType.RC || type == QpType.XRC_SEND;
            case FLUSH, ATOMIC_WRITE -> type == QpType.RC;
            default -> false;
        };
    }

    @Override
    protected void doorbell(boolean wasIdle) {
        engine.doorbells().ring(bell);
        context.agent().doorbell(wasIdle);
    }

    @Override
    public void modify(QpAttributes change) {
        if (change.has(QpAttributeMask.AV)) {
            context.awaitReachable(change.addressVector());
        }
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (isClosed() || engine.find(qpNum()) != machine) {
                throw refuse("the queue pair is closed");
            }
            engine.beginVerb(context.rawClockNs());
            QpState to = QpTransitions.check(type(), machine.state(), change);
            checkValues(change);
            Path path = change.has(QpAttributeMask.AV) ? resolve(change.addressVector()) : null;
            if (path != null) {
                machine.payloadInMemory(engine.payloadInMemory(path));
            }
            engine.settle(machine);
            if (change.has(QpAttributeMask.PKEY_INDEX)) {
                machine.join(context.pkey(change.pkeyIndex()));
            }
            machine.modify(change, to, path);
            engine.activate(machine);
        } finally {
            owner.unlock();
        }
        context.agent().doorbell();
    }

    private Path resolve(AddressVector vector) {
        if (vector.dgid() != null && vector.dgid().isMulticast()) {
            throw refuse("AV dgid " + vector.dgid() + " is a multicast group; only datagrams go to groups");
        }
        return context.resolve("modify_qp", describe() + ": ", vector, engine.trafficClass(vector.trafficClass()));
    }

    private void checkValues(QpAttributes change) {
        if (change.has(QpAttributeMask.PKEY_INDEX) && context.pkey(change.pkeyIndex()) == 0) {
            throw refuse("PKEY_INDEX " + change.pkeyIndex() + " names no P_Key of the port");
        }
        range(change, QpAttributeMask.TIMEOUT, "TIMEOUT", change.timeout(), 31);
        range(change, QpAttributeMask.RETRY_CNT, "RETRY_CNT", change.retryCount(), 7);
        range(change, QpAttributeMask.RNR_RETRY, "RNR_RETRY", change.rnrRetry(), 7);
        range(change, QpAttributeMask.MIN_RNR_TIMER, "MIN_RNR_TIMER", change.minRnrTimer(), 31);
        range(change, QpAttributeMask.RQ_PSN, "RQ_PSN", change.rqPsn(), 0xffffff);
        range(change, QpAttributeMask.SQ_PSN, "SQ_PSN", change.sqPsn(), 0xffffff);
        range(change, QpAttributeMask.DEST_QPN, "DEST_QPN", change.destQpn(), 0xffffff);
        range(change, QpAttributeMask.MAX_QP_RD_ATOMIC, "MAX_QP_RD_ATOMIC", change.maxRdAtomic(), RxeLimits.MAX_RD_ATOMIC);
        range(change, QpAttributeMask.MAX_DEST_RD_ATOMIC, "MAX_DEST_RD_ATOMIC", change.maxDestRdAtomic(), RxeLimits.MAX_RD_ATOMIC);
        if (change.has(QpAttributeMask.PORT) && change.port() != 1) {
            throw refuse("PORT " + change.port() + "; the device has port 1 only");
        }
        if (change.has(QpAttributeMask.PATH_MTU)
            && (change.pathMtu() == null || change.pathMtu().compareTo(context.activeMtu()) > 0)) {
            throw refuse("PATH_MTU " + change.pathMtu() + "; the interface carries " + context.activeMtu().bytes() + " at most");
        }
    }

    private void range(QpAttributes change, int bit, String name, int value, int max) {
        if (change.has(bit) && (value < 0 || value > max)) {
            throw refuse(name + " " + value + " is not in 0.." + max);
        }
    }

    private VerbsException refuse(String why) {
        return new VerbsException(Errno.EINVAL, "modify_qp", describe() + ": " + why);
    }

    private String describe() {
        return "qp 0x" + Integer.toHexString(qpNum());
    }

    @Override
    protected boolean attach(Gid group) {
        return engine.objects().multicast().attach(group, machine);
    }

    @Override
    protected boolean detach(Gid group) {
        return engine.objects().multicast().detach(group, machine);
    }

    @Override
    protected QpAttributes attributes() {
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            return machine.query();
        } finally {
            owner.unlock();
        }
    }

    @Override
    protected void destroy() {
        if (machine.release(this)) {
            engine.sendPosted(machine);
            machine.close();
            engine.remove(machine);
        }
    }
}
