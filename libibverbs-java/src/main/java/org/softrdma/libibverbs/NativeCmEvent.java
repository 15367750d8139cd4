// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.util.concurrent.atomic.AtomicBoolean;
import org.softrdma.libibverbs.layout.RdmaCmEvent;
import org.softrdma.libibverbs.layout.RdmaConnParam;
import org.softrdma.libibverbs.layout.RdmaUdParam;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** {@code struct rdma_cm_event}, read when it was received. */
final class NativeCmEvent implements CmEvent {
    private final long address;
    private final NativeCmId id;
    private final NativeCmId listenId;
    private final CmEventType type;
    private final int status;
    private final ConnectionParameters connection;
    private final DatagramParameters datagram;
    private final Object joinContext;
    private final AtomicBoolean acknowledged = new AtomicBoolean();

    /** @param address of the structure, which exists until the event is acknowledged */
    NativeCmEvent(long address, NativeCmId id, NativeCmId listenId) {
        this.address = address;
        this.id = id;
        this.listenId = listenId;
        type = CmEventType.of(RdmaCmEvent.EVENT.get(ALL, address));
        status = RdmaCmEvent.STATUS.get(ALL, address);
        boolean datagrams = id != null && id.qpType() == QpType.UD;
        connection = datagrams || !hasConnection() ? null : connection(address + RdmaCmEvent.CONN.offset());
        datagram = datagrams && hasDatagram() ? datagram(address + RdmaCmEvent.UD.offset()) : null;
        long token = RdmaUdParam.PRIVATE_DATA.get(ALL, address + RdmaCmEvent.UD.offset());
        joinContext = id != null && isOfGroup() ? id.joinContext(token) : null;
    }

    private boolean hasConnection() {
        return switch (type) {
            case CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED, UNREACHABLE -> true;
            default -> false;
        };
    }

    private boolean hasDatagram() {
        return type == CmEventType.CONNECT_REQUEST || type == CmEventType.ESTABLISHED || type == CmEventType.MULTICAST_JOIN;
    }

    private boolean isOfGroup() {
        return type == CmEventType.MULTICAST_JOIN || type == CmEventType.MULTICAST_ERROR;
    }

    private static byte[] privateData(long data, int length) {
        return data == 0 ? new byte[0] : ALL.asSlice(data, length).toArray(JAVA_BYTE);
    }

    private static ConnectionParameters connection(long at) {
        return new ConnectionParameters(privateData(RdmaConnParam.PRIVATE_DATA.get(ALL, at), RdmaConnParam.PRIVATE_DATA_LEN.get(ALL, at)),
            RdmaConnParam.RESPONDER_RESOURCES.get(ALL, at), RdmaConnParam.INITIATOR_DEPTH.get(ALL, at),
            RdmaConnParam.FLOW_CONTROL.get(ALL, at) != 0, RdmaConnParam.RETRY_COUNT.get(ALL, at),
            RdmaConnParam.RNR_RETRY_COUNT.get(ALL, at), RdmaConnParam.SRQ.get(ALL, at) != 0, RdmaConnParam.QP_NUM.get(ALL, at));
    }

    private DatagramParameters datagram(long at) {
        boolean request = type == CmEventType.CONNECT_REQUEST;
        // In events of groups, the pointer is the context of the join.
        long data = isOfGroup() ? 0 : RdmaUdParam.PRIVATE_DATA.get(ALL, at);
        return new DatagramParameters(privateData(data, RdmaUdParam.PRIVATE_DATA_LEN.get(ALL, at)),
            request ? null : AddressVectors.get(ALL, at + RdmaUdParam.AH_ATTR.offset()), RdmaUdParam.QP_NUM.get(ALL, at),
            RdmaUdParam.QKEY.get(ALL, at));
    }

    @Override
    public CmEventType type() {
        return type;
    }

    @Override
    public CmId id() {
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
        return joinContext;
    }

    @Override
    public void ack() {
        if (!acknowledged.compareAndSet(false, true)) {
            throw new VerbsException(Errno.EINVAL, "ack_cm_event", "the event was acknowledged before");
        }
        Librdmacm.ACK_CM_EVENT.call(address);
    }

    @Override
    public String toString() {
        return type.text() + ", status " + status;
    }
}
