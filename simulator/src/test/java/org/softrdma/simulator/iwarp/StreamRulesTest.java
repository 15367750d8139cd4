// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.siw.config.MpaOptions;

/** For each rule of headers, requests and messages a stream that keeps it, and one just past it. */
class StreamRulesTest extends StreamScript {
    // ---- headers ----

    @Test
    void shouldRequireTheVersionsAndZeroInReservedBits() {
        plan(Message.Kind.SEND, 8);
        accepts(send(1, 8));
        for (int first : new int[] {0x40, 0x42, 0x43, 0x45, 0x61}) {
            complains("control bytes " + first + " 67", changed(send(1, 8), 0, first));
        }
        for (int second : new int[] {0x03, 0x83, 0x53, 0x63}) {
            complains("control bytes 65 " + second, changed(send(1, 8), 1, second));
        }
    }

    @Test
    void shouldRequireTheKindOfHeaderThatTheOpcodeHas() {
        plan(Message.Kind.WRITE, 8);
        accepts(write(true, 0, 8));
        complains("opcode 0 is untagged", changed(write(true, 0, 8), 0, 0x41));
        plan.clear();
        plan(Message.Kind.SEND, 8);
        complains("opcode 3 is tagged", changed(send(1, 8), 0, 0xc1));
    }

    @Test
    void shouldRequireWholeHeaders() {
        plan(Message.Kind.WRITE, 0);
        accepts(write(true, 0, 0));
        complains("a ULPDU of 13 bytes", Arrays.copyOf(write(true, 0, 0), TAGGED - 1));
        plan.clear();
        plan(Message.Kind.EMPTY_SEND, 0);
        accepts(send(1, 0));
        complains("an untagged ULPDU of 17 bytes", Arrays.copyOf(send(1, 0), UNTAGGED - 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 13, 14, 15})
    void shouldRefuseReservedOpcodes(int opcode) {
        plan(Message.Kind.SEND, 8);
        complains("opcode " + opcode, changed(send(1, 8), 1, 0x40 | opcode));
    }

    @Test
    void shouldBoundSegments() {
        plan(Message.Kind.WRITE, FULL_TAGGED);
        accepts(write(true, 0, FULL_TAGGED));
        plan.clear();
        plan(Message.Kind.WRITE, FULL_TAGGED + 1);
        complains("a ULPDU of 87 bytes with at most 86", write(true, 0, FULL_TAGGED + 1));
    }

    @Test
    void shouldKeepTheFirstViolationAndThoseOfFrames() {
        begin();
        ours.onBadFrame("pad of 0x1 at 0");
        sends(send(1, 8));
        assertEquals("ours: pad of 0x1 at 0", ours.complaint());
        assertNull(peers.complaint());
        assertEquals(1, ours.segments());
    }

    // ---- the order of the plan ----

    @Test
    void shouldRequireThePlansMessagesInTheirOrder() {
        plan(Message.Kind.SEND, 8);
        plan(Message.Kind.WRITE, 4);
        accepts(send(1, 8), write(true, 0, 4));
        complains("a WRITE instead of SEND 0", write(true, 0, 4));
        complains("a SEND instead of WRITE 1", send(1, 8), send(2, 8));
        complains("a READ instead of SEND 0", read(1, 8));
        complains("instead of SEND 0", fetchAdd(1, 1));
        complains("a message behind the last one", send(1, 8), write(true, 0, 4), send(2, 8));
    }

    @Test
    void shouldRequireThatAMessageWasPosted() {
        Message message = plan(Message.Kind.SEND, 8);
        message.posted = false;
        complains("SEND 0 of 8 bytes was not posted yet", send(1, 8));
    }

    @Test
    void shouldRequireThatAFencedMessageWaitsForAllAnswers() {
        plan(Message.Kind.READ, 4);
        plan(Message.Kind.SEND, 8, true, false);
        begin();
        sendsAndArrives(read(1, 4));
        byte[] answer = readResponse(true, 0, 4);
        peerSends(answer);
        peers.onTaken(answer.length);
        sends(send(1, 8));
        assertNull(ours.complaint());

        begin();
        sendsAndArrives(read(1, 4));
        peerSends(answer);
        peers.onTaken(answer.length - 1);
        sends(send(1, 8));
        assertComplaint(ours, "SEND 1 of 8 bytes, fenced overtakes 1 answers");
    }

    @Test
    void shouldRequireThatTheOpeningMessageComesFirst() {
        opening = MpaOptions.Rtr.WRITE;
        plan(Message.Kind.SEND, 8);
        accepts(tagged(true, WRITE, 0, 0, new byte[0]), send(1, 8));
        complains("no opening message of kind WRITE", send(1, 8));
        complains("the opening WRITE has 1 bytes", tagged(true, WRITE, 0, 0, new byte[1]));
        complains("the opening WRITE has 0 bytes", tagged(false, WRITE, 0, 0, new byte[0]));

        opening = MpaOptions.Rtr.READ;
        accepts(readRequest(1, 0, 0, 0), send(1, 8));
        complains("no opening message of kind READ", send(1, 8));
        complains("the opening READ has 1 bytes", readRequest(1, 1, 0, 0));
        begin();
        sendsAndArrives(readRequest(1, 0, 0, 0));
        peerSends(readResponse(true, 0, 0));
        assertNull(peers.complaint());
    }

    /** RFC 5044 §7.1.2 */
    @Test
    void shouldRequireThatTheResponderWaitsForTheFirstSegment() {
        waitsForPeer = true;
        plan(Message.Kind.SEND, 8);
        byte[] first = terminate(1, 0x0100);
        begin();
        peers.allowTerminate(0x01);
        peerSends(first);
        peers.onTaken(first.length);
        sends(send(1, 8));
        assertNull(ours.complaint());

        begin();
        peerSends(first);
        peers.onTaken(first.length - 1);
        sends(send(1, 8));
        assertComplaint(ours, "the responder sends first");
        complains("the responder sends first", send(1, 8));
    }

    // ---- SEND ----

    @ParameterizedTest
    @CsvSource({"SEND, false, 3", "SEND, true, 5", "SEND_INV, false, 4", "SEND_INV, true, 6"})
    void shouldRequireTheOpcodeOfASend(Message.Kind kind, boolean solicited, int due) {
        plan(kind, 8, false, solicited);
        int key = kind == Message.Kind.SEND_INV ? RKEY : 0;
        for (int opcode : new int[] {SEND, SEND_INV, SEND_SE, SEND_SE_INV}) {
            if (opcode == due) {
                accepts(send(opcode, key, 1, 8));
            } else {
                complains("opcode " + opcode + " instead of " + due, send(opcode, key, 1, 8));
            }
        }
        complains("key to invalidate", send(due, key + 1, 1, 8));
    }

    @Test
    void shouldRequireQueueMsnAndOffsetOfASend() {
        plan(Message.Kind.SEND, 8);
        plan(Message.Kind.SEND, 8);
        accepts(send(1, 8), send(2, 8));
        complains("queue 0, MSN 0, MO 0 instead of 0, 1, 0", send(0, 8));
        complains("queue 0, MSN 1, MO 0 instead of 0, 2, 0", send(1, 8), send(1, 8));
        complains("queue 0, MSN 3, MO 0 instead of 0, 2, 0", send(1, 8), send(3, 8));
        complains("queue 1, MSN 1, MO 0 instead of 0, 1, 0", untagged(true, SEND, 0, 1, 1, 0, content(8)));
        complains("queue 0, MSN 1, MO 4 instead of 0, 1, 0", untagged(true, SEND, 0, 0, 1, 4, content(8)));
    }

    @Test
    void shouldRequireOffsetsWithoutGaps() {
        plan(Message.Kind.SEND, FULL_UNTAGGED + 4);
        byte[] first = untagged(false, SEND, 0, 0, 1, 0, content(FULL_UNTAGGED));
        accepts(first, untagged(true, SEND, 0, 0, 1, FULL_UNTAGGED, part(FULL_UNTAGGED, 4)));
        complains("MO 0 instead of 0, 1, 68", first, untagged(true, SEND, 0, 0, 1, 0, part(FULL_UNTAGGED, 4)));
        complains("MSN 2, MO 68 instead of 0, 1, 68", first, untagged(true, SEND, 0, 0, 2, FULL_UNTAGGED, part(FULL_UNTAGGED, 4)));
    }

    // ---- payload ----

    @Test
    void shouldRequireEveryByteOnceAndTheEndWhereItIs() {
        plan(Message.Kind.SEND, 8);
        complains("SEND 0 of 8 bytes: 9 bytes", send(1, 9));
        complains("SEND 0 of 8 bytes: wrong byte at 0", changed(send(1, 8), UNTAGGED, 0));
        complains("SEND 0 of 8 bytes: wrong byte at 7", changed(send(1, 8), UNTAGGED + 7, 0));
        complains("SEND 0 of 8 bytes ends after 7 bytes", send(1, 7));
        complains("SEND 0 of 8 bytes goes on after 8 bytes", untagged(false, SEND, 0, 0, 1, 0, content(8)));
    }

    @Test
    void shouldRequireThatAllSegmentsButTheLastAreFullAndNeedNoPad() {
        plan(Message.Kind.SEND, FULL_UNTAGGED + 4);
        accepts(untagged(false, SEND, 0, 0, 1, 0, content(FULL_UNTAGGED)));
        complains("a segment of 82 bytes, not the last one", untagged(false, SEND, 0, 0, 1, 0, content(FULL_UNTAGGED - 4)));
        complains("a segment of 85 bytes, not the last one", untagged(false, SEND, 0, 0, 1, 0, content(FULL_UNTAGGED - 1)));
    }

    @Test
    void shouldLetNothingInterruptAMessage() {
        plan(Message.Kind.SEND, FULL_UNTAGGED + 4);
        byte[] first = untagged(false, SEND, 0, 0, 1, 0, content(FULL_UNTAGGED));
        begin();
        sends(first);
        assertTrue(ours.isMidMessage());
        sends(untagged(true, SEND, 0, 0, 1, FULL_UNTAGGED, part(FULL_UNTAGGED, 4)));
        assertFalse(ours.isMidMessage());
        complains("opcode 1 within a message", first, read(1, 8));
        complains("opcode 2 within a message", first, readResponse(true, 0, 4));
        complains("opcode 8 within a message", first, immediate(IMMEDIATE, 1, 0));
        complains("opcode 10 within a message", first, fetchAdd(1, 1));
        complains("opcode 11 within a message", first, atomicResponse(1, 1));
    }

    // ---- WRITE ----

    @Test
    void shouldRequireKeyAndOffsetOfAWrite() {
        plan(Message.Kind.WRITE, FULL_TAGGED + 4);
        byte[] first = write(false, 0, FULL_TAGGED);
        accepts(first, write(true, FULL_TAGGED, 4));
        complains("key or offset", tagged(false, WRITE, RKEY + 1, REMOTE, content(FULL_TAGGED)));
        complains("key or offset", tagged(false, WRITE, RKEY, REMOTE + 1, content(FULL_TAGGED)));
        complains("key or offset", first, tagged(true, WRITE, RKEY, REMOTE, part(FULL_TAGGED, 4)));
    }

    @Test
    void shouldRequireImmediateDataDirectlyBehindItsWrite() {
        Message message = plan(Message.Kind.WRITE_IMM, 8);
        plan(Message.Kind.SEND, 8);
        byte[] write = write(true, 0, 8);
        byte[] data = immediate(IMMEDIATE, 1, immediateOf(message));
        accepts(write, data, send(2, 8));
        complains("opcode 3 before the immediate data", write, send(1, 8));
        complains("opcode 0 before the immediate data", write, write(true, 8, 8));
        complains("immediate data in WRITE_IMM 0", data);
        complains("immediate data in SEND 1", write, data, immediate(IMMEDIATE, 2, immediateOf(message)));
    }

    @Test
    void shouldRequireTheFormOfImmediateData() {
        Message message = plan(Message.Kind.WRITE_IMM, 0);
        byte[] write = write(true, 0, 0);
        long due = immediateOf(message);
        accepts(write, immediate(IMMEDIATE, 1, due));
        complains("opcode 9", write, immediate(IMMEDIATE_SE, 1, due));
        complains("MSN 2, MO 0 instead of 0, 1, 0", write, immediate(IMMEDIATE, 2, due));
        complains(": immediate data", write, immediate(IMMEDIATE, 1, due + (1L << 32)));
        complains(": immediate data", write, immediate(IMMEDIATE, 1, due + 1));
        complains(": immediate data", write, changed(immediate(IMMEDIATE, 1, due), 0, 0x01));
        complains(": immediate data", write, Arrays.copyOf(immediate(IMMEDIATE, 1, due), UNTAGGED + 4));
        plan.clear();
        Message solicited = plan(Message.Kind.WRITE_IMM, 0, false, true);
        accepts(write, immediate(IMMEDIATE_SE, 1, immediateOf(solicited)));
        complains("opcode 8", write, immediate(IMMEDIATE, 1, immediateOf(solicited)));
    }

    // ---- requests ----

    @Test
    void shouldRequireTheFormOfAReadRequest() {
        plan(Message.Kind.READ, 100);
        accepts(read(1, 100));
        complains("size, key or offset", read(1, 99));
        complains("size, key or offset", readRequest(1, 100, RKEY + 1, REMOTE));
        complains("size, key or offset", readRequest(1, 100, RKEY, REMOTE + 1));
        complains("queue 1, MSN 2, MO 0 instead of 1, 1, 0", read(2, 100));
        complains("a READ request of 46 bytes", changed(read(1, 100), 0, 0x01));
        complains("a READ request of 45 bytes", Arrays.copyOf(read(1, 100), 45));
    }

    @Test
    void shouldRequireTheFormOfAnAtomicRequest() {
        Message add = plan(Message.Kind.FETCH_ADD, 8);
        add.compareAdd = 7;
        accepts(fetchAdd(1, 7));
        String wrong = "operation, key, offset or operands";
        complains(wrong, atomic(1, 2, RKEY, REMOTE, 7, 0));
        complains(wrong, atomic(1, 0, RKEY + 1, REMOTE, 7, 0));
        complains(wrong, atomic(1, 0, RKEY, REMOTE + 8, 7, 0));
        complains(wrong, fetchAdd(1, 8));
        complains("queue 1, MSN 2, MO 0 instead of 1, 1, 0", fetchAdd(2, 7));
        complains("an atomic of 69 bytes", Arrays.copyOf(fetchAdd(1, 7), 69));
        complains("an atomic of 70 bytes", changed(fetchAdd(1, 7), 0, 0x01));
        plan.clear();
        Message swap = plan(Message.Kind.SWAP, 8);
        swap.compareAdd = 5;
        swap.swap = 6;
        accepts(atomic(1, 2, RKEY, REMOTE, 6, 5));
        complains(wrong, atomic(1, 0, RKEY, REMOTE, 6, 5));
        complains(wrong, atomic(1, 2, RKEY, REMOTE, 7, 5));
        complains(wrong, atomic(1, 2, RKEY, REMOTE, 6, 4));
    }

    @Test
    void shouldCountReadsAndAtomicsInOneQueue() {
        plan(Message.Kind.READ, 4);
        plan(Message.Kind.FETCH_ADD, 8).compareAdd = 7;
        plan(Message.Kind.SEND, 8);
        accepts(read(1, 4), fetchAdd(2, 7), send(1, 8));
        complains("queue 1, MSN 1, MO 0 instead of 1, 2, 0", read(1, 4), fetchAdd(1, 7));
    }

    @Test
    void shouldBoundOutstandingRequests() {
        plan(Message.Kind.READ, 4);
        plan(Message.Kind.READ, 4);
        plan(Message.Kind.READ, 4);
        complains("more than 2 requests outstanding", read(1, 4), read(2, 4), read(3, 4));

        begin();
        sendsAndArrives(read(1, 4));
        sendsAndArrives(read(2, 4));
        byte[] answer = readResponse(true, 0, 4);
        peerSends(answer);
        peers.onTaken(answer.length);
        sends(read(3, 4));
        assertNull(ours.complaint());
        assertNull(peers.complaint());
    }

    // ---- Terminate ----

    @Test
    void shouldRequireAReasonForATerminateAndNothingBehindIt() {
        plan(Message.Kind.SEND, 8);
        begin();
        ours.allowTerminate(0x12);
        sends(terminate(1, 0x1203));
        assertNull(ours.complaint());
        sends(send(1, 8));
        assertComplaint(ours, "a segment behind the Terminate");

        begin();
        ours.allowTerminate(0x11);
        sends(terminate(1, 0x1203));
        assertComplaint(ours, "Terminate 0x1203 without a reason");
    }

    @Test
    void shouldRequireTheFormOfATerminate() {
        Consumer<byte[]> send = terminate -> {
            begin();
            ours.allowTerminate(0x12);
            sends(terminate);
        };
        send.accept(terminate(2, 0x1203));
        assertComplaint(ours, "queue 2, MSN 2, MO 0 instead of 2, 1, 0");
        send.accept(changed(terminate(1, 0x1203), 0, 0x01));
        assertComplaint(ours, "Terminate 0x1203 without a reason");
    }

    /** RFC 5040 §4.8 */
    @Test
    void shouldAllowATerminateWithinAMessage() {
        plan(Message.Kind.SEND, FULL_UNTAGGED + 4);
        begin();
        ours.allowTerminate(0x12);
        sends(untagged(false, SEND, 0, 0, 1, 0, content(FULL_UNTAGGED)));
        sends(terminate(1, 0x1203));
        assertNull(ours.complaint());
    }
}
