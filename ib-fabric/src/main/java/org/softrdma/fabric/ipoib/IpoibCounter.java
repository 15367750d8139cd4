// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

/** Counters of an interface for IP over InfiniBand. */
public enum IpoibCounter {
    /** IP packets sent, each as one message. */
    IPOIB_SENT,
    /** Those of them that were sent by connections. */
    IPOIB_SENT_CONNECTED,
    /** IP packets received. */
    IPOIB_RECEIVED,
    /** ARP requests and neighbour solicitations that were sent, repetitions included. */
    IPOIB_SOLICITATIONS,
    /** ARP requests and neighbour solicitations for an address of this interface, which were answered. */
    IPOIB_ANSWERS,
    /** Requests to subnet administration that were given up without an answer. */
    IPOIB_SA_TIMEOUTS,
    /** Requests to join a group, or for a path, that subnet administration refused. */
    IPOIB_SA_REFUSED,
    /** Connections that this interface requested, and another one accepted. */
    IPOIB_CONNECTIONS,
    /** Connections that were rejected, could not be made, or failed. */
    IPOIB_CONNECTIONS_FAILED,
    /** Connections that were closed because they carried no message for a long time. */
    IPOIB_CONNECTIONS_IDLE,
    /** IP packets to send before the port had a LID and the broadcast group was joined. */
    DROP_IPOIB_DOWN,
    /** IP packets to send that are longer than the MTU, or no IP packets. */
    DROP_IPOIB_BAD_PACKET,
    /** IP packets to a destination that is in no subnet of the interface's addresses. */
    DROP_IPOIB_OFF_LINK,
    /** IP packets to a neighbour that did not answer, or that no path leads to. */
    DROP_IPOIB_NO_NEIGHBOUR,
    /** IP packets whose connection ended before they were sent, or that are too long for a datagram while there can be none. */
    DROP_IPOIB_NO_CONNECTION,
    /** Requests for a connection that were rejected because there are too many. */
    DROP_IPOIB_CONNECTION_REFUSED,
    /** IP packets that are longer than their destination receives, or, to a group, than a datagram. */
    DROP_IPOIB_TOO_LONG,
    /** IP packets to a multicast group that could not be joined. */
    DROP_IPOIB_NO_GROUP,
    /** IP packets for which there was no room while their neighbour or group was looked for, or in the queues of the interface. */
    DROP_IPOIB_QUEUE_FULL,
    /** Messages received that are too short, of another EtherType, or malformed as ARP message, neighbour discovery or request. */
    DROP_IPOIB_MALFORMED
}
