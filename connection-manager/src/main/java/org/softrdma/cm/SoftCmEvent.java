// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** An event for the application. Its type may be changed by the thread that takes it, before it is handed out. */
final class SoftCmEvent implements CmEvent {
    private final SoftCmId id;
    private final SoftCmId listenId;
    private final ConnectionParameters connection;
    private final DatagramParameters datagram;
    private final Object joinContext;
    private final AtomicBoolean acknowledged = new AtomicBoolean();
    private CmEventType type;
    private int status;
    private String detail;

    private SoftCmEvent(CmEventType type, SoftCmId id, SoftCmId listenId, int status, ConnectionParameters connection,
                        DatagramParameters datagram, Object joinContext) {
        this.type = type;
        this.id = id;
        this.listenId = listenId;
        this.status = status;
        this.connection = connection;
        this.datagram = datagram;
        this.joinContext = joinContext;
    }

    static SoftCmEvent of(CmEventType type, SoftCmId id, int status) {
        return new SoftCmEvent(type, id, null, status, null, null, null);
    }

    /** Creates an error event that was caused by a refusal at this host. */
    static SoftCmEvent of(CmEventType type, SoftCmId id, VerbsException cause) {
        SoftCmEvent event = of(type, id, -cause.errno().value());
        event.detail = cause.getMessage();
        return event;
    }

    static SoftCmEvent of(CmEventType type, SoftCmId id, int status, ConnectionParameters connection) {
        return new SoftCmEvent(type, id, null, status, connection, null, null);
    }

    static SoftCmEvent of(CmEventType type, SoftCmId id, int status, DatagramParameters datagram) {
        return new SoftCmEvent(type, id, null, status, null, datagram, null);
    }

    static SoftCmEvent request(SoftCmId id, SoftCmId listenId, ConnectionParameters connection, DatagramParameters datagram) {
        return new SoftCmEvent(CmEventType.CONNECT_REQUEST, id, listenId, 0, connection, datagram, null);
    }

    static SoftCmEvent join(SoftCmId id, DatagramParameters group, Object context) {
        return new SoftCmEvent(CmEventType.MULTICAST_JOIN, id, null, 0, null, group, context);
    }

    @Override
    public CmEventType type() {
        return type;
    }

    @Override
    public SoftCmId id() {
        return id;
    }

    @Override
    public SoftCmId listenId() {
        return listenId;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public ConnectionParameters connection() {
        return connection;
    }

    @Override
    public DatagramParameters datagram() {
        return datagram;
    }

    @Override
    public Object joinContext() {
        return joinContext;
    }

    @Override
    public String detail() {
        return detail;
    }

    /** Changes the type; only by the thread that takes the event, before it is handed out. */
    void become(CmEventType other, int otherStatus) {
        type = other;
        status = otherStatus;
    }

    /** Changes the type to an error that was caused by a refusal at this host. */
    void become(CmEventType other, VerbsException cause) {
        become(other, -cause.errno().value());
        detail = cause.getMessage();
    }

    /** Returns the identifier that the event counts for: the listener, for a request. */
    SoftCmId owner() {
        return listenId != null ? listenId : id;
    }

    /** Marks the event as delivered: it must be acknowledged from now on. */
    void delivered() {
        owner().onDelivery(this);
    }

    @Override
    public void ack() {
        if (acknowledged.compareAndSet(false, true)) {
            owner().onAcknowledged();
        }
    }

    @Override
    public String toString() {
        return type.text() + ", status " + status + (detail != null ? ", " + detail : "") + (connection != null ? ", " + connection : "")
            + (datagram != null ? ", " + datagram : "");
    }
}
