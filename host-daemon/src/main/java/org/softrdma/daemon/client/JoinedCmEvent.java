// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.abi.ucm.UcmConnectionParameters;
import org.softrdma.abi.ucm.UcmDatagramParameters;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.daemon.verbs.VectorRecords;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** An event that was taken from the daemon. */
final class JoinedCmEvent implements CmEvent {
    private final JoinedCmId id;
    private final JoinedCmId listenId;
    /** Null unless it concerns a group. */
    private final JoinedMembership membership;
    private final ConnectionParameters connection;
    private final DatagramParameters datagram;
    private final AtomicBoolean acknowledged = new AtomicBoolean();
    /** The identifier whose close waits for the acknowledgement: of a request, the listener. */
    private JoinedCmId counted;
    private CmEventType type;
    private int status;
    private String detail;

    /** @param m {@link UcmEvent}, copied here */
    JoinedCmEvent(MemorySegment m, CmEventType type, JoinedCmId id, JoinedCmId listenId, JoinedMembership membership) {
        this.id = id;
        this.listenId = listenId;
        this.membership = membership;
        this.type = type;
        status = UcmEvent.status(m, 0);
        boolean datagrams = id.qpType() == QpType.UD;
        connection = datagrams || !hasConnection(type) ? null : connection(m);
        datagram = datagrams && hasDatagram(type) ? datagram(m, type) : null;
        counted = listenId == null ? id : listenId;
        counted.acks().deliver();
    }

    /** Has its acknowledgement counted by an identifier that keeps it. */
    void keptBy(JoinedCmId keeper) {
        keeper.acks().deliver();
        counted.acks().ack(1, "ack_cm_event", "identifier");
        counted = keeper;
    }

    /** Returns whether an identifier waits for such an event: it is the event's, or the listener of a request. */
    boolean concerns(JoinedCmId waiting) {
        return id == waiting || listenId == waiting;
    }

    private static boolean hasConnection(CmEventType type) {
        return switch (type) {
            case CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED, UNREACHABLE -> true;
            default -> false;
        };
    }

    private static boolean hasDatagram(CmEventType type) {
        return type == CmEventType.CONNECT_REQUEST || type == CmEventType.ESTABLISHED || type == CmEventType.MULTICAST_JOIN;
    }

    private static ConnectionParameters connection(MemorySegment m) {
        long at = UcmEvent.CONNECTION_PARAMETERS_OFFSET;
        byte[] data = bytes(m, at + UcmConnectionParameters.PRIVATE_DATA_OFFSET, UcmConnectionParameters.privateDataLen(m, at));
        return new ConnectionParameters(data, UcmConnectionParameters.responderResources(m, at),
            UcmConnectionParameters.initiatorDepth(m, at), UcmConnectionParameters.flowControl(m, at) != 0,
            UcmConnectionParameters.retryCount(m, at), UcmConnectionParameters.rnrRetryCount(m, at),
            UcmConnectionParameters.srq(m, at) != 0, UcmConnectionParameters.qpNum(m, at));
    }

    private static DatagramParameters datagram(MemorySegment m, CmEventType type) {
        long at = UcmEvent.DATAGRAM_PARAMETERS_OFFSET;
        byte[] data = bytes(m, at + UcmDatagramParameters.PRIVATE_DATA_OFFSET, UcmDatagramParameters.privateDataLen(m, at));
        return new DatagramParameters(data, type == CmEventType.CONNECT_REQUEST ? null
            : VectorRecords.readAh(m, at + UcmDatagramParameters.AH_ATTR_OFFSET), UcmDatagramParameters.qpNum(m, at),
            UcmDatagramParameters.qkey(m, at));
    }

    private static byte[] bytes(MemorySegment m, long at, int length) {
        return m.asSlice(at, length).toArray(JAVA_BYTE);
    }

    /** Changes the event before it is handed out. */
    void become(CmEventType other) {
        type = other;
        status = 0;
    }

    /** Changes the event to a failure here. */
    void become(CmEventType other, VerbsException reason) {
        type = other;
        status = -reason.errno().value();
        detail = reason.getMessage();
    }

    JoinedMembership membership() {
        return membership;
    }

    @Override
    public CmEventType type() {
        return type;
    }

    @Override
    public JoinedCmId id() {
        return id;
    }

    @Override
    public CmId listenId() {
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
        return membership == null ? null : membership.context();
    }

    @Override
    public String detail() {
        return detail;
    }

    @Override
    public void ack() {
        if (!acknowledged.compareAndSet(false, true)) {
            throw new VerbsException(Errno.EINVAL, "ack_cm_event", "the event was acknowledged before");
        }
        counted.acks().ack(1, "ack_cm_event", "identifier");
    }

    @Override
    public String toString() {
        return type.text() + ", status " + status + (detail == null ? "" : ": " + detail);
    }
}
