// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

/** What a raw link counts. Frames that came in and were dropped begin with FRAME; packets that did not go out with UNSENT. */
enum RawCounter {
    /** An IPv4, IPv6 or Global Route header that is too short, of another version, or of a length that does not fit. */
    FRAME_BAD_NETWORK_HEADER,
    FRAME_BAD_IPV4_CHECKSUM,
    FRAME_IPV4_OPTIONS,
    /** The first part of an IPv4 datagram; later parts have no port, and are not even seen. */
    FRAME_FRAGMENT,
    FRAME_BAD_UDP_LENGTH,
    /** No room for BTH and ICRC; a train of such packets counts once. */
    FRAME_TOO_SHORT,
    /** Longer than any packet, or than the buffer. */
    FRAME_TOO_LONG,
    /** No RoCE frame, or of a version this link does not carry. */
    FRAME_NOT_ROCE,
    /** To an address or a group that is not this link's: a router's business. */
    FRAME_OTHER_ADDRESS,
    /** From an address nobody can have: a group's, or none. */
    FRAME_BAD_SOURCE,
    /** Packets of ours that came back, since nobody was at the port of RoCE v2 (ICMP port unreachable). */
    FRAME_RETURNED,
    /** The neighbour, or the router before the peer, does not answer ARP or neighbour discovery. */
    UNSENT_NEIGHBOUR_UNREACHABLE,
    /** Too many others wait for this neighbour to answer, or for all neighbours together. */
    UNSENT_NEIGHBOUR_QUEUE_FULL,
    /** Packets to this link's own addresses that found too many others waiting to be received. */
    UNSENT_OWN_QUEUE_FULL
}
