// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/** Faults applied to the packets of a link, both directions together. */
public enum FaultCounter {
    /** Dropped at random. */
    FAULT_DROPPED,
    /** Dropped during a partition. */
    FAULT_PARTITIONED,
    /** Duplicated. */
    FAULT_DUPLICATED,
    /** One bit inverted. */
    FAULT_CORRUPTED,
    /** Bytes at the end lost. */
    FAULT_TRUNCATED,
    /** Bytes added at the end. */
    FAULT_EXTENDED,
    /** Held for the delay of the wire. */
    FAULT_DELAYED,
    /** Held longer, so that later packets could overtake it. */
    FAULT_REORDERED,
    /** Held until the end of a clog. */
    FAULT_CLOGGED,
    /** Dropped because too many packets were held. */
    FAULT_QUEUE_FULL
}
