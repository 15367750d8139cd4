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

    LKEY_UNKNOWN(0x0101, WcStatus.LOC_PROT_ERR),
    LKEY_OF_WINDOW(0x0102, WcStatus.LOC_PROT_ERR),
    LKEY_OTHER_PD(0x0103, WcStatus.LOC_PROT_ERR),
    LKEY_ACCESS(0x0104, WcStatus.LOC_PROT_ERR),
    LKEY_RANGE(0x0105, WcStatus.LOC_PROT_ERR),
    LOCAL_MEMORY_GONE(0x0106, WcStatus.LOC_PROT_ERR),
    RESPONSE_LONGER_THAN_ELEMENTS(0x0107, WcStatus.LOC_PROT_ERR),
    MESSAGE_TOO_LONG(0x0110, WcStatus.LOC_LEN_ERR),
    OPERAND_NOT_EIGHT_BYTES(0x0111, WcStatus.LOC_LEN_ERR),
    DATAGRAM_TOO_LONG(0x0112, WcStatus.LOC_LEN_ERR),
    RECEIVE_TOO_SMALL(0x0113, WcStatus.LOC_LEN_ERR),
    NO_READ_DEPTH(0x0120, WcStatus.LOC_QP_OP_ERR),
    KEY_NOT_INVALIDATED(0x0121, WcStatus.LOC_QP_OP_ERR),
    RING_RECORD_INVALID(0x0122, WcStatus.LOC_QP_OP_ERR),
    BIND_REGION(0x0130, WcStatus.MW_BIND_ERR),
    BIND_WINDOW(0x0131, WcStatus.MW_BIND_ERR),
    PEER_CANNOT_INVALIDATE(0x0140, WcStatus.LOC_ACCESS_ERR),
    FLUSHED(0x0150, WcStatus.WR_FLUSH_ERR),
    ERR_BY_APPLICATION(0x0151, WcStatus.WR_FLUSH_ERR),
    CONNECTION_ENDED(0x0152, WcStatus.WR_FLUSH_ERR),
    COMPLETION_QUEUE_OVERRUN(0x0153, WcStatus.WR_FLUSH_ERR),
    INTERNAL_ERROR(0x0154, WcStatus.WR_FLUSH_ERR),
    STUCK_DISCONNECT(0x0155, WcStatus.WR_FLUSH_ERR),
    STREAM_TORN(0x0156, WcStatus.WR_FLUSH_ERR),

    // ---- 0x02: answers of the peer, and their absence ----

    NO_ANSWER(0x0201, WcStatus.RETRY_EXC_ERR),
    LOST_TOO_OFTEN(0x0202, WcStatus.RETRY_EXC_ERR),
    PROBE_UNANSWERED(0x0203, WcStatus.RETRY_EXC_ERR),
    RECEIVER_NOT_READY(0x0204, WcStatus.RNR_RETRY_EXC_ERR),
    NAK_INVALID_REQUEST(0x0210, WcStatus.REM_INV_REQ_ERR),
    NAK_REMOTE_ACCESS(0x0211, WcStatus.REM_ACCESS_ERR),
    NAK_REMOTE_OPERATIONAL(0x0212, WcStatus.REM_OP_ERR),
    NAK_RESERVED(0x0213, WcStatus.REM_OP_ERR),
    TERMINATED_ACCESS(0x0214, WcStatus.REM_ACCESS_ERR),
    TERMINATED(0x0215, WcStatus.REM_OP_ERR),
    RESPONSE_OF_OTHER_KIND(0x0220, WcStatus.BAD_RESP_ERR),
    RESPONSE_DOES_NOT_FIT(0x0221, WcStatus.BAD_RESP_ERR),
    SEQUENCE_NAK(0x0230),
    RNR_NAK(0x0231),
    RNR_WAIT_OVER(0x0232),
    ACK_TIMEOUT(0x0233),
    RESPONSE_LOST(0x0234),
    SILENT_PEER(0x0235),
    PROBE_ACKNOWLEDGED(0x0236),

    // ---- 0x03: requests of the peer that are refused here; the status is that of the peer's work request ----

    RKEY_UNKNOWN(0x0301, WcStatus.REM_ACCESS_ERR),
    RKEY_OTHER_PD(0x0302, WcStatus.REM_ACCESS_ERR),
    RKEY_OTHER_QP(0x0303, WcStatus.REM_ACCESS_ERR),
    RKEY_ACCESS(0x0304, WcStatus.REM_ACCESS_ERR),
    RKEY_RANGE(0x0305, WcStatus.REM_ACCESS_ERR),
    REMOTE_MEMORY_GONE(0x0306, WcStatus.REM_ACCESS_ERR),
    QP_ACCESS(0x0310, WcStatus.REM_INV_REQ_ERR),
    UNKNOWN_OPERATION(0x0311, WcStatus.REM_INV_REQ_ERR),
    MESSAGE_ORDER(0x0312, WcStatus.REM_INV_REQ_ERR),
    TOO_MANY_READS(0x0313, WcStatus.REM_INV_REQ_ERR),
    XRC_QUEUE(0x0314, WcStatus.REM_INV_REQ_ERR),
    PACKET_LENGTH(0x0315, WcStatus.REM_INV_REQ_ERR),
    REQUEST_TOO_LONG(0x0316, WcStatus.REM_INV_REQ_ERR),
    OPERAND_ALIGNMENT(0x0317, WcStatus.REM_INV_REQ_ERR),
    FLUSH_REACH(0x0318, WcStatus.REM_INV_REQ_ERR),
    FLUSH_FAILED(0x0320, WcStatus.REM_OP_ERR),
    NO_RECEIVE(0x0330, WcStatus.RNR_RETRY_EXC_ERR),
    GAP(0x0331),
    STREAM_VIOLATION(0x0340),

    // ---- 0x04: packets that are dropped; constants are named like the counters ----

    DROP_TOO_SHORT(0x0401),
    DROP_BAD_LENGTH(0x0402),
    DROP_BAD_VERSION(0x0403),
    DROP_UNKNOWN_OPCODE(0x0404),
    DROP_BAD_PORT(0x0405),
    DROP_UNKNOWN_QPN(0x0406),
    DROP_BAD_ICRC(0x0407),
    DROP_BAD_PKEY(0x0408),
    DROP_WRONG_ADDRESS(0x0409),
    DROP_QP_STATE(0x040a),
    DROP_UNSENT_PSN_RESPONSE(0x040b),
    DROP_DUPLICATE_RESPONSE(0x040c),
    DROP_UNEXPECTED_RESPONSE(0x040d),
    DROP_UNKNOWN_DUPLICATE(0x040e),
    DROP_RESPONSE_QUEUE_FULL(0x040f),
    DROP_WRONG_SERVICE(0x0410),
    DROP_OUT_OF_SEQUENCE(0x0411),
    DROP_BAD_REQUEST(0x0412),
    DROP_ACCESS(0x0413),
    DROP_NO_RECEIVE(0x0414),
    DROP_RECEIVE_TOO_SMALL(0x0415),
    DROP_UNKNOWN_GROUP(0x0416),
    DROP_BAD_QKEY(0x0417),
    DROP_GSI_NO_MAD(0x0418),
    DROP_GSI_BAD_QKEY(0x0419),
    DROP_GSI_FULL(0x041a),
    DROP_MAD_AGENT_FULL(0x041b),
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

    /** Number of the reason, 1..0xffff; it never changes. */
    public int code() {
        return code;
    }

    /** Status of the work request that fails for this reason; null if none does. */
    public WcStatus status() {
        return status;
    }

    /** The constant's name in lower case with hyphens: {@code rkey-range}. */
    public String shortName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * @param code number of a reason
     * @return null if no reason has that number
     */
    public static Reason of(int code) {
        return BY_CODE.get(code);
    }

    /**
     * Finds a reason by its short name or its constant's name, in any case.
     *
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

    /** The entry of the catalogue, for people. */
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
