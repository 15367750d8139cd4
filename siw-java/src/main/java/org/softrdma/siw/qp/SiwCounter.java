// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

/** Counters of an iWARP device. */
public enum SiwCounter {
    /** Frames sent. */
    SENT_FPDUS,
    /** Reminders sent: empty WRITEs of initiators whose first frames the peer may have missed. */
    SENT_REMINDERS,
    /** Frames received, complete and with a good CRC. */
    RCVD_FPDUS,
    /** Send work requests completed with success. */
    RDMA_SENDS,
    /** Receives completed with success. */
    RDMA_RECVS,
    /** Terminates written to the stream. */
    SENT_TERMINATES,
    RCVD_TERMINATES,
    /** Frames with a wrong CRC. Each ends its connection. */
    BAD_CRC,
    /** Connections whose peer sent an invalid start-up frame. */
    BAD_STARTUPS,
    /** Connections whose start-up frame was not complete within the time limit. */
    SLOW_STARTUPS,
    /** Connections whose peer left before its start-up frame was complete. */
    ABANDONED_STARTUPS,
    /** Connections closed at once because too many others await their request, or the listener was closed. */
    REFUSED_STREAMS,
    /**
     * Connections closed because too many of the same address await their request: the oldest one that has sent nothing, or the new one if
     * all have sent something.
     */
    CROWDED_STREAMS,
    /** Frames with wrong markers or lengths. Each ends its connection. */
    BAD_FRAMING,
    /** Segments with an invalid version, opcode, queue number, sequence number or offset. Each ends its connection. */
    BAD_SEGMENT,
    /** Accesses of the peer that keys, ranges or rights do not allow. Each ends its connection. */
    BAD_ACCESS,
    /** Messages without a posted receive, and READs beyond the agreed number. Each ends its connection. */
    NO_BUFFER,
    /** Messages longer than their receive. Each ends its connection. */
    TOO_LONG,
    /** Local errors: memory of ours that could not be used. Each ends its connection. */
    LOCAL_ERRORS,
    /** Streams that ended within a frame. */
    TORN_FRAMES,
    /** Disconnects aborted because what was posted made no progress. */
    STUCK_DISCONNECTS,
    /** Accesses to registered memory that was freed, or whose file was truncated. */
    MEMORY_GONE,
    /** Queue pairs, and connections in their set-up, stopped by a fault of ours. */
    INTERNAL_ERRORS
}
