// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.reason;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.softrdma.verbs.WcStatus;

/**
 * The catalogue of reasons: why a work request failed, a request was refused, a packet was dropped or sent again, a connection was
 * rejected, or a verb was refused. A constant has a number that never changes, and the status under which a program sees it. Everything for
 * people (sentence, rule, usual causes, remedy) is in {@code reasons.txt} beside this class, under the constant's {@link #shortName}.
 *
 * <p>The numbers are vendor errors of completions on this project's devices ({@link org.softrdma.verbs.WorkCompletion#vendorError}). A
 * constant that is named like a counter stands for what that counter counts.
 */
public enum Reason {
    // ---- 0x00: from before the catalogue ----

    /** EMSGSIZE. */
    PATH_MTU_TOO_LARGE(90, WcStatus.RETRY_EXC_ERR),

    // ---- 0x01: work requests that fail at this end ----

    /** Local protection error: lkey … is no region of this device; the element asked for […, +…). */
    LKEY_UNKNOWN(0x0101, WcStatus.LOC_PROT_ERR),
    /** Local protection error: lkey … is the key of a memory window. */
    LKEY_OF_WINDOW(0x0102, WcStatus.LOC_PROT_ERR),
    /** Local protection error: the region of lkey … belongs to another protection domain than the queue pair. */
    LKEY_OTHER_PD(0x0103, WcStatus.LOC_PROT_ERR),
    /** Local protection error: the region of lkey … grants …, the operation needs …. */
    LKEY_ACCESS(0x0104, WcStatus.LOC_PROT_ERR),
    /** Local protection error: lkey … covers […, +…), the element asked for […, +…). */
    LKEY_RANGE(0x0105, WcStatus.LOC_PROT_ERR),
    /** Local protection error: the memory of lkey … at […, +…) was freed while it was registered. */
    LOCAL_MEMORY_GONE(0x0106, WcStatus.LOC_PROT_ERR),
    /** Local length error: a message of … bytes; the longest has …. */
    MESSAGE_TOO_LONG(0x0110, WcStatus.LOC_LEN_ERR),
    /** Local length error: … works on 8 bytes, its elements have …. */
    OPERAND_NOT_EIGHT_BYTES(0x0111, WcStatus.LOC_LEN_ERR),
    /** Local length error: a datagram of … bytes; the port's MTU is …. */
    DATAGRAM_TOO_LONG(0x0112, WcStatus.LOC_LEN_ERR),
    /** Local length error: a message of … bytes or more arrived for a receive of … bytes. */
    RECEIVE_TOO_SMALL(0x0113, WcStatus.LOC_LEN_ERR),
    /** Local QP operation error: … needs a READ depth, and max_rd_atomic is 0. */
    NO_READ_DEPTH(0x0120, WcStatus.LOC_QP_OP_ERR),
    /** Local QP operation error: LOCAL_INV of key …, which is not a bound type 2 window that this queue pair may invalidate. */
    KEY_NOT_INVALIDATED(0x0121, WcStatus.LOC_QP_OP_ERR),
    /** Local QP operation error: a work request in the program's ring cannot be executed. */
    RING_RECORD_INVALID(0x0122, WcStatus.LOC_QP_OP_ERR),
    /** Memory management operation error: window … cannot be bound to […, +…) of lkey …. */
    BIND_REGION(0x0130, WcStatus.MW_BIND_ERR),
    /** Memory management operation error: key … is no window that can be bound now. */
    BIND_WINDOW(0x0131, WcStatus.MW_BIND_ERR),
    /** Local access error: the peer's SEND invalidates key …, which is not a bound type 2 window of this queue pair. */
    PEER_CANNOT_INVALIDATE(0x0140, WcStatus.LOC_ACCESS_ERR),
    /** Not executed: the queue pair went to ERR first. */
    FLUSHED(0x0150, WcStatus.WR_FLUSH_ERR),
    /** The application disconnected the queue pair, or moved it to ERR. */
    ERR_BY_APPLICATION(0x0151, WcStatus.WR_FLUSH_ERR),
    /** The connection was ended by the peer. */
    CONNECTION_ENDED(0x0152, WcStatus.WR_FLUSH_ERR),
    /** A completion was lost: its completion queue was full. */
    COMPLETION_QUEUE_OVERRUN(0x0153, WcStatus.WR_FLUSH_ERR),
    /** An internal error of the device moved the queue pair to ERR. */
    INTERNAL_ERROR(0x0154, WcStatus.WR_FLUSH_ERR),
    /** The disconnect was given up: what was posted before it made no progress. */
    STUCK_DISCONNECT(0x0155, WcStatus.WR_FLUSH_ERR),
    /** The stream ended in the middle of a frame. */
    STREAM_TORN(0x0156, WcStatus.WR_FLUSH_ERR),

    // ---- 0x02: answers of the peer, and their absence ----

    /** No answer from qp …: … transmissions of a request, … apart. */
    NO_ANSWER(0x0201, WcStatus.RETRY_EXC_ERR),
    /** The packets of one request were lost … times: the peer reported a gap each time. */
    LOST_TOO_OFTEN(0x0202, WcStatus.RETRY_EXC_ERR),
    /** The peer, qp …, did not answer … probes of the idle connection. */
    PROBE_UNANSWERED(0x0203, WcStatus.RETRY_EXC_ERR),
    /** RNR retry counter exceeded: qp … had no receive posted for … transmissions of a message. */
    RECEIVER_NOT_READY(0x0204, WcStatus.RNR_RETRY_EXC_ERR),
    /** Remote invalid request error: the peer refused the … of … bytes. */
    NAK_INVALID_REQUEST(0x0210, WcStatus.REM_INV_REQ_ERR),
    /** Remote access error: the peer refused the … of […, +…) with rkey …. */
    NAK_REMOTE_ACCESS(0x0211, WcStatus.REM_ACCESS_ERR),
    /** Remote operation error: the peer could not execute the … of … bytes. */
    NAK_REMOTE_OPERATIONAL(0x0212, WcStatus.REM_OP_ERR),
    /** Remote operation error: the peer answered with the reserved syndrome …. */
    NAK_RESERVED(0x0213, WcStatus.REM_OP_ERR),
    /** Remote access error: the peer ended the connection with Terminate … for the …. */
    TERMINATED_ACCESS(0x0214, WcStatus.REM_ACCESS_ERR),
    /** The peer ended the connection with Terminate …. */
    TERMINATED(0x0215, WcStatus.REM_OP_ERR),
    /** Bad response error: the peer answered the … with a packet of opcode …. */
    RESPONSE_OF_OTHER_KIND(0x0220, WcStatus.BAD_RESP_ERR),
    /** Bad response error: a response of … bytes does not fit the …. */
    RESPONSE_DOES_NOT_FIT(0x0221, WcStatus.BAD_RESP_ERR),
    /** Sequence NAK: the peer misses PSN …. */
    SEQUENCE_NAK(0x0230),
    /** RNR NAK: the peer has no receive posted; waiting …. */
    RNR_NAK(0x0231),
    /** The wait for the peer's receive is over. */
    RNR_WAIT_OVER(0x0232),
    /** No answer for …: the ACK timer expired. */
    ACK_TIMEOUT(0x0233),
    /** A response before PSN … was lost. */
    RESPONSE_LOST(0x0234),
    /** The peer has been silent for longer than usual: its last packets may be lost. */
    SILENT_PEER(0x0235),
    /** The peer acknowledged only the packet that was repeated as a probe: it had been lost, and all after it. */
    PROBE_ACKNOWLEDGED(0x0236),

    // ---- 0x03: requests of the peer that are refused here; the status is that of the peer's work request ----

    /** Rkey … is no region or bound window of this device; the … asked for […, +…). */
    RKEY_UNKNOWN(0x0301, WcStatus.REM_ACCESS_ERR),
    /** The region of rkey … belongs to another protection domain than the queue pair; the … asked for […, +…). */
    RKEY_OTHER_PD(0x0302, WcStatus.REM_ACCESS_ERR),
    /** The window of rkey … is bound to another queue pair; the … asked for […, +…). */
    RKEY_OTHER_QP(0x0303, WcStatus.REM_ACCESS_ERR),
    /** Rkey … grants …, the … needs …. */
    RKEY_ACCESS(0x0304, WcStatus.REM_ACCESS_ERR),
    /** Rkey … covers […, +…), the … asked for […, +…). */
    RKEY_RANGE(0x0305, WcStatus.REM_ACCESS_ERR),
    /** The memory of rkey … was freed while it was registered; the … asked for […, +…). */
    REMOTE_MEMORY_GONE(0x0306, WcStatus.REM_ACCESS_ERR),
    /** The queue pair permits …, the … needs …. */
    QP_ACCESS(0x0310, WcStatus.REM_INV_REQ_ERR),
    /** A request with opcode …, which this service does not have. */
    UNKNOWN_OPERATION(0x0311, WcStatus.REM_INV_REQ_ERR),
    /** A packet with opcode … does not continue the message of the one before it. */
    MESSAGE_ORDER(0x0312, WcStatus.REM_INV_REQ_ERR),
    /** More READs or atomics than the … that are permitted to wait. */
    TOO_MANY_READS(0x0313, WcStatus.REM_INV_REQ_ERR),
    /** The request names shared receive queue …, which is none of the XRC target's domain, or not that of its message. */
    XRC_QUEUE(0x0314, WcStatus.REM_INV_REQ_ERR),
    /** A packet of … bytes where the path MTU is …, or a length that does not add up to the message's. */
    PACKET_LENGTH(0x0315, WcStatus.REM_INV_REQ_ERR),
    /** A request for … bytes; the longest message has …. */
    REQUEST_TOO_LONG(0x0316, WcStatus.REM_INV_REQ_ERR),
    /** … at …, which is not 8-aligned, or with a length other than 8. */
    OPERAND_ALIGNMENT(0x0317, WcStatus.REM_INV_REQ_ERR),
    /** A FLUSH with a placement or selectivity that does not exist. */
    FLUSH_REACH(0x0318, WcStatus.REM_INV_REQ_ERR),
    /** The FLUSH of […, +…) failed: the memory could not be made persistent. */
    FLUSH_FAILED(0x0320, WcStatus.REM_OP_ERR),
    /** No receive is posted: the peer is sent an RNR NAK. */
    NO_RECEIVE(0x0330, WcStatus.RNR_RETRY_EXC_ERR),
    /** PSN … arrived, … was expected: packets before it are missing. */
    GAP(0x0331),
    /** The peer sent on the stream what is not permitted: the connection was ended with Terminate …. */
    STREAM_VIOLATION(0x0340),

    // ---- 0x04: packets that are dropped; constants are named like the counters ----

    /** A packet shorter than a BTH and an ICRC. */
    DROP_TOO_SHORT(0x0401),
    /** A packet whose headers, pad and ICRC do not fit its length. */
    DROP_BAD_LENGTH(0x0402),
    /** A packet with a transport version other than 0. */
    DROP_BAD_VERSION(0x0403),
    /** A packet with an unknown opcode … for qp …, which does not exist. */
    DROP_UNKNOWN_OPCODE(0x0404),
    /** A datagram that was not sent to the UDP port of RoCE. */
    DROP_BAD_PORT(0x0405),
    /** A packet for qp …, which does not exist. */
    DROP_UNKNOWN_QPN(0x0406),
    /** A packet with a wrong ICRC. */
    DROP_BAD_ICRC(0x0407),
    /** A packet of partition …. */
    DROP_BAD_PKEY(0x0408),
    /** A packet for qp … that was not sent by its peer, or to another of our addresses. */
    DROP_WRONG_ADDRESS(0x0409),
    /** A packet for qp …, which is in …: it receives nothing. */
    DROP_QP_STATE(0x040a),
    /** A response to PSN …, which was never sent. */
    DROP_UNSENT_PSN_RESPONSE(0x040b),
    /** A response to PSN …, which was answered before. */
    DROP_DUPLICATE_RESPONSE(0x040c),
    /** A response to PSN … that has no meaning now. */
    DROP_UNEXPECTED_RESPONSE(0x040d),
    /** A repeated READ or atomic, PSN …, that is no longer remembered. */
    DROP_UNKNOWN_DUPLICATE(0x040e),
    /** A repeated request, PSN …: too many answers wait. */
    DROP_RESPONSE_QUEUE_FULL(0x040f),
    /** A packet with opcode … of another service than the queue pair's. */
    DROP_WRONG_SERVICE(0x0410),
    /** A UC packet, PSN …, whose message has no beginning: packets before it were lost. */
    DROP_OUT_OF_SEQUENCE(0x0411),
    /** A UC or UD packet of … bytes, a length that is not permitted here. */
    DROP_BAD_REQUEST(0x0412),
    /** A UC WRITE that the queue pair, the key or the region does not permit. */
    DROP_ACCESS(0x0413),
    /** A UC or UD message for which no receive was posted. */
    DROP_NO_RECEIVE(0x0414),
    /** A datagram of … bytes for a receive of …. */
    DROP_RECEIVE_TOO_SMALL(0x0415),
    /** A datagram to a multicast group that no queue pair is attached to. */
    DROP_UNKNOWN_GROUP(0x0416),
    /** A datagram with Q_Key …; the queue pair has …. */
    DROP_BAD_QKEY(0x0417),
    /** A packet for queue pair 1 that is not a management datagram. */
    DROP_GSI_NO_MAD(0x0418),
    /** A packet for queue pair 1 with Q_Key …. */
    DROP_GSI_BAD_QKEY(0x0419),
    /** A management datagram while too many others wait. */
    DROP_GSI_FULL(0x041a),
    /** A management datagram for an agent whose inbox is full. */
    DROP_MAD_AGENT_FULL(0x041b),
    /** A new request for qp …, which was destroyed a moment ago. */
    DROP_GHOST_REQUEST(0x041c);

    private static final Map<Integer, Reason> BY_CODE = byCode();

    private final int code;
    private final WcStatus status;

    Reason(int code) {
        this(code, null);
    }

    Reason(int code, WcStatus status) {
        this.code = code;
        this.status = status;
    }

    /** {@return the number of the reason, 1..0xffff; it never changes} */
    public int code() {
        return code;
    }

    /** {@return the status of the work request that fails for this reason; null if none does} */
    public WcStatus status() {
        return status;
    }

    /** {@return the constant's name in lower case with hyphens: {@code rkey-range}} */
    public String shortName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds a reason by its number.
     *
     * @param code number of a reason
     * @return null if no reason has that number
     */
    public static Reason of(int code) {
        return BY_CODE.get(code);
    }

    /**
     * Finds a reason by its short name or its constant's name, in any case.
     *
     * @param name of a reason
     * @return null if there is none
     */
    public static Reason named(String name) {
        String constant = name.toUpperCase(Locale.ROOT).replace('-', '_');
        for (Reason each : values()) {
            if (each.name().equals(constant)) {
                return each;
            }
        }
        return null;
    }

    /** {@return the entry of the catalogue, for people} */
    public ReasonText text() {
        return ReasonTexts.of(this);
    }

    private static Map<Integer, Reason> byCode() {
        Map<Integer, Reason> map = new HashMap<>();
        for (Reason each : values()) {
            if (map.put(each.code, each) != null) {
                throw new AssertionError("two reasons have the code " + each.code);
            }
        }
        return map;
    }
}
