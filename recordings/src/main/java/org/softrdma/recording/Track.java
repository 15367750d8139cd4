// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.util.List;
import org.softrdma.verbs.Gid;

/**
 * The record of one end: a queue pair, a connection, or the packets of a device that reached no queue pair.
 *
 * @param head   identity of the end
 * @param missed events that were recorded before the first one here, and overwritten since
 * @param events in the order of their numbers
 */
public record Track(Head head, long missed, List<RecordedEvent> events) {
    /** Copies the list. */
    public Track {
        events = List.copyOf(events);
    }

    /**
     * Compares addresses and numbers.
     *
     * @param other of the same recording or of another
     * @return whether both are the two ends of one connection
     */
    public boolean isPeerOf(Track other) {
        return head.isPeerOf(other.head);
    }

    /** Kinds of ends. The names in lower case are those of recordings. */
    public enum Kind {
        /** A queue pair. */
        QUEUE_PAIR,
        /** A connection by address, while it is set up and ended. */
        CONNECTION,
        /** A device: packets that reached none of its queue pairs. */
        DEVICE
    }

    /** Protocols. The names in lower case are those of recordings. */
    public enum Protocol {
        /** RoCE in Ethernet frames of its own type. */
        ROCE_V1,
        /** RoCE in UDP datagrams. */
        ROCE_V2,
        /** Packets of an InfiniBand subnet. */
        INFINIBAND,
        /** RDMAP over DDP and MPA, on a TCP connection. */
        IWARP
    }

    /**
     * Place of an end on an InfiniBand subnet.
     *
     * @param localLid     LID of this end, u16; 0 if unknown
     * @param remoteLid    LID of the other end, u16; 0 if it differs from packet to packet
     * @param serviceLevel of packets to the other end, 0..15
     * @param pkey         P_Key, u16
     */
    public record Subnet(int localLid, int remoteLid, int serviceLevel, int pkey) {
        /** The same place, seen from the other end. */
        Subnet reversed() {
            return new Subnet(remoteLid, localLid, serviceLevel, pkey);
        }
    }

    /**
     * Identity of an end.
     *
     * @param kind       kind of the end
     * @param device     name of the device
     * @param pid        number of the process; 0 if unknown
     * @param protocol   of its packets
     * @param number     number of the queue pair, local communication ID of the connection, or 0
     * @param type       type of the queue pair; empty otherwise
     * @param state      state when the recording was made; empty if unknown
     * @param peer       number of the other end, u32; {@link #UNKNOWN} if there is none or it differs for each packet
     * @param local      address of this end, as {@link Gid#ofLid} makes it where packets of InfiniBand have no GID; null if unknown
     * @param remote     address of the other end, as the local one; null if unknown
     * @param localPort  UDP or TCP port; 0 if unknown
     * @param remotePort UDP or TCP port; 0 if unknown
     * @param pathMtu    payload bytes of a full packet; 0 if unknown
     * @param subnet     place on the subnet; null if the protocol is not {@link Protocol#INFINIBAND}
     */
    public record Head(Kind kind, String device, long pid, Protocol protocol, int number, String type, String state, long peer, Gid local,
                       Gid remote, int localPort, int remotePort, int pathMtu, Subnet subnet) {
        /** Value of {@link #peer} if there is no known one. */
        public static final long UNKNOWN = -1;

        /** Checks that packets of InfiniBand, and no others, have a place on a subnet. */
        public Head {
            if (protocol == Protocol.INFINIBAND != (subnet != null)) {
                throw new IllegalArgumentException("an end of " + protocol + " with the place on a subnet " + subnet);
            }
        }

        /** An end of RoCE or iWARP. */
        public Head(Kind kind, String device, long pid, Protocol protocol, int number, String type, String state, long peer, Gid local,
                    Gid remote, int localPort, int remotePort, int pathMtu) {
            this(kind, device, pid, protocol, number, type, state, peer, local, remote, localPort, remotePort, pathMtu, null);
        }

        boolean isPeerOf(Head other) {
            boolean addressed = kind == other.kind && protocol == other.protocol && local != null && local.equals(other.remote)
                && remote != null && remote.equals(other.local);
            // Ends of iWARP do not know each other's numbers: the ports of their stream identify it.
            return addressed && (protocol == Protocol.IWARP ? localPort == other.remotePort && remotePort == other.localPort
                : peer == Integer.toUnsignedLong(other.number) && other.peer == Integer.toUnsignedLong(number));
        }

        /**
         * Selects the ends of a recording of one queue pair. Messages of connections, and packets that reached no queue pair, may concern
         * any.
         *
         * @param qpNum number of a queue pair, or {@link FlightRecorder#ALL}
         * @return whether the end belongs to it
         */
        public boolean concerns(int qpNum) {
            return qpNum == FlightRecorder.ALL || kind != Kind.QUEUE_PAIR || number == qpNum;
        }

        /** The end for people: {@code rxe0 qp 0x11}. */
        @Override
        public String toString() {
            return switch (kind) {
                case QUEUE_PAIR -> device + " qp 0x" + Integer.toHexString(number);
                case CONNECTION -> device + " connection 0x" + Integer.toHexString(number);
                case DEVICE -> device;
            };
        }
    }
}
