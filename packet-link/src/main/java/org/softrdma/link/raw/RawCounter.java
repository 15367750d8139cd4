// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

/** Counters of a raw link. FRAME: received frames, dropped unless stated otherwise. UNSENT: packets that were not sent. */
enum RawCounter {
    /** An IPv4, IPv6 or Global Route header that is too short, of another version, or of a length that does not fit. */
    FRAME_BAD_NETWORK_HEADER,
    FRAME_BAD_IPV4_CHECKSUM,
    FRAME_IPV4_OPTIONS,
    /** The first fragment of an IPv4 datagram; later ones have no port, so the filter drops them uncounted. */
    FRAME_FRAGMENT,
    FRAME_BAD_UDP_LENGTH,
    /** No room for BTH and ICRC; a train of such packets counts once. */
    FRAME_TOO_SHORT,
    /** Longer than any packet, or than the buffer. */
    FRAME_TOO_LONG,
    /** Not RoCE, or a version this link does not carry. */
    FRAME_NOT_ROCE,
    /** To an address or group that is not this link's. */
    FRAME_OTHER_ADDRESS,
    /** From a multicast or zero address. */
    FRAME_BAD_SOURCE,
    /** ICMP port unreachable for our packets, delivered to the receiver. */
    FRAME_RETURNED,
    /** The neighbour, or the router before the peer, does not answer ARP or neighbour discovery. */
    UNSENT_NEIGHBOUR_UNREACHABLE,
    /** Too many other packets wait for this neighbour, or for all neighbours together. */
    UNSENT_NEIGHBOUR_QUEUE_FULL,
    /** Packets to this link's own addresses while too many others waited to be received. */
    UNSENT_OWN_QUEUE_FULL
}
