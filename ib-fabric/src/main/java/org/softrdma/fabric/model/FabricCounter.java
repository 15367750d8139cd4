// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

/** Reasons for which a fabric drops packets, and what it did. */
public enum FabricCounter {
    /** Management datagrams executed by the agents of nodes. */
    MADS_EXECUTED,
    /** Traps sent, repetitions included. */
    TRAPS_SENT,

    /** Packet whose LRH has an unknown version or next header, or a length that the packet does not have. */
    DROP_MALFORMED,
    /** Packet whose SLID is not one of its sender's. */
    DROP_SPOOFED_LID,
    /** Packet by a port without cable, or whose cable or state does not allow it. */
    DROP_PORT_DOWN,
    /** Packet for a LID that a switch's table has no port for, or would return by the port it came from. */
    DROP_NO_ROUTE,
    /** Packet that reached an adapter with another LID. */
    DROP_WRONG_LID,
    /** Packet that crossed more switches than a path can have: forwarding tables with a loop. */
    DROP_LOOP,
    /** Packet longer than the MTU between two ports. */
    DROP_TOO_LONG,
    /** Packet of a service level that a switch maps to the virtual lane of dropped packets. */
    DROP_SERVICE_LEVEL,
    /** Packet whose P_Key a switch port that enforces partitions does not have. */
    DROP_PARTITION,
    /** Packet lost on a cable with losses. */
    DROP_CABLE_LOSS,
    /** Packet to a multicast group with more copies than a group can have members: forwarding tables with a loop. */
    DROP_TOO_MANY_COPIES,
    /** Packet for a port that no process is attached to. */
    DROP_NO_RECEIVER,

    /** Directed packet with an impossible hop pointer, hop count, direction or LID. */
    DROP_BAD_DIRECTED_ROUTE,
    /** Management datagram with an unknown version, class or method. */
    DROP_BAD_MAD,
    /** Subnet management packet with a wrong M_Key. */
    DROP_BAD_MKEY,
    /** Datagram to queue pair 1 with a wrong Q_Key or not of a MAD's length. */
    DROP_NO_MAD,
    /** Trap that was not sent because as many as can wait do. */
    DROP_TRAPS_FULL
}
