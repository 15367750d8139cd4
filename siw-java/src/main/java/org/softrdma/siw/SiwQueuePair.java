// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetSocketAddress;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.device.agent.Doorbells;
import org.softrdma.device.engine.Guard;
import org.softrdma.device.qp.FaultDomain;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.recording.Track;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.qp.SiwTransitions;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** A queue pair of an iWARP device for the application: checks calls and passes them to its {@link SiwMachine}. */
final class SiwQueuePair extends SoftQueuePair implements FaultDomain {
    private static final Guard.Step<SiwEngine, SiwQueuePair> DOORBELL = (engine, qp, ns) -> {
        qp.machine.onDoorbell();
        qp.touch();
        return 1;
    };

    private static final long PID = ProcessHandle.current().pid();

    private final SiwContext context;
    private final SiwEngine engine;
    private final SiwMachine machine;
    private final Doorbells.Bell bell = new Doorbells.Bell() {
        @Override
        protected void onRung() {
            engine.guard().run(DOORBELL, engine, SiwQueuePair.this, engine.nowNs());
        }
    };
    /** The current or last connection, null before the first one. For the owner. */
    private SiwConnection connection;
    /** Addresses of the current or last connection by address; null for none. */
    private InetSocketAddress local;
    private InetSocketAddress remote;

    SiwQueuePair(SiwContext context, SoftProtectionDomain pd, QpInitAttributes init) {
        super(pd, init);
        this.context = context;
        engine = context.engine();
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (init.type() != QpType.RC) {
                throw new VerbsException(Errno.EOPNOTSUPP, "create_qp", "service " + init.type() + "; iWARP has RC");
            }
            machine = new SiwMachine(engine.add(this), this, engine.memory(), engine.counters(), engine.frameBuffers());
            machine.observe(engine.eventRings().add(this::head));
        } catch (VerbsException refused) {
            disown();
            throw refused;
        } finally {
            owner.unlock();
        }
    }

    /** Sets the addresses of the connection, for recordings. With the owner's lock held. */
    void addresses(InetSocketAddress newLocal, InetSocketAddress newRemote) {
        local = newLocal;
        remote = newRemote;
    }

    private Track.Head head() {
        return new Track.Head(Track.Kind.QUEUE_PAIR, engine.eventRings().device(), PID, Track.Protocol.IWARP, qpNum(), type().toString(),
            current().toString(), Track.Head.UNKNOWN, local == null ? null : Gid.of(local.getAddress()),
            remote == null ? null : Gid.of(remote.getAddress()), local == null ? 0 : local.getPort(), remote == null ? 0 : remote.getPort(),
            0);
    }

    /** Begins a connection on a stream whose set-up is done: INIT → RTS. With the owner's lock held. */
    void connect(ByteStream stream, Agreement agreement, long sendNotBeforeNs, Runnable onOver) {
        detach();
        machine.start(agreement.parameters(), agreement.ord(), agreement.ird(), agreement.first(), sendNotBeforeNs);
        connection = engine.attach(machine, stream, context.agent()::doorbell, onOver);
    }

    /** Stops after a fault of ours, with its connection if it has one. With the owner's lock held. */
    @Override
    public void onFault(Throwable cause) {
        machine.onFault(cause);
        if (connection != null) {
            connection.abort();
        }
    }

    @Override
    public String faultOutcome() {
        return machine.faultOutcome();
    }

    /** Whether the queue pair can be connected: it exists and is in INIT. */
    boolean isConnectable() {
        return engine.find(qpNum()) == this && machine.state() == QpState.INIT;
    }

    /** @throws VerbsException EINVAL: the queue pair is not in INIT */
    void requireConnectable(String verb) {
        if (!isConnectable()) {
            throw new VerbsException(Errno.EINVAL, verb, "qp 0x" + Integer.toHexString(qpNum()) + " is in " + machine.state()
                + "; modify it to INIT first");
        }
    }

    SiwEngine engine() {
        return engine;
    }

    SiwMachine machine() {
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
        return switch (request.opcode()) {
            case SEND, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, LOCAL_INV,
                BIND_MW -> true;
            default -> false;
        };
    }

    @Override
    protected void doorbell(boolean wasIdle) {
        engine.doorbells().ring(bell);
        context.agent().doorbell(wasIdle);
    }

    /** Aborts the old connection, whose stream must not disturb the next one. */
    private void detach() {
        if (connection != null) {
            connection.abort();
            connection = null;
        }
    }

    private void touch() {
        if (connection != null && !connection.isOver()) {
            engine.touched(connection);
        }
    }

    @Override
    public void modify(QpAttributes change) {
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (engine.find(qpNum()) != this) {
                throw new VerbsException(Errno.EINVAL, "modify_qp", "qp 0x" + Integer.toHexString(qpNum()) + ": the queue pair is closed");
            }
            engine.beginVerb(context.rawClockNs());
            QpState to = SiwTransitions.check(qpNum(), machine.state(), change);
            machine.modify(change, to, engine.nowNs());
            if (to == QpState.RESET) {
                detach();
            }
            touch();
        } finally {
            owner.unlock();
        }
        context.agent().doorbell();
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
        engine.remove(machine, connection);
    }
}
