// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.softrdma.device.verbs.Acknowledged;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
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
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * The state machine of an identifier, the same for every transport. Programs call it from above, its {@link CmConnection} from below
 * ({@link CmHandler}, with the device's lock held). The monitor guards the fields and is never held while a transport, a queue pair or a
 * device is called; it is held while an event is queued, so that events keep their order when the identifier migrates.
 */
final class SoftCmId implements CmId, CmHandler {
    /** What it is in the middle of. Names as in the kernel's connection manager. */
    enum State {
        IDLE, ADDR_BOUND, ADDR_RESOLVED, ROUTE_RESOLVED, CONNECT, DISCONNECT, LISTEN, DESTROYING
    }

    private static final String NO_DEVICE = "no device is known yet: bind to an address of one, or resolve first";
    private static final int DEFAULT_BACKLOG = 1024;

    private final SoftConnectionManager manager;
    private final PortSpace space;
    private final QpType type;
    private final Acknowledged acknowledged = new Acknowledged();
    private final CmGroups groups = new CmGroups();

    private SoftEventChannel channel;
    private boolean synchronous;
    private Object context;
    private State state = State.IDLE;
    private volatile InetSocketAddress local = new InetSocketAddress(0);
    private InetSocketAddress peer;
    private PortTable.Binding binding;
    private volatile boolean familyOnly;
    private boolean reuse;
    private CmPathOptions options = CmPathOptions.DEFAULT;
    private OpenDevice device;
    private CmConnection connection;
    private CmQueuePair queuePair;
    /** What was requested, of one that a request made. */
    private ConnectionParameters requested;
    /** It was accepted. */
    private boolean answered;
    /** The peer accepted, the queue pair did not follow: what the peer says about it now is no news. */
    private boolean failed;
    private CmEvent last;
    /** Of one that listens; else null. */
    private volatile CmListening listening;
    private ProtectionDomain requestsPd;
    private QpInitAttributes requestsQp;

    /** @param channel null for a synchronous one */
    SoftCmId(SoftConnectionManager manager, SoftEventChannel channel, Object context, PortSpace space, QpType type) {
        this.manager = manager;
        this.context = context;
        this.space = space;
        this.type = type;
        synchronous = channel == null;
        this.channel = synchronous ? new SoftEventChannel(manager) : channel;
        this.channel.add();
        manager.begin();
    }

    /** One that a request makes: on the listener's channel until it is handed out. */
    private SoftCmId(SoftCmId listener, OpenDevice device, CmConnection connection, CmRequest request) {
        manager = listener.manager;
        context = listener.context;
        space = listener.space;
        type = listener.type;
        options = listener.options;
        synchronous = listener.synchronous;
        channel = listener.channel;
        this.device = device;
        this.connection = connection;
        local = request.local();
        peer = request.remote();
        requested = request.parameters();
        state = State.CONNECT;
    }

    // ---- what it is ----

    @Override
    public synchronized EventChannel channel() {
        return synchronous ? null : channel;
    }

    @Override
    public synchronized Object context() {
        return context;
    }

    @Override
    public synchronized void context(Object other) {
        context = other;
    }

    @Override
    public PortSpace portSpace() {
        return space;
    }

    @Override
    public QpType qpType() {
        return type;
    }

    @Override
    public synchronized Context verbs() {
        return device == null ? null : device.context();
    }

    @Override
    public synchronized int port() {
        return device == null ? 0 : 1;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public synchronized InetSocketAddress peerAddress() {
        return peer;
    }

    @Override
    public synchronized CmEvent event() {
        return last;
    }

    private void require(String verb, State... fitting) {
        for (State each : fitting) {
            if (state == each) {
                return;
            }
        }
        throw new VerbsException(Errno.EINVAL, verb, "the identifier is in state " + state + "; this needs " + List.of(fitting));
    }

    // ---- addresses ----

    @Override
    public void bind(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "bind_addr", "no host is named " + address.getHostString());
        }
        synchronized (this) {
            require("bind_addr", State.IDLE);
        }
        InetAddress ip = address.getAddress();
        OpenDevice found = ip.isAnyLocalAddress() ? null : manager.deviceOf("bind_addr", ip);
        InetSocketAddress own = found == null ? address : new InetSocketAddress(found.own(ip), address.getPort());
        if (found != null) {
            found.gidIndex(own.getAddress());
        }
        PortTable.Binding taken = manager.ports().bind(space, own, reuse, familyOnly,
            manager.host().random(PortTable.LAST_EPHEMERAL - PortTable.FIRST_EPHEMERAL + 1));
        synchronized (this) {
            if (state == State.IDLE) {
                binding = taken;
                device = found;
                local = new InetSocketAddress(own.getAddress(), taken.port());
                state = State.ADDR_BOUND;
                return;
            }
        }
        manager.ports().release(taken);
        throw new VerbsException(Errno.EINVAL, "bind_addr", "another thread used the identifier at the same time");
    }

    @Override
    public void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        if (destination.isUnresolved()) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "resolve_addr", "no host is named " + destination.getHostString());
        }
        boolean idle;
        synchronized (this) {
            require("resolve_addr", State.IDLE, State.ADDR_BOUND);
            idle = state == State.IDLE;
        }
        if (idle) {
            bind(source != null ? source : new InetSocketAddress(wildcardLike(destination.getAddress()), 0));
        }
        try {
            resolve(destination);
            raiseIfIn(State.ADDR_RESOLVED, CmEventType.ADDR_RESOLVED, 0);
        } catch (VerbsException refused) {
            raiseIfIn(State.ADDR_BOUND, CmEventType.ADDR_ERROR, -refused.errno().value());
        }
        complete("resolve_addr");
    }

    private static InetAddress wildcardLike(InetAddress destination) {
        try {
            return InetAddress.getByAddress(new byte[destination.getAddress().length]);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The route says from where, the source address says by which device. */
    private void resolve(InetSocketAddress destination) {
        InetAddress to = destination.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : destination.getAddress();
        OpenDevice found;
        InetAddress from = local.getAddress();
        synchronized (this) {
            found = device;
        }
        if (found == null) {
            from = manager.host().sourceFor(to);
            found = manager.deviceOf("resolve_addr", from);
            from = found.own(from);
        }
        found.gidIndex(from);
        if (from instanceof Inet6Address != to instanceof Inet6Address) {
            throw new VerbsException(Errno.EINVAL, "resolve_addr", "from " + from.getHostAddress() + " to " + to.getHostAddress()
                + ": both must be of one IP version");
        }
        if (found.device().loopback() && to.equals(LoopbackAddress.ANY_PROCESS)) {
            InetAddress listener = manager.host().loopbackListeners().find(new CmService(space, destination.getPort()));
            to = listener != null ? listener : to;
        }
        synchronized (this) {
            require("resolve_addr", State.ADDR_BOUND);
            device = found;
            local = new InetSocketAddress(from, local.getPort());
            peer = new InetSocketAddress(to, destination.getPort());
            state = State.ADDR_RESOLVED;
        }
    }

    @Override
    public void resolveRoute(int timeoutMs) {
        synchronized (this) {
            require("resolve_route", State.ADDR_RESOLVED);
            state = State.ROUTE_RESOLVED;
            // Ethernet has no subnet manager to ask: what the host's routing table said is all there is.
            raise(CmEventType.ROUTE_RESOLVED, 0);
        }
        complete("resolve_route");
    }

    // ---- the queue pair ----

    @Override
    public void createQp(ProtectionDomain givenPd, QpInitAttributes attributes) {
        OpenDevice on;
        synchronized (this) {
            if (device == null) {
                throw new VerbsException(Errno.EINVAL, "create_qp", NO_DEVICE);
            }
            if (queuePair != null) {
                throw new VerbsException(Errno.EINVAL, "create_qp", "the identifier has a queue pair already");
            }
            on = device;
        }
        if (attributes.type() != type) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "a queue pair of " + attributes.type() + " for an identifier of " + type);
        }
        if (givenPd != null && givenPd.context() != on.context()) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "the protection domain is not of the identifier's device; use verbs()");
        }
        CmQueuePair made = new CmQueuePair(givenPd != null ? givenPd : on.pd(), attributes);
        synchronized (this) {
            if (queuePair == null && state != State.DESTROYING) {
                queuePair = made;
                return;
            }
        }
        made.close();
        throw new VerbsException(Errno.EINVAL, "create_qp", "another thread used the identifier at the same time");
    }

    @Override
    public void destroyQp() {
        CmQueuePair old;
        synchronized (this) {
            old = queuePair;
            queuePair = null;
        }
        if (old != null) {
            try {
                old.close();
            } catch (VerbsException refused) {
                synchronized (this) {
                    queuePair = old;
                }
                throw refused;
            }
        }
    }

    private synchronized CmQueuePair queuePair() {
        return queuePair;
    }

    private CmQueuePair requireQueuePair(String verb) {
        CmQueuePair own = queuePair();
        if (own == null) {
            throw new VerbsException(Errno.EINVAL, verb, "the identifier has no queue pair; createQp makes one");
        }
        return own;
    }

    @Override
    public QueuePair qp() {
        CmQueuePair own = queuePair();
        return own == null ? null : own.qp();
    }

    @Override
    public ProtectionDomain pd() {
        OpenDevice on;
        synchronized (this) {
            if (queuePair != null) {
                return queuePair.qp().pd();
            }
            on = device;
        }
        return on == null ? null : on.pd();
    }

    @Override
    public CompletionQueue sendCq() {
        CmQueuePair own = queuePair();
        return own == null ? null : own.sendCq();
    }

    @Override
    public CompletionQueue receiveCq() {
        CmQueuePair own = queuePair();
        return own == null ? null : own.receiveCq();
    }

    @Override
    public void awaitSend(WorkCompletion into) {
        requireQueuePair("get_send_comp").awaitSend(into);
    }

    @Override
    public void awaitReceive(WorkCompletion into) {
        requireQueuePair("get_recv_comp").awaitReceive(into);
    }

    @Override
    public QpAttributes initQpAttributes(QpState to) {
        CmConnection current;
        CmPathOptions now;
        synchronized (this) {
            if (device == null) {
                throw new VerbsException(Errno.EINVAL, "init_qp_attr", NO_DEVICE);
            }
            current = connection;
            now = options;
        }
        if (type == QpType.UD) {
            return datagramAttributes(to);
        }
        if (current != null) {
            return current.qpAttributes(to, now);
        }
        if (to == QpState.INIT) {
            return CmQueuePair.init(type);
        }
        throw new VerbsException(Errno.EINVAL, "init_qp_attr", "attributes of " + to + " are not known before the peer has answered");
    }

    private static QpAttributes datagramAttributes(QpState to) {
        return switch (to) {
            case INIT -> CmQueuePair.init(QpType.UD);
            case RTR -> new QpAttributes().state(QpState.RTR);
            case RTS -> new QpAttributes().state(QpState.RTS).sqPsn(0);
            default -> throw new VerbsException(Errno.EINVAL, "init_qp_attr", "state " + to + "; it is INIT, RTR or RTS");
        };
    }

    // ---- connections: the asking side ----

    @Override
    public void connect(ConnectionParameters wanted) {
        OpenDevice on;
        CmPathOptions now;
        CmQueuePair own;
        InetSocketAddress to;
        synchronized (this) {
            require("connect", State.ROUTE_RESOLVED);
            on = device;
            now = options;
            own = queuePair;
            to = peer;
        }
        ConnectionParameters checked = CmLimits.check("connect", wanted, on.context().queryDevice(), own);
        if (to.getPort() == 0) {
            throw new VerbsException(Errno.EINVAL, "connect", "the destination has port 0; nobody listens there");
        }
        CmConnection begun = on.transport().open(this);
        synchronized (this) {
            if (state != State.ROUTE_RESOLVED) {
                begun.close();
                require("connect", State.ROUTE_RESOLVED);
            }
            state = State.CONNECT;
            connection = begun;
        }
        try {
            begun.connect(new CmService(space, to.getPort()), type, local, to, checked, now);
        } catch (VerbsException refused) {
            begun.close();
            synchronized (this) {
                connection = null;
                state = state == State.CONNECT ? State.ROUTE_RESOLVED : state;
            }
            throw refused;
        }
        complete("connect");
    }

    @Override
    public void establish() {
        requireConnection("establish").establish();
    }

    private synchronized CmConnection requireConnection(String verb) {
        require(verb, State.CONNECT, State.DISCONNECT);
        return connection;
    }

    // ---- connections: the listening side ----

    /** Of one that listens: what the queue pairs of its requests are like. */
    synchronized void queuePairsOfRequests(ProtectionDomain pd, QpInitAttributes attributes) {
        requestsPd = pd;
        requestsQp = attributes;
    }

    @Override
    public void listen(int backlog) {
        boolean idle;
        synchronized (this) {
            require("listen", State.IDLE, State.ADDR_BOUND);
            idle = state == State.IDLE;
        }
        if (idle) {
            bind(new InetSocketAddress(wildcardLike(local.getAddress()), 0));
        }
        CmListening begun;
        List<OpenDevice> on;
        synchronized (this) {
            require("listen", State.ADDR_BOUND);
            begun = new CmListening(this, new CmService(space, binding.port()),
                backlog <= 0 ? DEFAULT_BACKLOG : Math.min(backlog, DEFAULT_BACKLOG));
            on = device == null ? null : List.of(device);
        }
        manager.ports().listen(binding);
        try {
            List<OpenDevice> all = on == null ? manager.openAll("listen") : on;
            synchronized (this) {
                require("listen", State.ADDR_BOUND);
                state = State.LISTEN;
                listening = begun;
            }
            // Who listens for IPv6 only does not listen at 127.0.0.1.
            begun.start(all, local.getAddress() instanceof Inet6Address && familyOnly ? null : manager.host().loopbackListeners());
        } catch (VerbsException refused) {
            manager.ports().unlisten(binding);
            synchronized (this) {
                state = state == State.LISTEN ? State.ADDR_BOUND : state;
                listening = null;
            }
            throw refused;
        }
    }

    /** Whether it is bound to the wildcard address, and that stands for this one. */
    boolean coversWildcard(InetAddress address) {
        InetAddress bound = local.getAddress();
        return bound.isAnyLocalAddress()
            && (bound instanceof Inet6Address == address instanceof Inet6Address || bound instanceof Inet6Address && !familyOnly);
    }

    /** A request for an address it listens at; with the device's lock held. */
    CmListener.Verdict onRequest(OpenDevice on, CmConnection asked, CmRequest request) {
        if (request.type() != type) {
            return CmListener.Verdict.REFUSED;
        }
        synchronized (this) {
            if (state != State.LISTEN) {
                return CmListener.Verdict.REFUSED;
            }
            if (!listening.admit()) {
                return CmListener.Verdict.DROPPED;
            }
            SoftCmId child = new SoftCmId(this, on, asked, request);
            asked.handler(child);
            channel.put(type == QpType.UD
                ? SoftCmEvent.request(child, this, null, new DatagramParameters(request.parameters().privateData(), null, 0, 0))
                : SoftCmEvent.request(child, this, request.parameters(), null));
            return CmListener.Verdict.TAKEN;
        }
    }

    @Override
    public CmId getRequest() {
        synchronized (this) {
            require("get_request", State.LISTEN);
            if (!synchronous) {
                throw new VerbsException(Errno.EINVAL, "get_request", "the identifier has a channel: its requests come out there");
            }
        }
        CmEvent request = await("get_request");
        SoftCmId child = (SoftCmId) request.id();
        QpInitAttributes attributes;
        ProtectionDomain pd;
        synchronized (this) {
            attributes = requestsQp;
            pd = requestsPd;
        }
        child.remember(request);
        if (attributes != null) {
            try {
                child.createQp(pd, attributes);
            } catch (VerbsException refused) {
                child.close();
                throw refused;
            }
        }
        return child;
    }

    @Override
    public void accept() {
        ConnectionParameters asked;
        synchronized (this) {
            asked = requested;
        }
        accept(ConnectionParameters.DEFAULT.withFlowControl(asked != null && asked.flowControl()));
    }

    @Override
    public void accept(ConnectionParameters wanted) {
        CmConnection current;
        CmPathOptions now;
        CmQueuePair own;
        OpenDevice on;
        ConnectionParameters asked;
        synchronized (this) {
            require("accept", State.CONNECT);
            current = connection;
            now = options;
            own = queuePair;
            on = device;
            asked = requested;
        }
        if (asked == null) {
            throw new VerbsException(Errno.EINVAL, "accept", "nobody asked this identifier; it is the asking side");
        }
        ConnectionParameters checked = CmLimits.checkAnswer(wanted, asked, on.context().queryDevice(), own);
        if (own != null && type != QpType.UD) {
            try {
                own.connect(current, now, checked.responderResources(), checked.initiatorDepth());
            } catch (VerbsException refused) {
                own.toError();
                throw refused;
            }
        }
        synchronized (this) {
            answered = true;
        }
        current.accept(checked, DatagramParameters.UDP_QKEY);
        if (type != QpType.UD) {
            complete("accept");
        }
    }

    @Override
    public void reject(byte[] privateData) {
        requireConnection("reject").reject(privateData);
    }

    // ---- connections: both sides ----

    @Override
    public void notify(AsyncEventType event) {
        if (event == AsyncEventType.COMM_EST) {
            requireConnection("notify").communicationEstablished();
        }
    }

    @Override
    public void disconnect() {
        CmConnection current = requireConnection("disconnect");
        CmQueuePair own = queuePair();
        if (own != null) {
            own.toError();
        }
        if (type == QpType.UD) {
            return;
        }
        boolean known;
        synchronized (this) {
            known = last != null && last.type() == CmEventType.DISCONNECTED;
        }
        current.disconnect();
        if (!known) {
            complete("disconnect");
        }
    }

    // ---- what its connection says; with the device's lock held ----

    @Override
    public synchronized void onResponse(ConnectionParameters parameters) {
        if (state == State.CONNECT) {
            put(SoftCmEvent.of(CmEventType.CONNECT_RESPONSE, this, 0, parameters));
        }
    }

    @Override
    public synchronized void onEstablished(ConnectionParameters parameters) {
        if (state == State.CONNECT) {
            put(SoftCmEvent.of(CmEventType.ESTABLISHED, this, 0, parameters));
        }
    }

    @Override
    public synchronized void onDatagramTarget(DatagramParameters parameters) {
        if (state != State.CONNECT) {
            return;
        }
        // Queue pairs made here have one Q_Key, and a peer with another one could not be understood.
        if (queuePair != null && parameters.qkey() != DatagramParameters.UDP_QKEY) {
            raise(CmEventType.ADDR_ERROR, -Errno.EINVAL.value());
        } else {
            put(SoftCmEvent.of(CmEventType.ESTABLISHED, this, 0, parameters));
        }
    }

    @Override
    public synchronized void onRejected(int status, byte[] privateData) {
        // Whoever takes back a request that was not answered is not missed: answering it will be refused.
        if (state == State.CONNECT && (requested == null || answered)) {
            put(SoftCmEvent.of(CmEventType.REJECTED, this, status, said(privateData)));
        }
    }

    @Override
    public synchronized void onUnreachable(int status, byte[] privateData) {
        if (state == State.CONNECT) {
            put(SoftCmEvent.of(CmEventType.UNREACHABLE, this, status, said(privateData)));
        }
    }

    private static ConnectionParameters said(byte[] privateData) {
        return new ConnectionParameters(privateData, 0, 0, false, 0, 0, false, 0);
    }

    @Override
    public synchronized void onDisconnected(int status) {
        if (state == State.CONNECT) {
            state = State.DISCONNECT;
            raise(CmEventType.DISCONNECTED, status);
        }
    }

    @Override
    public synchronized void onTimewaitExit() {
        if (state != State.DESTROYING) {
            raise(CmEventType.TIMEWAIT_EXIT, 0);
        }
    }

    // ---- events ----

    private synchronized void raiseIfIn(State expected, CmEventType event, int status) {
        if (state == expected) {
            raise(event, status);
        }
    }

    private void raise(CmEventType event, int status) {
        put(SoftCmEvent.of(event, this, status));
    }

    private void put(SoftCmEvent event) {
        channel.put(event);
    }

    /** An event of this identifier leaves its queue; with the queue's lock held. */
    void onDelivery(SoftCmEvent event) {
        acknowledged.deliver();
        CmListening current = listening;
        if (event.type() == CmEventType.CONNECT_REQUEST && current != null) {
            current.delivered();
        }
    }

    void onAcknowledged() {
        acknowledged.ack(1);
    }

    /**
     * What an event has to do to the identifier before anybody sees it; on the thread that takes it.
     *
     * @return false if nobody is to see it
     */
    boolean prepare(SoftCmEvent event) {
        return switch (event.type()) {
            case CONNECT_REQUEST -> {
                adopt();
                yield true;
            }
            case CONNECT_RESPONSE -> {
                follow(event);
                yield true;
            }
            case REJECTED -> !hasFailed() && stopQueuePair();
            case DISCONNECTED -> !hasFailed();
            case MULTICAST_JOIN -> {
                attach(event);
                yield true;
            }
            default -> true;
        };
    }

    private synchronized boolean hasFailed() {
        return failed;
    }

    private boolean stopQueuePair() {
        CmQueuePair own = queuePair();
        if (own != null) {
            own.toError();
        }
        return true;
    }

    /** The peer accepted: our queue pair becomes ready, and the peer hears that it is. Without one the program does both. */
    private void follow(SoftCmEvent event) {
        CmQueuePair own;
        CmConnection current;
        CmPathOptions now;
        synchronized (this) {
            own = queuePair;
            current = connection;
            now = options;
        }
        if (own == null) {
            return;
        }
        try {
            own.connect(current, now, -1, -1);
            current.establish();
            event.become(CmEventType.ESTABLISHED, 0);
        } catch (VerbsException refused) {
            synchronized (this) {
                failed = true;
            }
            own.toError();
            refuseQuietly(current);
            event.become(CmEventType.CONNECT_ERROR, -refused.errno().value());
        }
    }

    /** The connection may be gone by now. */
    private static void refuseQuietly(CmConnection current) {
        try {
            current.reject(new byte[0]);
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.EINVAL) {
                throw gone;
            }
        }
    }

    /** The identifier of a request is handed out, and lives on its own from now on. */
    private void adopt() {
        manager.begin();
        manager.entered(this);
        synchronized (this) {
            SoftEventChannel listeners = channel;
            if (synchronous) {
                channel = new SoftEventChannel(manager);
                listeners.removeAllOf(this).forEach(channel::put);
            }
            channel.add();
        }
    }

    /** Of a synchronous identifier: waits for the event that ends an operation. What the last one brought is given back. */
    private SoftCmEvent await(String verb) {
        SoftEventChannel own;
        CmEvent old;
        synchronized (this) {
            own = channel;
            old = last;
            last = null;
        }
        if (old != null) {
            old.ack();
        }
        SoftCmEvent event = own.next(verb, -1);
        while (event.type() == CmEventType.TIMEWAIT_EXIT) {
            event.ack();
            event = own.next(verb, -1);
        }
        return event;
    }

    private void complete(String verb) {
        synchronized (this) {
            if (!synchronous) {
                return;
            }
        }
        SoftCmEvent event = await(verb);
        remember(event);
        if (event.status() != 0) {
            Errno errno = event.type() == CmEventType.REJECTED || event.status() > 0 ? Errno.ECONNREFUSED : Errno.of(-event.status());
            throw new VerbsException(errno == null ? Errno.EIO : errno, verb, event + (peer == null ? "" : ", peer " + peer));
        }
    }

    private synchronized void remember(CmEvent event) {
        last = event;
    }

    @Override
    public void migrate(EventChannel target) {
        SoftEventChannel next = target == null ? new SoftEventChannel(manager) : (SoftEventChannel) target;
        next.add();
        SoftEventChannel old;
        boolean was;
        CmEvent kept;
        synchronized (this) {
            if (state == State.DESTROYING) {
                next.remove();
                require("migrate_id", State.IDLE);
            }
            old = channel;
            was = synchronous;
            kept = last;
            last = null;
            for (SoftCmEvent event : moveTo(next)) {
                next.put(event);
                if (event.owner() == this && event.type() == CmEventType.CONNECT_REQUEST) {
                    event.id().follow(next, target == null);
                }
            }
            synchronous = target == null;
        }
        old.remove();
        if (kept != null) {
            kept.ack();
        }
        if (was) {
            old.close();
        }
        acknowledged.awaitAll();
    }

    private List<SoftCmEvent> moveTo(SoftEventChannel next) {
        List<SoftCmEvent> waitingOnes = channel.removeAllOf(this);
        channel = next;
        return waitingOnes;
    }

    /** Of a request's identifier that is not handed out: its listener migrates. */
    private synchronized void follow(SoftEventChannel next, boolean nowSynchronous) {
        moveTo(next).forEach(next::put);
        synchronous = nowSynchronous;
    }

    // ---- groups ----

    @Override
    public void joinMulticast(InetAddress group, boolean sendOnly, Object joinContext) {
        OpenDevice on;
        synchronized (this) {
            if (device == null || type != QpType.UD) {
                throw new VerbsException(Errno.EINVAL, "join_multicast",
                    device == null ? NO_DEVICE : "groups are for datagrams, not " + type);
            }
            on = device;
        }
        int source = on.gidIndex(local.getAddress());
        synchronized (this) {
            put(SoftCmEvent.join(this, groups.join(group, sendOnly, source, options.typeOfService()), joinContext));
        }
        complete("join_multicast");
    }

    private void attach(SoftCmEvent event) {
        try {
            groups.attach(event.datagram().addressVector().dgid().toInetAddress(), queuePair());
        } catch (VerbsException refused) {
            event.become(CmEventType.MULTICAST_ERROR, -refused.errno().value());
        }
    }

    @Override
    public void leaveMulticast(InetAddress group) {
        groups.leave(group, queuePair());
    }

    // ---- options ----

    @Override
    public synchronized void typeOfService(int tos) {
        CmLimits.range("set_option", "type of service", tos, 0xff);
        options = new CmPathOptions(tos, options.ackTimeout(), options.minRnrTimer());
    }

    @Override
    public synchronized void ackTimeout(int code) {
        CmLimits.range("set_option", "ACK timeout", code, 31);
        options = new CmPathOptions(options.typeOfService(), code, options.minRnrTimer());
    }

    @Override
    public synchronized void minRnrTimer(int code) {
        CmLimits.range("set_option", "RNR timer", code, 31);
        options = new CmPathOptions(options.typeOfService(), options.ackTimeout(), code);
    }

    @Override
    public synchronized void reuseAddress(boolean wanted) {
        require("set_option", State.IDLE);
        reuse = wanted;
    }

    @Override
    public synchronized void familyOnly(boolean only) {
        require("set_option", State.IDLE);
        familyOnly = only;
    }

    // ---- the end ----

    @Override
    public void close() {
        synchronized (this) {
            if (state == State.DESTROYING) {
                return;
            }
        }
        groups.leaveAll(queuePair());
        destroyQp();
        State old;
        SoftEventChannel own;
        CmEvent kept;
        synchronized (this) {
            if (state == State.DESTROYING) {
                return;
            }
            old = state;
            state = State.DESTROYING;
            own = channel;
            kept = last;
            last = null;
        }
        if (old == State.LISTEN) {
            listening.stop();
        }
        forget(own);
        if (binding != null) {
            manager.ports().release(binding);
        }
        if (kept != null) {
            kept.ack();
        }
        acknowledged.awaitAll();
        own.remove();
        if (synchronous) {
            own.close();
        }
        manager.left(this);
        manager.end();
    }

    /** The connection ends, and so do those that nobody has seen yet. */
    private void forget(SoftEventChannel own) {
        CmConnection current;
        synchronized (this) {
            current = connection;
        }
        if (current != null) {
            current.close();
        }
        for (SoftCmEvent event : own.removeAllOf(this)) {
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                event.id().forget(own);
            }
        }
    }

    /** The process ends: what the peers have to know is told, nothing is waited for. */
    void abandon() {
        SoftEventChannel own;
        synchronized (this) {
            if (state == State.DESTROYING) {
                return;
            }
            own = channel;
        }
        forget(own);
    }

    @Override
    public String toString() {
        return "identifier " + space + " " + local + (peer == null ? "" : " to " + peer) + ", " + state;
    }
}
