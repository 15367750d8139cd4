// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.softrdma.host.inspect.Owner;
import org.softrdma.host.inspect.ReportBuilder;
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
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * An identifier, independent of the transport: composes its parts and closes them. Programs call its methods; its {@link CmConnection}
 * calls {@link #handler} with the device's lock held. {@link CmIdPrivate} is the state that the parts share, and their monitor.
 */
final class SoftCmId implements CmId {
    private final CmIdPrivate id;
    private final CmEvents events;
    private final CmAddressing addressing;
    private final CmIdQueuePair queuePair;
    private final CmConnectionEvents handler;
    private final CmConnecting connecting;
    private final CmRequests requests;
    private final CmGroups groups = new CmGroups();
    private final CmEventProcessing processing;
    private volatile Object context;

    /**
     * Creates an identifier for a program.
     *
     * @param channel null for a synchronous identifier
     */
    SoftCmId(SoftConnectionManager manager, SoftEventChannel channel, Object context, PortSpace space, QpType type) {
        this(new CmIdPrivate(manager, space, type), context);
        events.enter(channel);
        manager.begin();
    }

    /** Has reports name a program as the owner of the identifier, and of those of its requests. */
    void actFor(Owner program) {
        id.owner = program;
    }

    /** Creates an identifier for a request, on the listener's channel until it is handed out. */
    SoftCmId(SoftCmId listener, OpenDevice device, CmConnection connection, CmRequest request) {
        this(new CmIdPrivate(listener.id, device, connection, request), listener.context);
        events.enterWith(listener.events);
    }

    private SoftCmId(CmIdPrivate id, Object context) {
        this.id = id;
        this.context = context;
        events = new CmEvents(this, id);
        addressing = new CmAddressing(id, events);
        queuePair = new CmIdQueuePair(id);
        handler = new CmConnectionEvents(id, events);
        connecting = new CmConnecting(id, events, handler);
        requests = new CmRequests(this, id, events, addressing);
        processing = new CmEventProcessing(this, id, events, groups);
    }

    // ---- attributes ----

    @Override
    public EventChannel channel() {
        synchronized (id) {
            return events.isSynchronous() ? null : events.channel();
        }
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
        return id.space;
    }

    @Override
    public QpType qpType() {
        return id.type;
    }

    @Override
    public Context verbs() {
        synchronized (id) {
            return id.device == null ? null : id.device.context();
        }
    }

    @Override
    public int port() {
        synchronized (id) {
            return id.device == null ? 0 : 1;
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return id.local;
    }

    @Override
    public InetSocketAddress peerAddress() {
        synchronized (id) {
            return id.peer;
        }
    }

    @Override
    public CmEvent event() {
        return events.last();
    }

    /** Adds the identifier to the list of its device, or of each device it listens on. */
    void report(ReportBuilder into) {
        CmInventory.report(id, requests.listensOn(), into);
    }

    // ---- addresses ----

    @Override
    public void bind(InetSocketAddress address) {
        addressing.bind(address);
    }

    @Override
    public void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        addressing.resolveAddress(source, destination, timeoutMs);
    }

    @Override
    public void resolveRoute(int timeoutMs) {
        addressing.resolveRoute(timeoutMs);
    }

    // ---- queue pair ----

    @Override
    public void createQp(ProtectionDomain givenPd, QpInitAttributes attributes) {
        queuePair.create(givenPd, attributes);
    }

    @Override
    public void destroyQp() {
        queuePair.destroy();
    }

    @Override
    public QueuePair qp() {
        CmQueuePair own = id.queuePair();
        return own == null ? null : own.qp();
    }

    @Override
    public ProtectionDomain pd() {
        return queuePair.pd();
    }

    @Override
    public CompletionQueue sendCq() {
        CmQueuePair own = id.queuePair();
        return own == null ? null : own.sendCq();
    }

    @Override
    public CompletionQueue receiveCq() {
        CmQueuePair own = id.queuePair();
        return own == null ? null : own.receiveCq();
    }

    @Override
    public void awaitSend(WorkCompletion into) {
        queuePair.require("get_send_comp").awaitSend(into);
    }

    @Override
    public void awaitReceive(WorkCompletion into) {
        queuePair.require("get_recv_comp").awaitReceive(into, id::hasEnded);
    }

    @Override
    public QpAttributes initQpAttributes(QpState to) {
        return queuePair.initAttributes(to);
    }

    // ---- connections ----

    @Override
    public void connect(ConnectionParameters wanted) {
        connecting.connect(wanted);
    }

    @Override
    public void establish() {
        connecting.establish();
    }

    @Override
    public void accept() {
        connecting.accept();
    }

    @Override
    public void accept(ConnectionParameters wanted) {
        connecting.accept(wanted);
    }

    @Override
    public void reject(byte[] privateData) {
        connecting.reject(privateData);
    }

    @Override
    public void notify(AsyncEventType event) {
        connecting.notify(event);
    }

    @Override
    public void disconnect() {
        connecting.disconnect();
    }

    /** Returns the handler of the events of its connection. */
    CmHandler handler() {
        return handler;
    }

    // ---- listening ----

    /** Sets the attributes of the queue pairs for requests, of a listening identifier. */
    void queuePairsOfRequests(ProtectionDomain pd, QpInitAttributes attributes) {
        requests.queuePairs(pd, attributes);
    }

    @Override
    public void listen(int backlog) {
        requests.listen(backlog);
    }

    /** Returns true if the identifier is bound to a wildcard address that includes this one. */
    boolean coversWildcard(InetAddress address) {
        return addressing.coversWildcard(address);
    }

    /** Processes a request for an address that the identifier listens at; with the device's lock held. */
    RequestVerdict onRequest(OpenDevice on, CmConnection asked, CmRequest request) {
        return requests.onRequest(on, asked, request);
    }

    @Override
    public CmId getRequest() {
        return requests.get();
    }

    // ---- removal ----

    /** Ends the connection of this identifier because its device was removed, and raises one event. */
    void onRemoval(OpenDevice device) {
        requests.leave(device);
        CmConnection current;
        synchronized (id) {
            if (id.device != device || id.state == CmState.DEVICE_REMOVAL || id.state == CmState.DESTROYING) {
                return;
            }
            id.state = CmState.DEVICE_REMOVAL;
            current = id.connection;
        }
        if (current != null) {
            current.close();
        }
        synchronized (id) {
            if (id.state == CmState.DEVICE_REMOVAL) {
                events.raise(CmEventType.DEVICE_REMOVAL, 0);
            }
        }
    }

    // ---- events ----

    CmEvents events() {
        return events;
    }

    /** Counts an event of this identifier that leaves its queue; with the queue's lock held. */
    void onDelivery(SoftCmEvent event) {
        events.onDelivery();
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            requests.delivered();
        }
    }

    void onAcknowledged() {
        events.onAcknowledged();
    }

    /**
     * Applies an event to the identifier before it is handed out; on the thread that takes the event.
     *
     * @return false if it must not be handed out
     */
    boolean prepare(SoftCmEvent event) {
        return processing.process(event);
    }

    @Override
    public void migrate(EventChannel target) {
        events.migrate(target);
    }

    // ---- groups ----

    @Override
    public void joinMulticast(InetAddress group, boolean sendOnly, Object joinContext) {
        OpenDevice on = id.requireDevice("join_multicast");
        if (id.type != QpType.UD) {
            throw new VerbsException(Errno.EINVAL, "join_multicast", "groups require datagrams (UD), not " + id.type);
        }
        int source = on.gidIndex(id.local.getAddress());
        synchronized (id) {
            events.put(SoftCmEvent.join(this, groups.join(group, sendOnly, on.transport().gidType(), source,
                id.options.typeOfService()), joinContext));
        }
        events.complete("join_multicast");
    }

    @Override
    public void leaveMulticast(InetAddress group) {
        id.requireOpen("leave_multicast");
        groups.leave(group, id.queuePair());
    }

    // ---- options ----

    @Override
    public void typeOfService(int tos) {
        synchronized (id) {
            id.requireOpen("set_option");
            id.options = id.options.withTypeOfService(tos);
        }
    }

    @Override
    public void ackTimeout(int code) {
        synchronized (id) {
            id.requireOpen("set_option");
            id.options = id.options.withAckTimeout(code);
        }
    }

    @Override
    public void minRnrTimer(int code) {
        synchronized (id) {
            id.requireOpen("set_option");
            id.options = id.options.withMinRnrTimer(code);
        }
    }

    @Override
    public void reuseAddress(boolean wanted) {
        addressing.reuse(wanted);
    }

    @Override
    public void familyOnly(boolean only) {
        addressing.familyOnly(only);
    }

    // ---- closing ----

    @Override
    public void close() {
        if (id.is(CmState.DESTROYING)) {
            return;
        }
        groups.leaveAll(id.queuePair());
        destroyQp();
        CmState old;
        SoftEventChannel own;
        CmEvent kept;
        synchronized (id) {
            if (id.state == CmState.DESTROYING) {
                return;
            }
            old = id.state;
            id.state = CmState.DESTROYING;
            own = events.channel();
            kept = events.takeLast();
        }
        if (old == CmState.LISTEN) {
            requests.stop();
        }
        forget(own);
        if (addressing.binding() != null) {
            id.manager.ports().release(addressing.binding());
        }
        if (kept != null) {
            kept.ack();
        }
        events.awaitAcknowledged();
        events.leave(own);
        id.manager.left(this);
        id.manager.end();
    }

    /** Ends the connection, and the requests that were not handed out yet. */
    private void forget(SoftEventChannel own) {
        CmConnection current;
        synchronized (id) {
            current = id.connection;
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

    /** Notifies the peers because the process ends, without waiting for answers. */
    void abandon() {
        SoftEventChannel own;
        synchronized (id) {
            if (id.state == CmState.DESTROYING) {
                return;
            }
            own = events.channel();
        }
        forget(own);
    }

    @Override
    public String toString() {
        return "identifier " + id.space + " " + id.local + (id.peer == null ? "" : " to " + id.peer) + ", " + id.state;
    }
}
