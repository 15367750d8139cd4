// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** An event of a {@link Track}. */
public sealed interface RecordedEvent {
    /** {@return the number of the event in its track, without gaps} */
    long number();

    /**
     * {@return the time of the round of work in which it occurred: ns since 1970, or of the simulation} Events of one round have one time;
     * their order is that of their numbers.
     */
    long timeNs();

    /**
     * A packet (RoCE), a segment (iWARP) or a message of connection management.
     *
     * @param number  see {@link #number}
     * @param timeNs  see {@link #timeNs}
     * @param sent    true for a packet that was sent, false for one that was received
     * @param headers bytes as on the wire, without payload: BTH and extended headers, DDP and RDMAP headers, or BTH, DETH and the beginning
     *                of a MAD
     * @param length  bytes from BTH to ICRC, or of the ULPDU
     * @param remote  address of the other end, where it differs from packet to packet; null where it is the track's
     * @param lid     LID of the other end on an InfiniBand subnet, where it differs from packet to packet; otherwise 0
     * @param work    the work request that it belongs to; null if it belongs to none of this end
     * @param again   it was sent before
     * @param because why it is sent again; null if it is not, or that is not known
     * @param notes   comments of a capture file that it was read from; otherwise empty
     */
    record Packet(long number, long timeNs, boolean sent, byte[] headers, int length, Gid remote, int lid, Work work, boolean again,
                  Reason because, List<String> notes) implements RecordedEvent {
        /** Copies the list. */
        public Packet {
            notes = List.copyOf(notes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Packet that && number == that.number && timeNs == that.timeNs && sent == that.sent
                && Arrays.equals(headers, that.headers) && length == that.length && Objects.equals(remote, that.remote)
                && lid == that.lid && Objects.equals(work, that.work) && again == that.again && because == that.because
                && notes.equals(that.notes);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number) * 31 + Arrays.hashCode(headers);
        }

        @Override
        public String toString() {
            return number + " at " + timeNs + (sent ? " sent " : " received ") + HexFormat.of().formatHex(headers) + ", " + length
                + " bytes, " + work + (again ? ", again because of " + because : "");
        }
    }

    /**
     * Place of a packet in a work request.
     *
     * @param wrId    of the work request
     * @param packet  position in the message, from 1; 0 if unknown
     * @param packets number of packets of the message; 0 if unknown
     */
    record Work(long wrId, int packet, int packets) {
        @Override
        public String toString() {
            return "work request " + Long.toUnsignedString(wrId) + (packets == 0 ? packet == 0 ? "" : ", packet " + packet
                : ", packet " + packet + " of " + packets);
        }
    }

    /**
     * A change of state.
     *
     * @param number see {@link #number}
     * @param timeNs see {@link #timeNs}
     * @param from   a {@link org.softrdma.verbs.QpState}, or a state of a connection
     * @param to     of the same kind
     */
    record StateChange(long number, long timeNs, String from, String to) implements RecordedEvent {
    }

    /**
     * Work requests were seen in the send queue.
     *
     * @param number   see {@link #number}
     * @param timeNs   see {@link #timeNs}
     * @param requests number of work requests, at least 1
     */
    record Posted(long number, long timeNs, int requests) implements RecordedEvent {
    }

    /**
     * A completion.
     *
     * @param number see {@link #number}
     * @param timeNs see {@link #timeNs}
     * @param send   of the send queue; otherwise of a receive queue
     * @param wrId   of the work request
     * @param status success, or a failure with a reason
     * @param opcode what was completed
     * @param bytes  length of the message, u32
     * @param reason null for SUCCESS
     */
    record Completed(long number, long timeNs, boolean send, long wrId, WcStatus status, WcOpcode opcode, int bytes, Reason reason)
        implements RecordedEvent {
    }

    /**
     * Work requests were completed with WR_FLUSH_ERR.
     *
     * @param number   see {@link #number}
     * @param timeNs   see {@link #timeNs}
     * @param requests number of work requests, at least 1
     */
    record Flushed(long number, long timeNs, int requests) implements RecordedEvent {
    }

    /**
     * An asynchronous event.
     *
     * @param number see {@link #number}
     * @param timeNs see {@link #timeNs}
     * @param type   of the queue pair's event
     */
    record Raised(long number, long timeNs, AsyncEventType type) implements RecordedEvent {
    }

    /**
     * Something that has a reason.
     *
     * @param number  see {@link #number}
     * @param timeNs  see {@link #timeNs}
     * @param effect  what followed
     * @param failure reason and values
     */
    record Occurrence(long number, long timeNs, Effect effect, Failure failure) implements RecordedEvent {
    }

    /** Effects of an {@link Occurrence}. The names in lower case are those of recordings. */
    enum Effect {
        /** Sending goes back to the oldest unacknowledged packet. */
        REPEATS,
        /** Sending pauses. */
        WAITS,
        /** The packet received last was dropped. */
        DROPPED,
        /** The request received last was refused. */
        REFUSED,
        /** The queue pair goes to ERR. */
        FAILED
    }
}
