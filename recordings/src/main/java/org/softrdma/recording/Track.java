// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.util.List;
import org.softrdma.verbs.Gid;

/**
 * The record of one end: a queue pair, a connection, or the packets of a device that reached no queue pair.
 *
 * @param missed events that were recorded before the first one here, and overwritten since
 */
public record Track(Head head, long missed, List<RecordedEvent> events) {
    public Track {
        events = List.copyOf(events);
    }

    /** Returns whether this and {@code other} are the two ends of one connection. */
    public boolean isPeerOf(Track other) {
        return head.isPeerOf(other.head);
    }

    /** Kinds of ends. The names in lower case are those of recordings. */
    public enum Kind {
        QUEUE_PAIR, CONNECTION, DEVICE
    }

    /** Protocols. The names in lower case are those of recordings. */
    public enum Protocol {
        ROCE_V1, ROCE_V2, IWARP
    }

    /**
     * Identity of an end.
     *
     * @param device     name of the device
     * @param pid        number of the process; 0 if unknown
     * @param number     number of the queue pair, local communication ID of the connection, or 0
     * @param type       type of the queue pair; empty otherwise
     * @param state      state when the recording was made; empty if unknown
     * @param peer       number of the other end, u32; {@link #UNKNOWN} if there is none or it differs for each packet
     * @param local      address of this end; null if unknown
     * @param remote     address of the other end; null if unknown
     * @param localPort  UDP or TCP port; 0 if unknown
     * @param remotePort UDP or TCP port; 0 if unknown
     * @param pathMtu    payload bytes of a full packet; 0 if unknown
     */
    public record Head(Kind kind, String device, long pid, Protocol protocol, int number, String type, String state, long peer, Gid local,
                       Gid remote, int localPort, int remotePort, int pathMtu) {
        /** Value of {@link #peer} if there is no known one. */
        public static final long UNKNOWN = -1;

        boolean isPeerOf(Head other) {
            boolean addressed = kind == other.kind && protocol == other.protocol && local != null && local.equals(other.remote)
                && remote != null && remote.equals(other.local);
            // Ends of iWARP do not know each other's numbers: the ports of their stream identify it.
            return addressed && (protocol == Protocol.IWARP ? localPort == other.remotePort && remotePort == other.localPort
                : peer == Integer.toUnsignedLong(other.number) && other.peer == Integer.toUnsignedLong(number));
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
