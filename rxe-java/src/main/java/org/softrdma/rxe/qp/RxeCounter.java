// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import org.softrdma.verbs.reason.Reason;

/** Counters of an rxe device. The first group has the kernel's names and meanings; the second counts dropped packets by reason. */
public enum RxeCounter {
    SENT_PKTS, RCVD_PKTS, DUPLICATE_REQUEST, OUT_OF_SEQ_REQUEST, RCVD_RNR_ERR, SEND_RNR_ERR, RCVD_SEQ_ERR, ACK_DEFERRED,
    RETRY_EXCEEDED_ERR, RETRY_RNR_EXCEEDED_ERR, COMPLETER_RETRY_ERR, SEND_ERR, LINK_DOWNED, RDMA_SENDS, RDMA_RECVS,

    /** Shorter than a BTH and an ICRC. */
    DROP_TOO_SHORT,
    /** Headers, pad and ICRC do not fit into the packet, or it has more payload than any MTU. */
    DROP_BAD_LENGTH,
    /** BTH transport version is not 0. */
    DROP_BAD_VERSION,
    /** An unknown opcode, and no queue pair that could refuse it. */
    DROP_UNKNOWN_OPCODE,
    /** Not sent to the UDP port of RoCE. */
    DROP_BAD_PORT,
    DROP_UNKNOWN_QPN,
    DROP_BAD_ICRC,
    DROP_BAD_PKEY,
    /** Not sent from the peer's address, or not to ours. */
    DROP_WRONG_ADDRESS,
    /** The queue pair is in a state that receives nothing. */
    DROP_QP_STATE,
    /** A response to a PSN that was never sent. */
    DROP_UNSENT_PSN_RESPONSE,
    /** A response that had been received before. */
    DROP_DUPLICATE_RESPONSE,
    /** A response after a gap, or one with a reserved syndrome. */
    DROP_UNEXPECTED_RESPONSE,
    /** A repeated READ or atomic that is no longer remembered. */
    DROP_UNKNOWN_DUPLICATE,
    /** A repeated request that found the queue of responses full. */
    DROP_RESPONSE_QUEUE_FULL,

    /** An operation of another service than the queue pair's, or of the other half of a connection (XRC). */
    DROP_WRONG_SERVICE,
    /** A packet of a UC message whose First, or another packet before it, was never received. */
    DROP_OUT_OF_SEQUENCE,
    /** A UC or UD packet of a length that the specification forbids. */
    DROP_BAD_REQUEST,
    /** A UC WRITE that its key, the region or the queue pair does not allow. */
    DROP_ACCESS,
    /** A UC or UD message for which no receive was posted. */
    DROP_NO_RECEIVE,
    /** A datagram longer than the receive that was posted for it. */
    DROP_RECEIVE_TOO_SMALL,
    /** A datagram to a multicast group that no queue pair is attached to. */
    DROP_UNKNOWN_GROUP,
    /** A datagram with another Q_Key than the queue pair's. */
    DROP_BAD_QKEY,
    /** A packet for queue pair 1 that is not a management datagram: another operation or length, or sent to a group. */
    DROP_GSI_NO_MAD,
    /** A packet for queue pair 1 with another Q_Key than its own. */
    DROP_GSI_BAD_QKEY,
    /** A management datagram while too many others wait to be read; its sender will repeat it. */
    DROP_GSI_FULL,
    /** A management datagram for an agent whose inbox is full. */
    DROP_MAD_AGENT_FULL,
    /** A new request, a READ or an atomic for a queue pair that was destroyed already. */
    DROP_GHOST_REQUEST,

    /** Packets received with the mark of a congested switch (ECN CE); these four have the names that adapters use. */
    NP_ECN_MARKED_ROCE_PACKETS,
    /** Congestion notifications sent. */
    NP_CNP_SENT,
    /** Congestion notifications that slowed a queue pair down. */
    RP_CNP_HANDLED,
    /** Congestion notifications received for queue pairs without congestion control. */
    RP_CNP_IGNORED,

    /** Acknowledgements sent for queue pairs that were destroyed already. */
    GHOST_ACKS,
    /** Requests refused because they name no shared receive queue of the XRC target's domain, or another one in mid-message. */
    REFUSED_XRCETH,
    /** Sequence NAKs sent. */
    SEND_SEQ_ERR,
    /** NAKs sent for invalid requests; each ended its connection. */
    SEND_INVALID_ERR,
    /** NAKs sent for memory accesses that were not permitted; each ended its connection. */
    SEND_ACCESS_ERR,
    /** NAKs sent because a receive, or memory, of this host was not usable; each ended its connection. */
    SEND_OPERATION_ERR,
    /** Responses that contradict their request; each ended its connection. */
    RCVD_BAD_RESPONSE,
    /** UC messages abandoned before their last packet. */
    LOST_MESSAGES,
    /** Accesses to registered memory that had been freed, or whose file had been truncated. */
    MEMORY_GONE,
    /** Queue pairs moved to ERR, and management datagrams dropped, by an internal error. */
    INTERNAL_ERRORS,
    /** Request packets sent again. */
    RETRANSMITTED_PKTS,
    /** Probes sent before the ACK timeout to peers that had been silent for longer than usual. */
    SILENCE_PROBES,
    /** Probes sent to the peers of idle queue pairs; those sent again not counted. */
    KEEPALIVE_PROBES;

    private final Reason reason = Reason.named(name());

    /** The entry of the catalogue for a dropped packet that this counts; null for other counters. */
    public Reason reason() {
        return reason;
    }
}
