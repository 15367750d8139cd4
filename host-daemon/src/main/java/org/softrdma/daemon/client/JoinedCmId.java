// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.abi.ucm.UcmSetOption;
import org.softrdma.cm.CmLimits;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;
import org.softrdma.verbs.provider.EventAcks;

/** An identifier of the daemon's connection manager, whose queue pair this process moves: when it connects, and when it takes events. */
final class JoinedCmId implements CmId {
    private static final int MAX_CODE = 31;
    private static final int MAX_TOS = 255;
    private static final int UNSET = -1;

    private final JoinedConnections manager;
    private final PortSpace portSpace;
    private final QpType qpType;
    private final CmCommands commands;
    /** Number by which events name the identifier. */
    private final long name;
    private final EventAcks acks = new EventAcks();
    private final Map<InetAddress, JoinedMembership> memberships = new ConcurrentHashMap<>();
    /** Events of a synchronous identifier that were taken before an operation waits for them. */
    private final ArrayDeque<JoinedCmEvent> early = new ArrayDeque<>();
    private volatile JoinedEventChannel channel;
    private volatile boolean synchronous;
    /** The channel is that of a synchronous listener, until the request is handed out. */
    private volatile boolean sharesChannel;
    private volatile Object context;
    private volatile boolean closed;
    /** The last addresses that the daemon has answered with. */
    private volatile CmAddresses addresses = new CmAddresses(0, 0, new InetSocketAddress(0), null);
    /** Null until the device is known. */
    private volatile JoinedConnections.SharedDevice device;
    /** Null without a queue pair. */
    private volatile CmIdQueues queues;
    /** Parameters of the request that made the identifier; null for others. */
    private volatile ConnectionParameters requested;
    /** The connection has ended, or was refused. */
    private volatile boolean ended;
    /** The peer accepted, but our queue pair could not be connected. */
    private volatile boolean failed;
    private volatile int rnrTimer = UNSET;
    /** Event that ended the last operation of a synchronous identifier. */
    private volatile JoinedCmEvent last;
    private ProtectionDomain requestsPd;
    private QpInitAttributes requestsQp;

    private JoinedCmId(JoinedConnections manager, JoinedEventChannel channel, boolean synchronous, Object context, PortSpace portSpace,
            QpType qpType, int number, long name) {
        this.manager = manager;
        this.channel = channel;
        this.synchronous = synchronous;
        this.context = context;
        this.portSpace = portSpace;
        this.qpType = qpType;
        this.name = name;
        commands = new CmCommands(channel, number);
    }

    /** @param given channel for its events; null for a synchronous identifier, which has one of its own */
    static JoinedCmId create(JoinedConnections manager, JoinedEventChannel given, Object context, PortSpace portSpace, QpType type) {
        JoinedEventChannel channel = given == null ? new JoinedEventChannel(manager) : given;
        long name = manager.newName();
        int number;
        try {
            number = CmCommands.create(channel, name, portSpace, type);
        } catch (VerbsException refused) {
            if (given == null) {
                channel.close();
            }
            throw refused;
        }
        return new JoinedCmId(manager, channel, given == null, context, portSpace, type, number, name).entered();
    }

    private JoinedCmId entered() {
        channel.add();
        manager.put(name, this);
        manager.add(commands.number(), this);
        return this;
    }

    /** Returns the identifier of a request at this listener; a synchronous one gets a channel of its own when the request is taken. */
    JoinedCmId requested(int number) {
        JoinedCmId id = new JoinedCmId(manager, channel, synchronous, context, portSpace, qpType, number, manager.newName());
        id.sharesChannel = synchronous;
        return id.entered();
    }

    /** Sets what {@link #getRequest} gives to new identifiers. */
    void requestsGet(ProtectionDomain pd, QpInitAttributes attributes) {
        requestsPd = pd;
        requestsQp = attributes;
    }

    EventAcks acks() {
        return acks;
    }

    private void requireOpen(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, "the identifier is closed");
        }
    }

    // ---- properties ----

    @Override
    public EventChannel channel() {
        return synchronous ? null : channel;
    }

    @Override
    public Object context() {
        return context;
    }

    @Override
    public void context(Object other) {
        context = other;
    }

    @Override
    public PortSpace portSpace() {
        return portSpace;
    }

    @Override
    public QpType qpType() {
        return qpType;
    }

    /** Returns the addresses as the daemon has them now; after the identifier was closed, the last ones. */
    private CmAddresses query() {
        if (!closed) {
            addresses = commands.query();
        }
        return addresses;
    }

    private JoinedConnections.SharedDevice device() {
        if (device == null && !closed) {
            CmAddresses now = query();
            if (now.nodeGuid() != 0) {
                device = manager.device(now.nodeGuid(), now.local().getAddress());
            }
        }
        return device;
    }

    private JoinedConnections.SharedDevice requireDevice(String verb) {
        requireOpen(verb);
        JoinedConnections.SharedDevice found = device();
        if (found == null) {
            throw new VerbsException(Errno.EINVAL, verb, "the identifier has no device yet; bind it or resolve an address first");
        }
        return found;
    }

    @Override
    public Context verbs() {
        JoinedConnections.SharedDevice found = device();
        return found == null ? null : found.context();
    }

    @Override
    public int port() {
        return query().port();
    }

    @Override
    public InetSocketAddress localAddress() {
        return query().local();
    }

    @Override
    public InetSocketAddress peerAddress() {
        return query().peer();
    }

    @Override
    public CmEvent event() {
        return last;
    }

    // ---- addresses ----

    @Override
    public void bind(InetSocketAddress to) {
        requireOpen("bind_addr");
        commands.bind(to);
    }

    @Override
    public void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        requireOpen("resolve_addr");
        commands.resolveAddress(source, destination, timeoutMs);
        complete("resolve_addr");
    }

    @Override
    public void resolveRoute(int timeoutMs) {
        requireOpen("resolve_route");
        commands.resolveRoute(timeoutMs);
        complete("resolve_route");
    }

    // ---- the queue pair ----

    @Override
    public synchronized void createQp(ProtectionDomain pd, QpInitAttributes attributes) {
        JoinedConnections.SharedDevice on = requireDevice("create_qp");
        String wrong = null;
        if (queues != null) {
            wrong = "the identifier has a queue pair already";
        } else if (attributes.type() != qpType) {
            wrong = "a queue pair of " + attributes.type() + " for an identifier of " + qpType;
        } else if (pd != null && pd.context() != on.context()) {
            wrong = "the protection domain is not of the identifier's device; use verbs()";
        }
        if (wrong != null) {
            throw new VerbsException(Errno.EINVAL, "create_qp", wrong);
        }
        queues = new CmIdQueues(pd == null ? on.pd() : pd, attributes);
    }

    @Override
    public synchronized void destroyQp() {
        CmIdQueues own = queues;
        if (own != null) {
            own.close();
            queues = null;
        }
    }

    @Override
    public QueuePair qp() {
        CmIdQueues own = queues;
        return own == null ? null : own.qp();
    }

    @Override
    public ProtectionDomain pd() {
        CmIdQueues own = queues;
        JoinedConnections.SharedDevice found = own == null ? device() : null;
        return own != null ? own.qp().pd() : found == null ? null : found.pd();
    }

    @Override
    public CompletionQueue sendCq() {
        CmIdQueues own = queues;
        return own == null ? null : own.sendCq();
    }

    @Override
    public CompletionQueue receiveCq() {
        CmIdQueues own = queues;
        return own == null ? null : own.receiveCq();
    }

    /** The daemon answers with the kernel's RNR timer, 655 ms, unless another one is set here. */
    @Override
    public QpAttributes initQpAttributes(QpState state) {
        requireOpen("init_qp_attr");
        QpAttributes attributes = commands.initQpAttributes(state);
        return rnrTimer != UNSET && attributes.has(QpAttributeMask.MIN_RNR_TIMER) ? attributes.minRnrTimer(rnrTimer) : attributes;
    }

    /**
     * Moves the queue pair to RTR and RTS.
     *
     * @param responderResources READs and atomics accepted at a time; negative for the value of the connection
     * @param initiatorDepth     READs and atomics outstanding at a time; negative for the value of the connection
     */
    private void connect(QueuePair qp, int responderResources, int initiatorDepth) {
        qp.modify(initQpAttributes(QpState.INIT));
        QpAttributes rtr = initQpAttributes(QpState.RTR);
        qp.modify(responderResources < 0 ? rtr : rtr.maxDestRdAtomic(responderResources));
        QpAttributes rts = initQpAttributes(QpState.RTS);
        qp.modify(initiatorDepth < 0 ? rts : rts.maxRdAtomic(initiatorDepth));
    }

    // ---- connections ----

    @Override
    public void connect(ConnectionParameters parameters) {
        JoinedConnections.SharedDevice on = requireDevice("connect");
        CmIdQueues own = queues;
        ConnectionParameters checked = CmIdQueues.name(CmLimits.check("connect", parameters, on.context().queryDevice()), own);
        if (own != null && qpType != QpType.UD) {
            own.qp().modify(initQpAttributes(QpState.INIT));
        }
        commands.connect(checked);
        complete("connect");
    }

    @Override
    public void accept() {
        ConnectionParameters request = requested;
        accept(ConnectionParameters.DEFAULT.withFlowControl(request != null && request.flowControl()));
    }

    @Override
    public void accept(ConnectionParameters wanted) {
        JoinedConnections.SharedDevice on = requireDevice("accept");
        ConnectionParameters request = requested;
        if (request == null) {
            throw new VerbsException(Errno.EINVAL, "accept", "the identifier was not created by a request; it is the connecting side");
        }
        CmIdQueues own = queues;
        ConnectionParameters checked = CmIdQueues.name(CmLimits.checkAnswer(wanted, request, on.context().queryDevice()), own);
        boolean moves = own != null && qpType != QpType.UD;
        try {
            if (moves) {
                connect(own.qp(), checked.responderResources(), checked.initiatorDepth());
            }
            commands.accept(checked, name);
        } catch (VerbsException refused) {
            if (moves) {
                own.toError();
            }
            throw refused;
        }
        if (qpType != QpType.UD) {
            complete("accept");
        }
    }

    @Override
    public void listen(int backlog) {
        requireOpen("listen");
        commands.listen(backlog);
    }

    @Override
    public CmId getRequest() {
        requireOpen("get_request");
        if (!synchronous) {
            throw new VerbsException(Errno.EINVAL, "get_request", "the identifier has a channel: take its requests from there");
        }
        JoinedCmEvent request = next("get_request");
        JoinedCmId child = request.id();
        request.keptBy(child);
        child.remember(request);
        boolean ready = false;
        try {
            child.migrate(null);
            if (requestsQp != null) {
                child.createQp(requestsPd, requestsQp);
            }
            ready = true;
            return child;
        } finally {
            if (!ready) {
                child.close();
            }
        }
    }

    @Override
    public void reject(byte[] privateData) {
        requireOpen("reject");
        commands.reject(privateData);
    }

    @Override
    public void establish() {
        requireOpen("establish");
        commands.establish();
    }

    @Override
    public void notify(AsyncEventType event) {
        requireOpen("notify");
        if (event == AsyncEventType.COMM_EST) {
            commands.notifyOf(event.value());
        }
    }

    @Override
    public void disconnect() {
        requireOpen("disconnect");
        CmIdQueues own = queues;
        if (own != null) {
            own.toError();
        }
        if (qpType == QpType.UD) {
            return;
        }
        boolean known = ended;
        commands.disconnect();
        if (!known) {
            complete("disconnect");
        }
    }

    // ---- events ----

    /**
     * Applies an event to the identifier before it is handed out; on the thread that takes the event.
     *
     * @return false if it must not be handed out
     */
    boolean prepare(JoinedCmEvent event) {
        switch (event.type()) {
            case CONNECT_REQUEST -> requested = event.connection() == null ? ConnectionParameters.DEFAULT : event.connection();
            case CONNECT_RESPONSE -> takeResponse(event);
            case REJECTED -> {
                stopQueuePair();
                return !failed;
            }
            case UNREACHABLE, CONNECT_ERROR -> ended = true;
            case DISCONNECTED -> {
                ended = true;
                return !failed;
            }
            case DEVICE_REMOVAL -> stopQueuePair();
            case MULTICAST_JOIN -> attach(event);
            default -> { }
        }
        return true;
    }

    /** Moves our queue pair to RTS and confirms to the peer that accepted; without a queue pair of ours, the program does both. */
    private void takeResponse(JoinedCmEvent event) {
        CmIdQueues own = queues;
        if (own == null) {
            return;
        }
        try {
            connect(own.qp(), UNSET, UNSET);
            commands.establish();
            event.become(CmEventType.ESTABLISHED);
        } catch (VerbsException refused) {
            failed = true;
            ended = true;
            own.toError();
            rejectQuietly();
            event.become(CmEventType.CONNECT_ERROR, refused);
        }
    }

    /** Rejects the connection, which may have ended meanwhile. */
    private void rejectQuietly() {
        try {
            commands.reject(new byte[0]);
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.EINVAL && gone.errno() != Errno.EIO) {
                throw gone;
            }
        }
    }

    private void stopQueuePair() {
        ended = true;
        CmIdQueues own = queues;
        if (own != null) {
            own.toError();
        }
    }

    private void attach(JoinedCmEvent event) {
        try {
            event.membership().attach(qp(), event.datagram().addressVector().dgid());
        } catch (VerbsException refused) {
            event.become(CmEventType.MULTICAST_ERROR, refused);
        }
    }

    /** Waits for the event that ends an operation of a synchronous identifier, and keeps it. */
    private void complete(String verb) {
        if (!synchronous) {
            return;
        }
        JoinedCmEvent event = next(verb);
        remember(event);
        if (event.status() != 0) {
            Errno errno = event.type() == CmEventType.REJECTED || event.status() > 0 ? Errno.ECONNREFUSED : Errno.of(-event.status());
            throw new VerbsException(errno == null ? Errno.EIO : errno, verb,
                event + (addresses.peer() == null ? "" : ", peer " + addresses.peer()));
        }
    }

    private JoinedCmEvent next(String verb) {
        synchronized (early) {
            if (!early.isEmpty()) {
                return early.poll();
            }
        }
        JoinedCmEvent event = channel.next(verb, -1);
        while (!event.concerns(this)) {
            // It is that of a request whose identifier has no channel of its own yet.
            event.id().keep(event);
            event = channel.next(verb, -1);
        }
        return event;
    }

    private void keep(JoinedCmEvent event) {
        synchronized (early) {
            early.add(event);
        }
    }

    private void remember(JoinedCmEvent event) {
        JoinedCmEvent before = last;
        last = event;
        if (before != null) {
            before.ack();
        }
    }

    /** Returns whether the connection has ended; takes an event of a synchronous identifier that says so. */
    private boolean hasEnded() {
        if (!ended && synchronous) {
            JoinedCmEvent event = channel.next("get_recv_comp", 0);
            if (event != null) {
                event.id().keep(event);
            }
        }
        return ended;
    }

    @Override
    public synchronized void migrate(EventChannel target) {
        requireOpen("migrate_id");
        JoinedEventChannel next = target == null ? new JoinedEventChannel(manager) : JoinedEventChannel.own(target);
        JoinedEventChannel old = channel;
        boolean owned = synchronous && !sharesChannel;
        try {
            commands.migrate(next);
        } catch (VerbsException refused) {
            if (target == null) {
                next.close();
            }
            throw refused;
        }
        next.add();
        channel = next;
        synchronous = target == null;
        sharesChannel = false;
        old.remove();
        if (owned) {
            old.close();
        }
    }

    // ---- groups and options ----

    @Override
    public void joinMulticast(InetAddress group, boolean sendOnly, Object joinContext) {
        requireDevice("join_multicast");
        if (qpType != QpType.UD) {
            throw new VerbsException(Errno.EINVAL, "join_multicast", "groups require datagrams (UD), not " + qpType);
        }
        JoinedMembership membership = new JoinedMembership(manager, this, group, sendOnly, joinContext);
        if (memberships.putIfAbsent(group, membership) != null) {
            manager.forget(membership.name());
            throw new VerbsException(Errno.EINVAL, "join_multicast", "the group " + group.getHostAddress() + " was joined before");
        }
        try {
            commands.join(membership);
        } catch (VerbsException refused) {
            memberships.remove(group, membership);
            manager.forget(membership.name());
            throw refused;
        }
        complete("join_multicast");
    }

    @Override
    public void leaveMulticast(InetAddress group) {
        requireOpen("leave_multicast");
        JoinedMembership membership = memberships.remove(group);
        if (membership == null) {
            throw new VerbsException(Errno.EINVAL, "leave_multicast", "the group " + group.getHostAddress() + " was not joined");
        }
        manager.forget(membership.name());
        membership.detach();
        commands.leave(membership);
    }

    private void option(int option, int value, int bytes) {
        requireOpen("set_option");
        commands.option(option, value, bytes);
    }

    @Override
    public void typeOfService(int tos) {
        CmLimits.requireRange("set_option", "type of service", tos, MAX_TOS);
        option(UcmSetOption.ID_TOS, tos, Byte.BYTES);
    }

    @Override
    public void reuseAddress(boolean reuse) {
        option(UcmSetOption.ID_REUSEADDR, reuse ? 1 : 0, Integer.BYTES);
    }

    @Override
    public void familyOnly(boolean only) {
        option(UcmSetOption.ID_AFONLY, only ? 1 : 0, Integer.BYTES);
    }

    @Override
    public void ackTimeout(int code) {
        CmLimits.requireRange("set_option", "ACK timeout", code, MAX_CODE);
        option(UcmSetOption.ID_ACK_TIMEOUT, code, Byte.BYTES);
    }

    @Override
    public void minRnrTimer(int code) {
        requireOpen("set_option");
        CmLimits.requireRange("set_option", "RNR timer", code, MAX_CODE);
        rnrTimer = code;
    }

    @Override
    public void awaitSend(WorkCompletion into) {
        requireQueues("get_send_comp").awaitSend(into);
    }

    @Override
    public void awaitReceive(WorkCompletion into) {
        requireQueues("get_recv_comp").awaitReceive(into, this::hasEnded);
    }

    private CmIdQueues requireQueues(String verb) {
        CmIdQueues own = queues;
        if (own == null) {
            throw new VerbsException(Errno.EINVAL, verb, "the identifier has no queue pair; create one with createQp");
        }
        return own;
    }

    // ---- closing ----

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        memberships.values().forEach(JoinedMembership::detach);
        destroyQp();
        try {
            query();
            closed = true;
            commands.destroy();
        } catch (VerbsException gone) {
            // With EIO the daemon has ended, and the identifier with it.
            if (gone.errno() != Errno.EIO) {
                throw gone;
            }
        }
        closed = true;
        manager.remove(commands.number(), this);
        manager.forget(name);
        memberships.values().forEach(each -> manager.forget(each.name()));
        JoinedCmEvent kept = last;
        last = null;
        if (kept != null) {
            kept.ack();
        }
        early.forEach(JoinedCmEvent::ack);
        acks.awaitAll();
        channel.remove();
        if (synchronous && !sharesChannel) {
            channel.close();
        }
    }

    @Override
    public String toString() {
        return portSpace + " identifier " + addresses.local() + (addresses.peer() == null ? "" : " to " + addresses.peer())
            + (closed ? ", closed" : "");
    }
}
