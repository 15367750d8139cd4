// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.DatagramParameters;

/** Implements listening: creates an identifier for each received request, and hands it out. */
final class CmRequests {
    private static final int DEFAULT_BACKLOG = 1024;

    private final SoftCmId listener;
    private final CmIdPrivate id;
    private final CmEvents events;
    private final CmAddressing addressing;
    /** State of listening; null while the identifier does not listen. */
    private volatile CmListening listening;
    private ProtectionDomain requestsPd;
    private QpInitAttributes requestsQp;

    CmRequests(SoftCmId listener, CmIdPrivate id, CmEvents events, CmAddressing addressing) {
        this.listener = listener;
        this.id = id;
        this.events = events;
        this.addressing = addressing;
    }

    /** Sets the attributes of the queue pairs that {@link #get} creates. */
    void queuePairs(ProtectionDomain pd, QpInitAttributes attributes) {
        synchronized (id) {
            requestsPd = pd;
            requestsQp = attributes;
        }
    }

    void listen(int backlog) {
        boolean idle;
        synchronized (id) {
            id.require(CmCall.LISTEN);
            idle = id.state == CmState.IDLE;
        }
        if (idle) {
            addressing.bindToAny(id.local.getAddress());
        }
        CmListening begun;
        List<OpenDevice> on;
        PortTable.Binding binding;
        synchronized (id) {
            CmCall.LISTEN.requireStill(CmState.ADDR_BOUND, id.state);
            binding = addressing.binding();
            begun = new CmListening(listener, new CmService(id.space, binding.port()),
                backlog <= 0 ? DEFAULT_BACKLOG : Math.min(backlog, DEFAULT_BACKLOG));
            on = id.device == null ? null : List.of(id.device);
        }
        id.manager.ports().listen(binding);
        try {
            List<OpenDevice> all = on == null ? id.manager.openAll("listen", id.space) : on;
            synchronized (id) {
                CmCall.LISTEN.requireStill(CmState.ADDR_BOUND, id.state);
                id.state = CmState.LISTEN;
                listening = begun;
            }
            // A listener for IPv6 only does not listen at 127.0.0.1.
            begun.start(all, addressing.isIpv6Only() ? null : id.manager.host().loopbackListeners());
        } catch (VerbsException refused) {
            id.manager.ports().unlisten(binding);
            synchronized (id) {
                id.state = id.state == CmState.LISTEN ? CmState.ADDR_BOUND : id.state;
                listening = null;
            }
            throw refused;
        }
    }

    /** Processes a request for an address that the identifier listens at; with the device's lock held. */
    RequestVerdict onRequest(OpenDevice on, CmConnection connection, CmRequest request) {
        if (request.type() != id.type) {
            return RequestVerdict.REFUSED;
        }
        synchronized (id) {
            if (id.state != CmState.LISTEN) {
                return RequestVerdict.REFUSED;
            }
            if (!listening.admit()) {
                return RequestVerdict.DROPPED;
            }
            SoftCmId child = new SoftCmId(listener, on, connection, request);
            connection.handler(child.handler());
            events.put(id.type == QpType.UD
                ? SoftCmEvent.request(child, listener, null, new DatagramParameters(request.parameters().privateData(), null, 0, 0))
                : SoftCmEvent.request(child, listener, request.parameters(), null));
            return RequestVerdict.TAKEN;
        }
    }

    /** Counts a request that leaves the channel. */
    void delivered() {
        CmListening current = listening;
        if (current != null) {
            current.delivered();
        }
    }

    /** Waits for the next request; for synchronous identifiers only. */
    CmId get() {
        synchronized (id) {
            id.require(CmCall.GET_REQUEST);
            if (!events.isSynchronous()) {
                throw new VerbsException(Errno.EINVAL, "get_request", "the identifier has a channel: take its requests from there");
            }
        }
        CmEvent request = events.await("get_request");
        SoftCmId child = (SoftCmId) request.id();
        QpInitAttributes attributes;
        ProtectionDomain pd;
        synchronized (id) {
            attributes = requestsQp;
            pd = requestsPd;
        }
        child.events().remember(request);
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

    /** Returns the names of the devices that the identifier listens on. */
    List<String> listensOn() {
        CmListening current = listening;
        return current == null ? List.of() : current.deviceNames();
    }

    /** Stops listening on a device that was removed. */
    void leave(OpenDevice device) {
        CmListening current = listening;
        if (current != null) {
            current.leave(device);
        }
    }

    /** Stops listening. */
    void stop() {
        listening.stop();
    }
}
