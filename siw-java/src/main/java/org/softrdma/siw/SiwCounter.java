// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

/** Counters of an iWARP device. */
enum SiwCounter {
    /** Frames sent. */
    SENT_FPDUS,
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
    /** Connections that began with something that is no good request. */
    BAD_STARTUPS,
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
    /** Accesses to registered memory that had been freed, or whose file had been cut off. */
    MEMORY_GONE,
    /** Queue pairs stopped by a fault of ours. */
    INTERNAL_ERRORS
}
