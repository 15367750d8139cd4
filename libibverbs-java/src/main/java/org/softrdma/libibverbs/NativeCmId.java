// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.softrdma.libibverbs.layout.IbvQpAttr;
import org.softrdma.libibverbs.layout.RdmaCmId;
import org.softrdma.libibverbs.layout.RdmaCmJoinMcAttrEx;
import org.softrdma.libibverbs.layout.RdmaConnParam;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionChannel;
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
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/** {@code struct rdma_cm_id}. */
final class NativeCmId implements CmId {
    private static final int BACKLOG = 1024;
    private static final int OPTION_ID = 0;
    private static final int OPTION_TOS = 0;
    private static final int OPTION_REUSEADDR = 1;
    private static final int OPTION_AFONLY = 2;
    private static final int OPTION_ACK_TIMEOUT = 3;
    private static final int JOIN_HAS_ADDRESS = 1;
    private static final int JOIN_HAS_FLAGS = 2;
    private static final int JOIN_SEND_ONLY = 1;
    private static final int MAX_PRIVATE_DATA = 255;

    private final PortSpace portSpace;
    private final QpType qpType;
    /** Contexts of joins, by the numbers that stand for them in C. */
    private final Map<Long, Object> joins = new ConcurrentHashMap<>();
    private final AtomicLong nextJoin = new AtomicLong(1);
    private volatile NativeEventChannel channel;
    private volatile Object context;
    private volatile long address;
    private QueuePair qp;
    /** Completion queues of {@link #qp}; null without it. */
    private Queues queues;
    private ProtectionDomain requestsPd;
    private QpInitAttributes requestsQp;

    private NativeCmId(NativeEventChannel channel, Object context, PortSpace portSpace, QpType qpType, long address) {
        this.channel = channel;
        this.context = context;
        this.portSpace = portSpace;
        this.qpType = qpType;
        this.address = address;
        if (channel != null) {
            channel.add(address, this);
        }
    }

    /** @param channel null for a synchronous identifier */
    static NativeCmId create(NativeEventChannel channel, Object context, PortSpace portSpace, QpType type) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment created = arena.allocate(JAVA_LONG);
            long of = channel == null ? 0 : channel.address("create_id");
            Libibverbs.check(Librdmacm.CREATE_ID.call(of, created.address(), 0, portSpace.value()), "create_id", portSpace.toString());
            return new NativeCmId(channel, context, portSpace, type, created.get(JAVA_LONG, 0));
        }
    }

    /** Returns the identifier of a request at this listener. */
    NativeCmId requested(long id) {
        return new NativeCmId(channel, context, portSpace, qpType, id);
    }

    /** Sets what {@link #getRequest} gives to new identifiers. */
    void requestsGet(ProtectionDomain pd, QpInitAttributes attributes) {
        requestsPd = pd;
        requestsQp = attributes;
    }

    Object joinContext(long token) {
        return joins.get(token);
    }

    private long address(String verb) {
        long now = address;
        if (now == 0) {
            throw new VerbsException(Errno.EINVAL, verb, "the identifier is closed");
        }
        return now;
    }

    // ---- properties ----

    @Override
    public EventChannel channel() {
        return channel;
    }

    @Override
    public Object context() {
        return context;
    }

    @Override
    public void context(Object context) {
        this.context = context;
    }

    @Override
    public PortSpace portSpace() {
        return portSpace;
    }

    @Override
    public QpType qpType() {
        return qpType;
    }

    private NativeContext device() {
        return Librdmacm.context(RdmaCmId.VERBS.get(ALL, address("query_id")));
    }

    @Override
    public Context verbs() {
        return device();
    }

    @Override
    public int port() {
        return RdmaCmId.PORT_NUM.get(ALL, address("query_id"));
    }

    @Override
    public InetSocketAddress localAddress() {
        InetSocketAddress bound = SocketAddresses.get(ALL, address("query_id") + RdmaCmId.SRC_ADDR.offset());
        return bound == null ? new InetSocketAddress(0) : bound;
    }

    @Override
    public InetSocketAddress peerAddress() {
        return SocketAddresses.get(ALL, address("query_id") + RdmaCmId.DST_ADDR.offset());
    }

    @Override
    public CmEvent event() {
        long event = RdmaCmId.EVENT.get(ALL, address("query_id"));
        return event == 0 ? null : new NativeCmEvent(event, this, null);
    }

    // ---- addresses ----

    @Override
    public void bind(InetSocketAddress to) {
        try (Arena arena = Arena.ofConfined()) {
            Libibverbs.check(Librdmacm.BIND_ADDR.call(address("bind_addr"), SocketAddresses.of(to, arena).address()), "bind_addr",
                String.valueOf(to));
        }
    }

    @Override
    public void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        try (Arena arena = Arena.ofConfined()) {
            Libibverbs.check(Librdmacm.RESOLVE_ADDR.call(address("resolve_addr"), SocketAddresses.of(source, arena).address(),
                SocketAddresses.of(destination, arena).address(), timeoutMs), "resolve_addr", String.valueOf(destination));
        }
    }

    @Override
    public void resolveRoute(int timeoutMs) {
        Libibverbs.check(Librdmacm.RESOLVE_ROUTE.call(address("resolve_route"), timeoutMs), "resolve_route", timeoutMs + " ms");
    }

    // ---- the queue pair ----

    @Override
    public synchronized void createQp(ProtectionDomain pd, QpInitAttributes attributes) {
        long id = address("create_qp");
        NativeContext device = device();
        if (device == null || qp != null) {
            String why = device == null ? "the identifier has no device yet" : "there is one already";
            throw new VerbsException(Errno.EINVAL, "create_qp", why);
        }
        ProtectionDomain given = pd == null ? device.sharedPd() : pd;
        NativeProtectionDomain domain =
            NativeObject.own(NativeProtectionDomain.class, given, device, "create_qp", "the protection domain");
        Queues made = new Queues(device, attributes);
        try {
            qp = NativeQueuePair.create(domain, made.attributes,
                init -> Librdmacm.CREATE_QP_EX.isThere() && Librdmacm.CREATE_QP_EX.call(id, init) == 0 ? RdmaCmId.QP.get(ALL, id) : 0,
                init -> Librdmacm.CREATE_QP.call(id, domain.address("create_qp"), init) == 0 ? RdmaCmId.QP.get(ALL, id) : 0,
                _ -> {
                    Librdmacm.DESTROY_QP.call(id);
                    return 0;
                });
            queues = made;
        } finally {
            if (queues == null) {
                made.close();
            }
        }
    }

    @Override
    public synchronized void destroyQp() {
        if (qp != null) {
            qp.close();
            qp = null;
            queues.close();
            queues = null;
        }
    }

    @Override
    public synchronized QueuePair qp() {
        return qp;
    }

    @Override
    public synchronized ProtectionDomain pd() {
        NativeContext device = device();
        return qp != null ? qp.pd() : device == null ? null : device.sharedPd();
    }

    @Override
    public synchronized CompletionQueue sendCq() {
        return queues == null ? null : queues.attributes.sendCq();
    }

    @Override
    public synchronized CompletionQueue receiveCq() {
        return queues == null ? null : queues.attributes.recvCq();
    }

    @Override
    public QpAttributes initQpAttributes(QpState state) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvQpAttr.BYTES, 8);
            MemorySegment mask = arena.allocate(JAVA_INT);
            IbvQpAttr.QP_STATE.set(m, 0, state.value());
            Libibverbs.check(Librdmacm.INIT_QP_ATTR.call(address("init_qp_attr"), m.address(), mask.address()), "init_qp_attr",
                "to " + state);
            return QueuePairAttributes.get(m, mask.get(JAVA_INT, 0));
        }
    }

    // ---- connections ----

    @Override
    public void connect(ConnectionParameters parameters) {
        withParameters(Librdmacm.CONNECT, "connect", parameters);
    }

    @Override
    public void accept() {
        Libibverbs.check(Librdmacm.ACCEPT.call(address("accept"), 0), "accept", "with the request's numbers");
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        withParameters(Librdmacm.ACCEPT, "accept", parameters);
    }

    private void withParameters(NativeFunction function, String verb, ConnectionParameters parameters) {
        byte[] data = parameters.privateData();
        if (data.length > MAX_PRIVATE_DATA) {
            throw new VerbsException(Errno.EINVAL, verb, data.length + " bytes of private data");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(RdmaConnParam.BYTES, 8);
            RdmaConnParam.PRIVATE_DATA.set(m, 0, data.length == 0 ? 0 : arena.allocateFrom(JAVA_BYTE, data).address());
            RdmaConnParam.PRIVATE_DATA_LEN.set(m, 0, data.length);
            RdmaConnParam.RESPONDER_RESOURCES.set(m, 0, parameters.responderResources());
            RdmaConnParam.INITIATOR_DEPTH.set(m, 0, parameters.initiatorDepth());
            RdmaConnParam.FLOW_CONTROL.set(m, 0, parameters.flowControl() ? 1 : 0);
            RdmaConnParam.RETRY_COUNT.set(m, 0, parameters.retryCount());
            RdmaConnParam.RNR_RETRY_COUNT.set(m, 0, parameters.rnrRetryCount());
            RdmaConnParam.SRQ.set(m, 0, parameters.srq() ? 1 : 0);
            RdmaConnParam.QP_NUM.set(m, 0, parameters.qpNum());
            Libibverbs.check(function.call(address(verb), m.address()), verb, parameters.toString());
        }
    }

    @Override
    public void listen(int backlog) {
        Libibverbs.check(Librdmacm.LISTEN.call(address("listen"), backlog == 0 ? BACKLOG : backlog), "listen", "backlog " + backlog);
    }

    @Override
    public CmId getRequest() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(JAVA_LONG);
            Libibverbs.check(Librdmacm.GET_REQUEST.call(address("get_request"), found.address()), "get_request", localAddress().toString());
            NativeCmId request = requested(found.get(JAVA_LONG, 0));
            if (requestsQp != null) {
                request.createQp(requestsPd, requestsQp);
            }
            return request;
        }
    }

    @Override
    public void reject(byte[] privateData) {
        try (Arena arena = Arena.ofConfined()) {
            long data = privateData.length == 0 ? 0 : arena.allocateFrom(JAVA_BYTE, privateData).address();
            Libibverbs.check(Librdmacm.REJECT.call(address("reject"), data, privateData.length), "reject",
                privateData.length + " bytes of private data");
        }
    }

    @Override
    public void establish() {
        Libibverbs.check(Librdmacm.ESTABLISH.call(address("establish")), "establish", "");
    }

    @Override
    public void notify(AsyncEventType event) {
        Libibverbs.check(Librdmacm.NOTIFY.call(address("notify"), event.value()), "notify", event.toString());
    }

    @Override
    public void disconnect() {
        Libibverbs.check(Librdmacm.DISCONNECT.call(address("disconnect")), "disconnect", "");
    }

    // ---- groups, options, completions ----

    @Override
    public void migrate(EventChannel to) {
        NativeEventChannel next = NativeEventChannel.own(to);
        long id = address("migrate_id");
        // Known there before the first event arrives.
        if (next != null) {
            next.add(id, this);
        }
        Libibverbs.check(Librdmacm.MIGRATE_ID.call(id, next == null ? 0 : next.address("migrate_id")), "migrate_id", "");
        if (channel != null && channel != next) {
            channel.remove(id, this);
        }
        channel = next;
    }

    @Override
    public void joinMulticast(InetAddress group, boolean sendOnly, Object joinContext) {
        long token = nextJoin.getAndIncrement();
        if (joinContext != null) {
            joins.put(token, joinContext);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(RdmaCmJoinMcAttrEx.BYTES, 8);
            RdmaCmJoinMcAttrEx.COMP_MASK.set(m, 0, JOIN_HAS_ADDRESS | JOIN_HAS_FLAGS);
            RdmaCmJoinMcAttrEx.JOIN_FLAGS.set(m, 0, sendOnly ? JOIN_SEND_ONLY : 0);
            RdmaCmJoinMcAttrEx.ADDR.set(m, 0, SocketAddresses.of(new InetSocketAddress(group, 0), arena).address());
            Libibverbs.check(Librdmacm.JOIN_MULTICAST_EX.call(address("join_multicast"), m.address(), token), "join_multicast",
                group.getHostAddress());
        }
    }

    @Override
    public void leaveMulticast(InetAddress group) {
        try (Arena arena = Arena.ofConfined()) {
            Libibverbs.check(Librdmacm.LEAVE_MULTICAST.call(address("leave_multicast"),
                SocketAddresses.of(new InetSocketAddress(group, 0), arena).address()), "leave_multicast", group.getHostAddress());
        }
    }

    private void option(int name, int value, boolean wide) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(JAVA_INT);
            if (wide) {
                m.set(JAVA_INT, 0, value);
            } else {
                m.set(JAVA_BYTE, 0, (byte) value);
            }
            Libibverbs.check(Librdmacm.SET_OPTION.call(address("set_option"), OPTION_ID, name, m.address(),
                wide ? Integer.BYTES : Byte.BYTES), "set_option", "option " + name + ", value " + value);
        }
    }

    @Override
    public void typeOfService(int tos) {
        option(OPTION_TOS, tos, false);
    }

    @Override
    public void reuseAddress(boolean reuse) {
        option(OPTION_REUSEADDR, reuse ? 1 : 0, true);
    }

    @Override
    public void familyOnly(boolean only) {
        option(OPTION_AFONLY, only ? 1 : 0, true);
    }

    @Override
    public void ackTimeout(int code) {
        option(OPTION_ACK_TIMEOUT, code, false);
    }

    @Override
    public void minRnrTimer(int code) {
        throw new VerbsException(Errno.EOPNOTSUPP, "set_option", "librdmacm has no option for the RNR timer");
    }

    @Override
    public void awaitSend(WorkCompletion into) {
        Queues of = queues();
        Queues.await(of.sendChannel, of.attributes.sendCq(), into);
    }

    @Override
    public void awaitReceive(WorkCompletion into) {
        Queues of = queues();
        Queues.await(of.receiveChannel, of.attributes.recvCq(), into);
    }

    private synchronized Queues queues() {
        if (queues == null) {
            throw new VerbsException(Errno.EINVAL, "get_comp", "the identifier has no queue pair");
        }
        return queues;
    }

    @Override
    public synchronized void close() {
        long id = address;
        if (id == 0) {
            return;
        }
        destroyQp();
        address = 0;
        long refused = Librdmacm.DESTROY_ID.call(id);
        // Until now, other threads may have received events of this identifier.
        if (channel != null) {
            channel.remove(id, this);
        }
        Libibverbs.check(refused, "destroy_id", "");
    }

    @Override
    public String toString() {
        return portSpace + " identifier" + (address == 0 ? ", closed" : " " + localAddress() + " to " + peerAddress());
    }

    /** Completion queues of a queue pair: those that the application left to the identifier have a channel each. */
    private static final class Queues {
        /** Names both queues. */
        final QpInitAttributes attributes;
        /** Null if the queue is the application's. */
        final CompletionChannel sendChannel;
        /** Null if the queue is the application's. */
        final CompletionChannel receiveChannel;

        Queues(Context device, QpInitAttributes given) {
            sendChannel = given.sendCq() == null ? device.createCompletionChannel() : null;
            receiveChannel = given.recvCq() == null ? device.createCompletionChannel() : null;
            QpInitAttributes filled = given;
            if (sendChannel != null) {
                filled = filled.withSendCq(device.createCq(Math.max(1, given.cap().maxSendWr()), null, sendChannel, 0));
            }
            if (receiveChannel != null) {
                filled = filled.withRecvCq(device.createCq(Math.max(1, given.cap().maxRecvWr()), null, receiveChannel, 0));
            }
            attributes = filled;
        }

        static void await(CompletionChannel channel, CompletionQueue cq, WorkCompletion into) {
            if (channel == null) {
                throw new VerbsException(Errno.EINVAL, "get_comp", "the completion queue is the application's own");
            }
            WorkCompletion[] one = {into};
            while (cq.poll(one) == 0) {
                cq.requestNotify();
                if (cq.poll(one) > 0) {
                    return;
                }
                channel.getEvent(-1).ackEvents(1);
            }
        }

        void close() {
            if (sendChannel != null) {
                attributes.sendCq().close();
                sendChannel.close();
            }
            if (receiveChannel != null) {
                attributes.recvCq().close();
                receiveChannel.close();
            }
        }
    }
}
