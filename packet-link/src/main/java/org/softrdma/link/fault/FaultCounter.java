// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

/** What faults did to the packets of a link, both directions together. */
public enum FaultCounter {
    /** Lost by chance. */
    FAULT_DROPPED,
    /** Lost while the wire was cut. */
    FAULT_PARTITIONED,
    /** Doubled. */
    FAULT_DUPLICATED,
    /** One bit inverted. */
    FAULT_CORRUPTED,
    FAULT_TRUNCATED,
    FAULT_EXTENDED,
    /** Held for the time on the wire. */
    FAULT_DELAYED,
    /** Held longer, so that later ones could overtake. */
    FAULT_REORDERED,
    /** Held until the wire was open again. */
    FAULT_CLOGGED,
    /** Lost because too many were held. */
    FAULT_QUEUE_FULL
}
