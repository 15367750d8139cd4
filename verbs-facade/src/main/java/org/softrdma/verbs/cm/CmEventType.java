// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

/** Events of an identifier ({@code enum rdma_cm_event_type}; texts of {@code rdma_event_str}). */
public enum CmEventType {
    /** The peer's address is reachable, the identifier has a device. */
    ADDR_RESOLVED(0),
    /** No route to the peer, no device on the route, or (datagrams) a peer with another Q_Key; the status is a negative errno. */
    ADDR_ERROR(1),
    /** The identifier has a path to the peer, and can connect. */
    ROUTE_RESOLVED(2),
    /** There is no path to the peer; the status is a negative errno. */
    ROUTE_ERROR(3),
    /** Connection request of a peer: {@link CmEvent#id} is new, {@link CmEvent#listenId} is the listening one. */
    CONNECT_REQUEST(4),
    /** The peer accepted; only for identifiers without a queue pair of {@link CmId#createQp}, which then call {@link CmId#establish}. */
    CONNECT_RESPONSE(5),
    /** The connection could not be established although the peer accepted; the status is a negative errno. */
    CONNECT_ERROR(6),
    /** No response: the status is -ETIMEDOUT; or (datagrams) the peer has no service for us: the status is that of its response. */
    UNREACHABLE(7),
    /** Rejection by the peer: the status is its reason, 28 for an application's, 8 without a listener (IBA vol 1 §12.6.7.2). */
    REJECTED(8),
    /** The connection is established at this end, or (datagrams) the peer's queue pair is known. */
    ESTABLISHED(9),
    /** The peer disconnected, or responded to our disconnect request, or did not respond (status -ETIMEDOUT). */
    DISCONNECTED(10),
    /** Removal of the device. */
    DEVICE_REMOVAL(11),
    /** The queue pair is a member of the group; the event has its parameters. */
    MULTICAST_JOIN(12),
    /** The group could not be joined; the status is a negative errno. */
    MULTICAST_ERROR(13),
    /** The interface of the identifier has another hardware address, as after a failover; a hint, the connection goes on. */
    ADDR_CHANGE(14),
    /** Packets of the old connection can no longer arrive; the queue pair may be connected again. */
    TIMEWAIT_EXIT(15);

    private static final CmEventType[] BY_VALUE = values();

    private final int value;

    CmEventType(int value) {
        this.value = value;
    }

    /** {@return the number the C API uses} */
    public int value() {
        return value;
    }

    /** {@return the text rdma-core's tools print for it} */
    public String text() {
        return "RDMA_CM_EVENT_" + name();
    }

    /**
     * Finds a constant by its number.
     *
     * @param value a number of the C API
     * @return the constant, or null when the API knows no such number
     */
    public static CmEventType of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
    }
}
