// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.softrdma.siw.config.MpaOptions;

/**
 * Rules for the segments that one end sends: each belongs to the next request of its plan, or to the oldest unanswered request of the peer.
 * Written from RFC 5040, RFC 5041 and RFC 7306 with offsets of its own.
 */
final class StreamRules implements FpduCutter.Handler {
    private static final int TAGGED_BYTES = 14;
    private static final int UNTAGGED_BYTES = 18;
    private static final int READ_BODY = 28;
    private static final int ATOMIC_BODY = 52;
    private static final int ATOMIC_RESPONSE_BODY = 12;
    private static final int WRITE = 0;
    private static final int READ_REQUEST = 1;
    private static final int READ_RESPONSE = 2;
    private static final int SEND = 3;
    private static final int INVALIDATES = 1;
    private static final int SOLICITED = 2;
    private static final int TERMINATE = 7;
    private static final int IMMEDIATE = 8;
    private static final int ATOMIC_REQUEST = 10;
    private static final int ATOMIC_RESPONSE = 11;

    private final String name;
    private final Limits limits;
    /** Opening message that is still due. */
    private MpaOptions.Rtr opening;
    private final boolean waitsForPeer;
    private final List<Message> plan;
    /** Rules of the other direction. */
    private StreamRules peer;
    /** Layer and type of the Terminates that are in order. */
    private final Set<Integer> terminates = new HashSet<>();
    private String complaint;
    private long segments;

    /** Next message of the plan, and how much of it was sent. */
    private int next;
    private int offset;
    private boolean begun;
    private boolean immediateDue;
    private int sendMsn = 1;
    private int requestMsn = 1;
    private int atomicMsn = 1;
    private boolean terminated;

    /** Requests of the peer without a complete answer, oldest first. */
    private final ArrayDeque<Owed> owed = new ArrayDeque<>();
    private int answered;

    /** Position behind the last byte that the receiving device has taken. */
    private long taken;
    /** Position behind the first segment; 0 before. */
    private long firstEndsAt;
    /** Own requests that were sent, and the ends of their answers in the other direction. */
    private int requested;
    private final ArrayDeque<Long> answersEndAt = new ArrayDeque<>();

    /**
     * Agreed numbers.
     *
     * @param depth READs and atomics that may be outstanding
     */
    record Limits(int maxUlpdu, int depth) {
    }

    /**
     * A request of the peer.
     *
     * @param endsAt position behind it in the peer's direction
     */
    private record Owed(boolean atomic, int sinkStag, long sinkTo, int size, byte[] bytes, long endsAt) {
    }

    /**
     * @param name         of the direction, for messages
     * @param opening      message that comes before the plan
     * @param waitsForPeer nothing may be sent before the peer's first segment has arrived: RFC 5044 §7.1.2
     */
    StreamRules(String name, Limits limits, MpaOptions.Rtr opening, boolean waitsForPeer, List<Message> plan) {
        this.name = name;
        this.limits = limits;
        this.opening = opening;
        this.waitsForPeer = waitsForPeer;
        this.plan = plan;
    }

    void peer(StreamRules other) {
        peer = other;
    }

    /** First violation, or null. */
    String complaint() {
        return complaint;
    }

    long segments() {
        return segments;
    }

    /** Whether an atomic has arrived that is not answered. */
    boolean owesAtomic() {
        return owed.stream().anyMatch(request -> request.atomic && request.endsAt <= peer.taken);
    }

    /** Whether the answer to a READ was sent in part. */
    boolean isMidAnswer() {
        return answered > 0;
    }

    /** Whether a message of the plan was sent in part. */
    boolean isMidMessage() {
        return begun;
    }

    /** @param layerAndType of Terminates for which there is a reason now */
    void allowTerminate(int layerAndType) {
        terminates.add(layerAndType);
    }

    void onTaken(int count) {
        taken += count;
    }

    @Override
    public void onBadFrame(String what) {
        complain(what);
    }

    private void complain(String what) {
        if (complaint == null) {
            complaint = name + ": " + what;
        }
    }

    private boolean check(boolean condition, String what) {
        if (!condition) {
            complain(what);
        }
        return condition;
    }

    @Override
    public void onUlpdu(byte[] ulpdu, long endsAt) {
        segments++;
        check(!terminated, "a segment behind the Terminate");
        if (!check(ulpdu.length >= TAGGED_BYTES, "a ULPDU of " + ulpdu.length + " bytes")) {
            return;
        }
        ByteBuffer b = ByteBuffer.wrap(ulpdu);
        boolean tagged = (ulpdu[0] & 0x80) != 0;
        boolean last = (ulpdu[0] & 0x40) != 0;
        int opcode = ulpdu[1] & 0xf;
        check((ulpdu[0] & 0x3f) == 1 && (ulpdu[1] & 0xf0) == 0x40, "control bytes " + (ulpdu[0] & 0xff) + " " + (ulpdu[1] & 0xff));
        check(tagged == (opcode == WRITE || opcode == READ_RESPONSE), "opcode " + opcode + (tagged ? " is tagged" : " is untagged"));
        check(ulpdu.length <= limits.maxUlpdu, "a ULPDU of " + ulpdu.length + " bytes with at most " + limits.maxUlpdu);
        check(!waitsForPeer || peer.firstEndsAt > 0 && peer.taken >= peer.firstEndsAt, "the responder sends first");
        firstEndsAt = firstEndsAt == 0 ? endsAt : firstEndsAt;
        if (!tagged && !check(ulpdu.length >= UNTAGGED_BYTES, "an untagged ULPDU of " + ulpdu.length + " bytes")) {
            return;
        }
        check(answered == 0 || opcode == READ_RESPONSE || opcode == TERMINATE, "opcode " + opcode + " within a READ response");
        check(!immediateDue || opcode == IMMEDIATE || opcode == IMMEDIATE + 1 || opcode == TERMINATE,
            "opcode " + opcode + " before the immediate data");
        check(offset == 0 || opcode == WRITE || opcode >= SEND && opcode <= TERMINATE, "opcode " + opcode + " within a message");
        switch (opcode) {
            case WRITE -> onWrite(b, last);
            case READ_REQUEST -> onReadRequest(b, last, endsAt);
            case READ_RESPONSE -> onReadResponse(b, last, endsAt);
            case TERMINATE -> onTerminate(b, last);
            case IMMEDIATE, IMMEDIATE + 1 -> onImmediate(b, last, opcode);
            case ATOMIC_REQUEST -> onAtomicRequest(b, last, endsAt);
            case ATOMIC_RESPONSE -> onAtomicResponse(b, last, endsAt);
            default -> {
                if (check(opcode >= SEND && opcode < TERMINATE, "opcode " + opcode)) {
                    onSend(b, last, opcode);
                }
            }
        }
    }

    // ---- the plan ----

    /** Returns the message of the plan that is sent now, or null if there is none. */
    private Message current() {
        if (!check(next < plan.size(), "a message behind the last one")) {
            return null;
        }
        Message message = plan.get(next);
        if (!begun) {
            begun = true;
            check(opening == MpaOptions.Rtr.NONE, "no opening message of kind " + opening);
            check(message.posted, message + " was not posted yet");
            check(!message.fence || outstanding() == 0, message + " overtakes " + outstanding() + " answers");
        }
        return message;
    }

    private int outstanding() {
        while (!answersEndAt.isEmpty() && answersEndAt.peek() <= peer.taken) {
            answersEndAt.remove();
            requested--;
        }
        return requested;
    }

    private void checkPayload(ByteBuffer b, int header, Message message, boolean last) {
        int bytes = b.capacity() - header;
        if (check(offset + bytes <= message.length, message + ": " + (offset + bytes) + " bytes")) {
            int wrong = ByteBuffer.wrap(message.bytes, offset, bytes).mismatch(b.slice(header, bytes));
            check(wrong < 0, message + ": wrong byte at " + (offset + wrong));
        }
        offset += bytes;
        check(last == (offset == message.length), message + (last ? " ends after " : " goes on after ") + offset + " bytes");
        checkFull(b.capacity(), bytes, last);
    }

    /** All segments but the last one of a message are full, and need no pad. */
    private void checkFull(int ulpdu, int payload, boolean last) {
        check(last || payload % 4 == 0 && ulpdu > limits.maxUlpdu - 4, "a segment of " + ulpdu + " bytes, not the last one, with at most "
            + limits.maxUlpdu);
    }

    private void endMessage() {
        next++;
        offset = 0;
        begun = false;
        immediateDue = false;
    }

    private void onWrite(ByteBuffer b, boolean last) {
        if (opening == MpaOptions.Rtr.WRITE) {
            check(last && b.capacity() == TAGGED_BYTES, "the opening WRITE has " + (b.capacity() - TAGGED_BYTES) + " bytes");
            opening = MpaOptions.Rtr.NONE;
            return;
        }
        Message message = current();
        if (message == null || !check(message.kind.isWrite() && !immediateDue, "a WRITE instead of " + message)) {
            return;
        }
        check(b.getInt(2) == message.rkey && b.getLong(6) == message.remoteAddress + offset, message + ": key or offset");
        checkPayload(b, TAGGED_BYTES, message, last);
        if (last && message.kind == Message.Kind.WRITE) {
            endMessage();
        } else if (last) {
            immediateDue = true;
            offset = 0;
        }
    }

    private void checkUntagged(ByteBuffer b, int qn, int msn, int mo) {
        check(b.getInt(6) == qn && b.getInt(10) == msn && b.getInt(14) == mo, "queue " + b.getInt(6) + ", MSN " + b.getInt(10) + ", MO "
            + b.getInt(14) + " instead of " + qn + ", " + msn + ", " + mo);
    }

    private void onSend(ByteBuffer b, boolean last, int opcode) {
        Message message = current();
        if (message == null || !check(message.kind.isSend(), "a SEND instead of " + message)) {
            return;
        }
        boolean invalidates = message.kind == Message.Kind.SEND_INV;
        int due = SEND + (invalidates ? INVALIDATES : 0) + (message.solicited ? SOLICITED : 0);
        check(opcode == due, message + ": opcode " + opcode + " instead of " + due);
        check(b.getInt(2) == (invalidates ? message.rkey : 0), message + ": key to invalidate");
        checkUntagged(b, 0, sendMsn, offset);
        checkPayload(b, UNTAGGED_BYTES, message, last);
        if (last) {
            sendMsn++;
            endMessage();
        }
    }

    private void onImmediate(ByteBuffer b, boolean last, int opcode) {
        Message message = current();
        if (message == null || !check(immediateDue, "immediate data in " + message)) {
            return;
        }
        check(opcode == IMMEDIATE + (message.solicited ? 1 : 0), message + ": opcode " + opcode);
        checkUntagged(b, 0, sendMsn++, 0);
        check(last && b.capacity() == UNTAGGED_BYTES + 8 && b.getInt(18) == message.immediate() && b.getInt(22) == 0,
            message + ": immediate data");
        endMessage();
    }

    private void onRequest(Owed request) {
        check(outstanding() < limits.depth, "more than " + limits.depth + " requests outstanding");
        requested++;
        peer.owed.add(request);
    }

    private void onReadRequest(ByteBuffer b, boolean last, long endsAt) {
        checkUntagged(b, 1, requestMsn++, 0);
        if (!check(last && b.capacity() == UNTAGGED_BYTES + READ_BODY, "a READ request of " + b.capacity() + " bytes")) {
            return;
        }
        if (opening == MpaOptions.Rtr.READ) {
            check(b.getInt(30) == 0, "the opening READ has " + b.getInt(30) + " bytes");
            opening = MpaOptions.Rtr.NONE;
            onRequest(new Owed(false, b.getInt(18), b.getLong(22), 0, new byte[0], endsAt));
            return;
        }
        Message message = current();
        if (message == null || !check(message.kind == Message.Kind.READ, "a READ instead of " + message)) {
            return;
        }
        check(b.getInt(30) == message.length && b.getInt(34) == message.rkey && b.getLong(38) == message.remoteAddress,
            message + ": size, key or offset");
        onRequest(new Owed(false, b.getInt(18), b.getLong(22), message.length, message.bytes, endsAt));
        endMessage();
    }

    private void onAtomicRequest(ByteBuffer b, boolean last, long endsAt) {
        checkUntagged(b, 1, requestMsn++, 0);
        Message message = current();
        if (message == null || !check(message.kind.isAtomic() && last && b.capacity() == UNTAGGED_BYTES + ATOMIC_BODY,
            "an atomic of " + b.capacity() + " bytes instead of " + message)) {
            return;
        }
        boolean swaps = message.kind == Message.Kind.SWAP;
        check(b.getInt(18) == (swaps ? 2 : 0) && b.getInt(26) == message.rkey && b.getLong(30) == message.remoteAddress
            && b.getLong(38) == (swaps ? message.swap : message.compareAdd) && (!swaps || b.getLong(54) == message.compareAdd),
            message + ": operation, key, offset or operands");
        onRequest(new Owed(true, b.getInt(22), 0, 0, new byte[0], endsAt));
        endMessage();
    }

    // ---- answers ----

    private Owed oldest(boolean atomic, String what) {
        Owed request = owed.peek();
        if (!check(request != null && request.atomic == atomic, what + " that is not due")) {
            return null;
        }
        check(peer.taken >= request.endsAt, what + " before its request has arrived");
        return request;
    }

    private void endAnswer(long endsAt) {
        owed.remove();
        answered = 0;
        peer.answersEndAt.add(endsAt);
    }

    private void onReadResponse(ByteBuffer b, boolean last, long endsAt) {
        Owed request = oldest(false, "a READ response");
        if (request == null) {
            return;
        }
        int bytes = b.capacity() - TAGGED_BYTES;
        check(b.getInt(2) == request.sinkStag && b.getLong(6) == request.sinkTo + answered, "READ response: key or offset of the sink");
        if (check(answered + bytes <= request.size, "READ response of more than " + request.size + " bytes")) {
            int wrong = ByteBuffer.wrap(request.bytes, answered, bytes).mismatch(b.slice(TAGGED_BYTES, bytes));
            check(wrong < 0, "READ response: wrong byte at " + (answered + wrong) + " of " + request.size);
        }
        answered += bytes;
        check(last == (answered == request.size), "READ response of " + request.size + " bytes" + (last ? " ends after " : " goes on at ")
            + answered);
        checkFull(b.capacity(), bytes, last);
        if (last) {
            endAnswer(endsAt);
        }
    }

    private void onAtomicResponse(ByteBuffer b, boolean last, long endsAt) {
        Owed request = oldest(true, "an atomic response");
        checkUntagged(b, 3, atomicMsn++, 0);
        if (request != null && check(last && b.capacity() == UNTAGGED_BYTES + ATOMIC_RESPONSE_BODY, "length of an atomic response")) {
            check(b.getInt(18) == request.sinkStag, "atomic response: id " + b.getInt(18) + " instead of " + request.sinkStag);
            endAnswer(endsAt);
        }
    }

    private void onTerminate(ByteBuffer b, boolean last) {
        checkUntagged(b, 2, 1, 0);
        terminated = true;
        int code = b.getShort(18) & 0xffff;
        check(last && terminates.contains(code >>> 8), "Terminate 0x" + Integer.toHexString(code) + " without a reason");
    }

    @Override
    public String toString() {
        return name + " " + segments + " segments, message " + next + " of " + plan.size() + (owed.isEmpty() ? "" : ", owes " + owed.size())
            + (terminated ? ", terminated" : "");
    }
}
