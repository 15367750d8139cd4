// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/**
 * State of a connection. Source: IBA vol 1 §12.9.5, §12.9.6; there are no states of their own for a sent or received MRA, which only moves
 * a deadline.
 */
public enum ConnectionState {
    /** Active side: REQ sent. */
    REQ_SENT,
    /** Active side: REP received, not confirmed by the consumer yet. */
    REP_RECEIVED,
    /** Passive side: REQ received, not answered by the consumer yet. */
    REQ_RECEIVED,
    /** Passive side: REP sent. */
    REP_SENT,
    /** Both sides are ready. */
    ESTABLISHED,
    /** DREQ sent. */
    DREQ_SENT,
    /** DREQ received, not answered by the consumer yet. */
    DREQ_RECEIVED,
    /** Ended, but late packets may still be received: the IDs stay reserved. */
    TIMEWAIT,
    /** Ended. */
    CLOSED
}
