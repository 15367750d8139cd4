// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetSocketAddress;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** Implements the calls that request, answer and end an identifier's connection. */
final class CmConnecting {
    private final CmIdPrivate id;
    private final CmEvents events;
    private final CmConnectionEvents handler;

    CmConnecting(CmIdPrivate id, CmEvents events, CmConnectionEvents handler) {
        this.id = id;
        this.events = events;
        this.handler = handler;
    }

    // ---- connecting side ----

    void connect(ConnectionParameters wanted) {
        OpenDevice on;
        CmPathOptions now;
        CmQueuePair own;
        InetSocketAddress to;
        synchronized (id) {
            id.require(CmCall.CONNECT);
            on = id.device;
            now = id.options;
            own = id.queuePair;
            to = id.peer;
        }
        ConnectionParameters checked = CmQueuePair.name(CmLimits.check("connect", wanted, on.context().queryDevice()), own);
        if (to.getPort() == 0) {
            throw new VerbsException(Errno.EINVAL, "connect", "the destination has port 0, at which nothing can listen");
        }
        CmConnection begun = on.transport().open(handler);
        CmState found;
        synchronized (id) {
            found = id.state;
            if (found == CmState.ROUTE_RESOLVED) {
                id.state = CmState.CONNECT;
                id.connection = begun;
            }
        }
        if (found != CmState.ROUTE_RESOLVED) {
            // Another thread was faster. Not under the monitor, as close takes the device's lock, and lock order is device lock before
            // monitor.
            begun.close();
            CmCall.CONNECT.requireStill(CmState.ROUTE_RESOLVED, found);
        }
        try {
            if (own != null && begun.movesQueuePair()) {
                own.prepare(begun, now);
            }
            begun.connect(new CmService(id.space, to.getPort()), id.type, id.local, to, checked, now);
        } catch (VerbsException refused) {
            begun.close();
            synchronized (id) {
                id.connection = null;
                id.state = id.state == CmState.CONNECT ? CmState.ROUTE_RESOLVED : id.state;
            }
            throw refused;
        }
        events.complete("connect");
    }

    void establish() {
        require(CmCall.ESTABLISH).establish();
    }

    // ---- accepting side ----

    /** Accepts with the parameters of the request. */
    void accept() {
        ConnectionParameters request;
        synchronized (id) {
            request = id.requested;
        }
        accept(ConnectionParameters.DEFAULT.withFlowControl(request != null && request.flowControl()));
    }

    void accept(ConnectionParameters wanted) {
        CmConnection current;
        CmPathOptions now;
        CmQueuePair own;
        OpenDevice on;
        ConnectionParameters request;
        synchronized (id) {
            id.require(CmCall.ACCEPT);
            current = id.connection;
            now = id.options;
            own = id.queuePair;
            on = id.device;
            request = id.requested;
        }
        if (request == null) {
            throw new VerbsException(Errno.EINVAL, "accept", "the identifier was not created by a request; it is the connecting side");
        }
        ConnectionParameters checked = CmQueuePair.name(CmLimits.checkAnswer(wanted, request, on.context().queryDevice()), own);
        if (own != null && id.type != QpType.UD) {
            try {
                own.connect(current, now, checked.responderResources(), checked.initiatorDepth());
            } catch (VerbsException refused) {
                own.toError();
                throw refused;
            }
        }
        synchronized (id) {
            id.answered = true;
        }
        try {
            current.accept(checked, DatagramParameters.UDP_QKEY);
        } catch (VerbsException refused) {
            // The peer withdrew its request before the program answered it.
            if (own != null && id.type != QpType.UD) {
                own.toError();
            }
            throw refused;
        }
        if (id.type != QpType.UD) {
            events.complete("accept");
        }
    }

    void reject(byte[] privateData) {
        require(CmCall.REJECT).reject(privateData);
    }

    // ---- both sides ----

    void notify(AsyncEventType event) {
        if (event == AsyncEventType.COMM_EST) {
            require(CmCall.NOTIFY).communicationEstablished();
        }
    }

    void disconnect() {
        CmConnection current = require(CmCall.DISCONNECT);
        CmQueuePair own = id.queuePair();
        if (own != null && (current == null || !current.movesQueuePair())) {
            own.toError();
        }
        if (id.type == QpType.UD) {
            return;
        }
        boolean known = events.endedWith(CmEventType.DISCONNECTED) || events.endedWith(CmEventType.REJECTED)
            || events.endedWith(CmEventType.UNREACHABLE) || events.endedWith(CmEventType.CONNECT_ERROR);
        current.disconnect();
        if (!known) {
            events.complete("disconnect");
        }
    }

    private CmConnection require(CmCall call) {
        synchronized (id) {
            id.require(call);
            return id.connection;
        }
    }
}
