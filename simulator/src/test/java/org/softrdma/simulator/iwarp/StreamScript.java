// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.softrdma.siw.config.MpaOptions;

/** Two directions of a stream without a device. Segments are written by the offsets of RFC 5040, 5041 and 7306. */
abstract class StreamScript {
    static final int MAX_ULPDU = 86;
    static final int TAGGED = 14;
    static final int UNTAGGED = 18;
    static final int FULL_TAGGED = MAX_ULPDU - TAGGED;
    static final int FULL_UNTAGGED = MAX_ULPDU - UNTAGGED;
    static final int DEPTH = 2;
    static final int RKEY = 0x1234;
    static final long REMOTE = 0x10_0000;
    static final int SINK = 0x5678;
    static final long SINK_TO = 0x20_0000;
    static final int WRITE = 0;
    static final int READ_REQUEST = 1;
    static final int READ_RESPONSE = 2;
    static final int SEND = 3;
    static final int SEND_INV = 4;
    static final int SEND_SE = 5;
    static final int SEND_SE_INV = 6;
    static final int TERMINATE = 7;
    static final int IMMEDIATE = 8;
    static final int IMMEDIATE_SE = 9;
    static final int ATOMIC_REQUEST = 10;
    static final int ATOMIC_RESPONSE = 11;

    final List<Message> plan = new ArrayList<>();
    MpaOptions.Rtr opening = MpaOptions.Rtr.NONE;
    boolean waitsForPeer;
    StreamRules ours;
    StreamRules peers;
    private long oursEnd;
    private long peersEnd;

    // ---- plans ----

    final Message plan(Message.Kind kind, int length, boolean fence, boolean solicited) {
        Message message = new Message(kind, plan.size(), length, fence, solicited, false);
        message.bytes = content(length);
        message.rkey = RKEY;
        message.remoteAddress = REMOTE;
        message.posted = true;
        plan.add(message);
        return message;
    }

    final Message plan(Message.Kind kind, int length) {
        return plan(kind, length, false, false);
    }

    static byte[] content(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    static byte[] part(int from, int length) {
        return Arrays.copyOfRange(content(from + length), from, from + length);
    }

    // ---- segments ----

    static byte[] tagged(boolean last, int opcode, int stag, long to, byte[] payload) {
        return ByteBuffer.allocate(TAGGED + payload.length).put((byte) (last ? 0xc1 : 0x81)).put((byte) (0x40 | opcode)).putInt(stag)
            .putLong(to).put(payload).array();
    }

    static byte[] write(boolean last, int from, int length) {
        return tagged(last, WRITE, RKEY, REMOTE + from, part(from, length));
    }

    static byte[] readResponse(boolean last, int from, int length) {
        return tagged(last, READ_RESPONSE, SINK, SINK_TO + from, part(from, length));
    }

    static byte[] untagged(boolean last, int opcode, int key, int qn, int msn, int mo, byte[] payload) {
        return ByteBuffer.allocate(UNTAGGED + payload.length).put((byte) (last ? 0x41 : 0x01)).put((byte) (0x40 | opcode)).putInt(key)
            .putInt(qn).putInt(msn).putInt(mo).put(payload).array();
    }

    static byte[] send(int opcode, int key, int msn, int length) {
        return untagged(true, opcode, key, 0, msn, 0, content(length));
    }

    static byte[] send(int msn, int length) {
        return send(SEND, 0, msn, length);
    }

    static byte[] readRequest(int msn, int size, int key, long from) {
        return untagged(true, READ_REQUEST, 0, 1, msn, 0, ByteBuffer.allocate(28).putInt(SINK).putLong(SINK_TO).putInt(size).putInt(key)
            .putLong(from).array());
    }

    static byte[] read(int msn, int size) {
        return readRequest(msn, size, RKEY, REMOTE);
    }

    static byte[] atomic(int msn, int operation, int key, long at, long addOrSwap, long compare) {
        return untagged(true, ATOMIC_REQUEST, 0, 1, msn, 0, ByteBuffer.allocate(52).putInt(operation).putInt(msn).putInt(key).putLong(at)
            .putLong(addOrSwap).putLong(-1).putLong(compare).putLong(-1).array());
    }

    static byte[] fetchAdd(int msn, long add) {
        return atomic(msn, 0, RKEY, REMOTE, add, 0);
    }

    static byte[] atomicResponse(int msn, int id) {
        return untagged(true, ATOMIC_RESPONSE, 0, 3, msn, 0, ByteBuffer.allocate(12).putInt(id).putLong(99).array());
    }

    static byte[] immediate(int opcode, int msn, long data) {
        return untagged(true, opcode, 0, 0, msn, 0, ByteBuffer.allocate(8).putLong(data).array());
    }

    /** The data of a message: its immediate value, then four zero bytes. RFC 7306 §6.1 */
    static long immediateOf(Message message) {
        return (long) message.immediate() << 32;
    }

    static byte[] terminate(int msn, int code) {
        return untagged(true, TERMINATE, 0, 2, msn, 0, ByteBuffer.allocate(4).putShort((short) code).array());
    }

    static byte[] changed(byte[] segment, int at, int value) {
        byte[] other = segment.clone();
        other[at] = (byte) value;
        return other;
    }

    // ---- the stream ----

    final void begin() {
        StreamRules.Limits limits = new StreamRules.Limits(MAX_ULPDU, DEPTH);
        ours = new StreamRules("ours", limits, opening, waitsForPeer, plan);
        peers = new StreamRules("peers", limits, MpaOptions.Rtr.NONE, false, List.of());
        ours.peer(peers);
        peers.peer(ours);
        oursEnd = 0;
        peersEnd = 0;
    }

    final void sends(byte[] ulpdu) {
        oursEnd += ulpdu.length;
        ours.onUlpdu(ulpdu, oursEnd);
    }

    final void sendsAndArrives(byte[] ulpdu) {
        sends(ulpdu);
        ours.onTaken(ulpdu.length);
    }

    final void peerSends(byte[] ulpdu) {
        peersEnd += ulpdu.length;
        peers.onUlpdu(ulpdu, peersEnd);
    }

    final void accepts(byte[]... segments) {
        begin();
        Stream.of(segments).forEach(this::sends);
        assertNull(ours.complaint());
    }

    /** All segments but the last one keep the rules. */
    final void complains(String what, byte[]... segments) {
        begin();
        for (byte[] each : segments) {
            assertNull(ours.complaint());
            sends(each);
        }
        assertComplaint(ours, what);
    }

    static void assertComplaint(StreamRules rules, String what) {
        String complaint = String.valueOf(rules.complaint());
        assertTrue(complaint.contains(what), complaint);
    }
}
