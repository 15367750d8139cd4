// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/**
 * Where a connection stands. Source: IBA vol 1 §12.9.5, §12.9.6; the states of an MRA that was sent or received are not apart here, it only
 * moves a deadline.
 */
public enum ConnectionState {
    /** Active side: a REQ is out. */
    REQ_SENT,
    /** Active side: a REP came, its consumer has not confirmed it yet. */
    REP_RECEIVED,
    /** Passive side: a REQ came, its consumer has not answered it yet. */
    REQ_RECEIVED,
    /** Passive side: a REP is out. */
    REP_SENT,
    /** Both know that the other one is ready. */
    ESTABLISHED,
    /** A DREQ is out. */
    DREQ_SENT,
    /** A DREQ came, the consumer has not answered it yet. */
    DREQ_RECEIVED,
    /** Over, but late packets may still come: the ids are not free yet. */
    TIMEWAIT,
    /** Over. */
    CLOSED
}
