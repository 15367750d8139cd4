// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/** Counters of communication management. */
public enum CmCounter {
    /** Well-formed messages of communication management that were received. */
    CM_RECEIVED,
    /** Messages sent, including repetitions. */
    CM_SENT,
    /** Messages sent again because no answer was received in time. */
    CM_REPEATED,
    /** Messages received a second time; answered again if the sender still waits and the answer is known. */
    CM_DUPLICATES,
    /** Timeouts after the last repetition: the peer counts as unreachable. */
    CM_TIMEOUTS,
    /** REQs returned by ICMP, because the RoCE v2 port of the peer is unreachable. */
    CM_RETURNED,
    /** Connections ended because the peer's queue pair requested a new one. */
    CM_STALE_CONNECTIONS,
    /** Connections established by a first packet, without RTU. */
    CM_ESTABLISHED_BY_PACKET,

    /** Malformed MAD: length, base version, class version, method or additional information. */
    CM_DROP_MALFORMED,
    /** MAD of another management class. */
    CM_DROP_OTHER_CLASS,
    /** Unknown message of communication management. */
    CM_DROP_UNKNOWN_MESSAGE,
    /** Message whose IDs match no connection. */
    CM_DROP_UNKNOWN_ID,
    /** Message from another address than the connection's peer, or for another queue pair. */
    CM_DROP_WRONG_PEER,
    /** Message that is not valid in the connection's state. */
    CM_DROP_WRONG_STATE,
    /** Request for a listener whose backlog is full; the peer repeats it. */
    CM_DROP_BACKLOG_FULL,
    /** MAD not sent, because the queue of outgoing MADs was full. */
    CM_DROP_OUTBOX_FULL,
    /**
     * Message not sent, because the peer has not proved its address: it may be sent three messages for each REQ, until it answers with our
     * ID or sends a packet.
     */
    CM_DROP_UNPROVEN_PEER,
    /** MAD not sent, because there is no route to its receiver. */
    CM_DROP_NO_ROUTE
}
