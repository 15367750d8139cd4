// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

/** Counters of an interface for IP over InfiniBand. */
public enum IpoibCounter {
    /** IP packets sent, each as one datagram. */
    IPOIB_SENT,
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
    /** IP packets to send before the port had a LID and the broadcast group was joined. */
    DROP_IPOIB_DOWN,
    /** IP packets to send that are longer than the MTU, or no IP packets. */
    DROP_IPOIB_BAD_PACKET,
    /** IP packets to a destination that is in no subnet of the interface's addresses. */
    DROP_IPOIB_OFF_LINK,
    /** IP packets to a neighbour that did not answer, or that no path leads to. */
    DROP_IPOIB_NO_NEIGHBOUR,
    /** IP packets to a multicast group that could not be joined. */
    DROP_IPOIB_NO_GROUP,
    /** IP packets for which there was no room while their neighbour or group was looked for, or in the queues of the interface. */
    DROP_IPOIB_QUEUE_FULL,
    /** Datagrams received that are too short, of another EtherType, or malformed as ARP message or neighbour discovery. */
    DROP_IPOIB_MALFORMED
}
