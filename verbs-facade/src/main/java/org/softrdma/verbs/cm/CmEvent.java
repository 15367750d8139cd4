// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.cm;

/** Something that happened to an identifier ({@code struct rdma_cm_event}). */
public interface CmEvent {
    CmEventType type();

    /** Whom it happened to; for a CONNECT_REQUEST a new identifier, which is the caller's to close. */
    CmId id();

    /** The identifier that listens, for a CONNECT_REQUEST; else null. */
    CmId listenId();

    /** 0, a negative errno, or the peer's reason: see {@link CmEventType}. */
    int status();

    /**
     * What the peer said, of connections: in CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED (private data only) and
     * UNREACHABLE; null elsewhere.
     */
    ConnectionParameters connection();

    /** What the peer said, of datagrams, and where a group is: in CONNECT_REQUEST, ESTABLISHED and MULTICAST_JOIN; null elsewhere. */
    DatagramParameters datagram();

    /** What {@link CmId#joinMulticast} was given, in MULTICAST_JOIN and MULTICAST_ERROR; null elsewhere. */
    Object joinContext();

    /** Gives the event back; {@link CmId#close} waits for that. Once. */
    void ack();
}
