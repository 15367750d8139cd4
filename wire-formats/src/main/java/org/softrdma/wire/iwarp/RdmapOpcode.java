// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.iwarp;

/**
 * The opcode table of RDMAP: which messages there are, whether they are tagged, which queue they belong to, and what follows the DDP
 * header. Opcode arguments are 0..15. Source: RFC 5040 §4.3 figure 4, RFC 7306 §4, §6.1.
 */
public final class RdmapOpcode {
    /** RDMA Write, tagged. */
    public static final int RDMA_WRITE = 0;
    /** A {@link ReadRequest}. */
    public static final int RDMA_READ_REQUEST = 1;
    /** RDMA Read Response, tagged. */
    public static final int RDMA_READ_RESPONSE = 2;
    /** Send. */
    public static final int SEND = 3;
    /** Send with Invalidate: closes a key of the receiver's. */
    public static final int SEND_INVALIDATE = 4;
    /** Send with Solicited Event. */
    public static final int SEND_SOLICITED = 5;
    /** Send with Solicited Event and Invalidate. */
    public static final int SEND_SOLICITED_INVALIDATE = 6;
    /** A {@link Terminate}. */
    public static final int TERMINATE = 7;
    /** An {@link ImmediateData}. */
    public static final int IMMEDIATE = 8;
    /** An {@link ImmediateData}. */
    public static final int IMMEDIATE_SOLICITED = 9;
    /** An {@link AtomicRequest}. */
    public static final int ATOMIC_REQUEST = 10;
    /** An {@link AtomicResponse}. */
    public static final int ATOMIC_RESPONSE = 11;

    /** Queue of SENDs and immediate data. */
    public static final int QN_SEND = 0;
    /** Queue of READ and atomic requests. */
    public static final int QN_REQUEST = 1;
    /** Queue of the one Terminate. */
    public static final int QN_TERMINATE = 2;
    /** Queue of atomic responses. */
    public static final int QN_ATOMIC_RESPONSE = 3;
    /** Queues there are. */
    public static final int QUEUES = 4;
    /** Value of {@link #queue} for tagged messages. */
    public static final int NO_QUEUE = -1;

    private static final String[] NAMES = {"RDMA Write", "RDMA Read Request", "RDMA Read Response", "Send", "Send with Invalidate",
        "Send with SE", "Send with SE and Invalidate", "Terminate", "Immediate Data", "Immediate Data with SE", "Atomic Request",
        "Atomic Response"};
    private static final int[] QN = {NO_QUEUE, QN_REQUEST, NO_QUEUE, QN_SEND, QN_SEND, QN_SEND, QN_SEND, QN_TERMINATE, QN_SEND, QN_SEND,
        QN_REQUEST, QN_ATOMIC_RESPONSE};
    /** Bytes after the DDP header that a message has at least, in its one segment. */
    private static final int[] BODY = {0, ReadRequest.LENGTH, 0, 0, 0, 0, 0, Terminate.CONTROL_LENGTH, ImmediateData.LENGTH,
        ImmediateData.LENGTH, AtomicRequest.LENGTH, AtomicResponse.LENGTH};

    private RdmapOpcode() {
    }

    /**
     * {@return whether the opcode is defined: by RFC 5040, or by RFC 7306 for atomics and immediate data}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static boolean isKnown(int opcode) {
        return opcode < NAMES.length;
    }

    /**
     * {@return whether the messages of a known opcode are tagged}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static boolean isTagged(int opcode) {
        return QN[opcode] == NO_QUEUE;
    }

    /**
     * {@return queue number of a known opcode, or {@link #NO_QUEUE}}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static int queue(int opcode) {
        return QN[opcode];
    }

    /**
     * {@return bytes a known opcode has behind the DDP header at least; exactly so many where {@link #isSingleSegment} but for Terminate}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static int bodyLength(int opcode) {
        return BODY[opcode];
    }

    /**
     * {@return whether the message is always one segment with a body of its own, instead of any amount of payload}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static boolean isSingleSegment(int opcode) {
        return BODY[opcode] > 0;
    }

    /**
     * {@return whether the opcode is any of the four SENDs}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static boolean isSend(int opcode) {
        return opcode >= SEND && opcode <= SEND_SOLICITED_INVALIDATE;
    }

    /**
     * {@return whether the receiver is asked for an event}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static boolean isSolicited(int opcode) {
        return opcode == SEND_SOLICITED || opcode == SEND_SOLICITED_INVALIDATE || opcode == IMMEDIATE_SOLICITED;
    }

    /**
     * {@return whether a key of the receiver's is to be closed}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static boolean isInvalidating(int opcode) {
        return opcode == SEND_INVALIDATE || opcode == SEND_SOLICITED_INVALIDATE;
    }

    /**
     * {@return the SEND with these properties}
     *
     * @param solicited whether the receiver shall raise an event
     * @param invalidate whether a key of the receiver's is to be closed
     */
    public static int send(boolean solicited, boolean invalidate) {
        return invalidate ? solicited ? SEND_SOLICITED_INVALIDATE : SEND_INVALIDATE : solicited ? SEND_SOLICITED : SEND;
    }

    /**
     * {@return text for messages, such as "RDMA Read Request"}
     *
     * @param opcode RDMAP opcode, 4 bits
     */
    public static String name(int opcode) {
        return isKnown(opcode) ? NAMES[opcode] : "opcode " + opcode;
    }
}
