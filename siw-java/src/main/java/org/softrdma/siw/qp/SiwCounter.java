// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

/** Counters of an iWARP device. */
public enum SiwCounter {
    /** Frames sent. */
    SENT_FPDUS,
    /** Empty WRITEs of initiators that had heard nothing from their peer yet. */
    SENT_REMINDERS,
    /** Frames received, whole and with a good CRC. */
    RCVD_FPDUS,
    /** Send work requests completed with success. */
    RDMA_SENDS,
    /** Receives completed with success. */
    RDMA_RECVS,
    /** Terminates written to the stream. */
    SENT_TERMINATES,
    RCVD_TERMINATES,
    /** Frames with a wrong CRC; each ends its connection, as does what is counted below. */
    BAD_CRC,
    /** Connections whose peer began with something that is no good start-up frame. */
    BAD_STARTUPS,
    /** Connections whose peer took too long for its start-up frame. */
    SLOW_STARTUPS,
    /** Connections whose peer left before its start-up frame was there. */
    ABANDONED_STARTUPS,
    /** Connections that came while too many others had not asked for anything yet, or when nobody listened any more. */
    REFUSED_STREAMS,
    /** Connections that came while too many others of the same address had not asked for anything yet. */
    CROWDED_STREAMS,
    /** Markers and lengths that do not fit. */
    BAD_FRAMING,
    /** Versions, opcodes, queue numbers, sequence numbers and offsets against the rules. */
    BAD_SEGMENT,
    /** Keys, ranges and rights that do not allow what the peer asked. */
    BAD_ACCESS,
    /** A message for which no receive was posted, or more READs than agreed. */
    NO_BUFFER,
    /** A message longer than the receive it was for. */
    TOO_LONG,
    /** Faults of ours: local memory that could not be used. */
    LOCAL_ERRORS,
    /** Streams that ended in mid-frame. */
    TORN_FRAMES,
    /** Disconnects that did not wait for what was posted any longer: nothing of it went on. */
    STUCK_DISCONNECTS,
    /** Accesses to registered memory that had been freed, or whose file had been cut off. */
    MEMORY_GONE,
    /** Queue pairs, and connections being set up, stopped by a fault of ours. */
    INTERNAL_ERRORS
}
