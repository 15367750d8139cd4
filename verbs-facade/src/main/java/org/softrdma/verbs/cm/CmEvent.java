// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

/** An event of an identifier ({@code struct rdma_cm_event}). */
public interface CmEvent {
    /** {@return what happened} */
    CmEventType type();

    /** {@return the identifier; for a CONNECT_REQUEST a new one, which the caller must close} */
    CmId id();

    /** {@return the listening identifier of a CONNECT_REQUEST; else null} */
    CmId listenId();

    /** {@return 0, a negative errno, or the peer's reason: see {@link CmEventType}} */
    int status();

    /**
     * {@return the peer's parameters of a connection: in CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED (private data only) and
     * UNREACHABLE; null elsewhere}
     */
    ConnectionParameters connection();

    /**
     * {@return the peer's parameters of datagrams, or the address of a group: in CONNECT_REQUEST, ESTABLISHED and MULTICAST_JOIN; else
     * null}
     */
    DatagramParameters datagram();

    /** {@return the context given to {@link CmId#joinMulticast}, in MULTICAST_JOIN and MULTICAST_ERROR; null elsewhere} */
    Object joinContext();

    /**
     * Explanation of an error event whose cause is at this host, for people: what is wrong, and what to do.
     *
     * @return null if there is none
     */
    default String detail() {
        return null;
    }

    /** Acknowledges the event, once; {@link CmId#close} waits for that. */
    void ack();
}
