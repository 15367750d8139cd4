// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

/** Counters of communication management. */
public enum CmCounter {
    /** Messages of communication management that came in and could be read. */
    CM_RECEIVED,
    /** Messages sent, repeated ones included. */
    CM_SENT,
    /** Messages sent again because no answer came. */
    CM_REPEATED,
    /** Messages that had come before; answered again where the sender still waits for an answer that we have. */
    CM_DUPLICATES,
    /** Peers given up because no answer came. */
    CM_TIMEOUTS,
    /** Requests that came back, since nobody speaks RoCE v2 where they went. */
    CM_RETURNED,
    /** Connections ended because their peer's queue pair asked for a new one. */
    CM_STALE_CONNECTIONS,
    /** Connections established by a first packet, without RTU. */
    CM_ESTABLISHED_BY_PACKET,

    /** A MAD that is none: length, base version, class version, method or additional information. */
    CM_DROP_MALFORMED,
    /** A MAD of another management class. */
    CM_DROP_OTHER_CLASS,
    /** A message of communication management that is not known. */
    CM_DROP_UNKNOWN_MESSAGE,
    /** A message for no connection there is. */
    CM_DROP_UNKNOWN_ID,
    /** A message from another address than the connection's peer, or with another queue pair. */
    CM_DROP_WRONG_PEER,
    /** A message that means nothing in the connection's state. */
    CM_DROP_WRONG_STATE,
    /** A request for a listener that has as many waiting as it wants; the peer will repeat it. */
    CM_DROP_BACKLOG_FULL,
    /** A MAD that could not be sent, because too many others wait to be. */
    CM_DROP_OUTBOX_FULL,
    /** A MAD for which there is no way to its receiver. */
    CM_DROP_NO_ROUTE
}
