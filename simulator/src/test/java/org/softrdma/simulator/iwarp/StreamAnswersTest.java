// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** For each rule of answers a stream that keeps it, and one just past it. */
class StreamAnswersTest extends StreamScript {
    /** Has the peer answer a READ of the given size that has arrived. */
    private void peerComplains(String what, int size, byte[]... answers) {
        answer(size, answers);
        assertComplaint(peers, what);
    }

    private void answer(int size, byte[]... answers) {
        plan.clear();
        plan(Message.Kind.READ, size);
        begin();
        sendsAndArrives(read(1, size));
        Stream.of(answers).forEach(this::peerSends);
    }

    @Test
    void shouldRequireTheBytesOfTheSourceAtTheSinkOfTheRequest() {
        answer(8, readResponse(true, 0, 8));
        assertNull(peers.complaint());
        peerComplains("key or offset of the sink", 8, tagged(true, READ_RESPONSE, SINK + 1, SINK_TO, content(8)));
        peerComplains("key or offset of the sink", 8, tagged(true, READ_RESPONSE, SINK, SINK_TO + 1, content(8)));
        peerComplains("wrong byte at 0 of 8", 8, changed(readResponse(true, 0, 8), TAGGED, 0));
        peerComplains("wrong byte at 7 of 8", 8, changed(readResponse(true, 0, 8), TAGGED + 7, 0));
        peerComplains("READ response of more than 8 bytes", 8, readResponse(true, 0, 9));
        peerComplains("ends after 7", 8, readResponse(true, 0, 7));
        peerComplains("goes on at 8", 8, readResponse(false, 0, 8));
        peerComplains("a READ response that is not due", 8, readResponse(true, 0, 8), readResponse(true, 0, 8));
    }

    @Test
    void shouldRequireFullSegmentsOfAReadResponseInTheirOrder() {
        int size = FULL_TAGGED + 4;
        answer(size, readResponse(false, 0, FULL_TAGGED), readResponse(true, FULL_TAGGED, 4));
        assertNull(peers.complaint());
        assertFalse(peers.isMidAnswer());
        answer(size, readResponse(false, 0, FULL_TAGGED));
        assertTrue(peers.isMidAnswer());
        peerComplains("a segment of 82 bytes, not the last one", size, readResponse(false, 0, FULL_TAGGED - 4));
        peerComplains("key or offset of the sink", size, readResponse(false, 0, FULL_TAGGED),
            tagged(true, READ_RESPONSE, SINK, SINK_TO, part(FULL_TAGGED, 4)));
        peerComplains("opcode 3 within a READ response", size, readResponse(false, 0, FULL_TAGGED), send(1, 8));
        peerComplains("opcode 11 within a READ response", size, readResponse(false, 0, FULL_TAGGED), atomicResponse(1, 1));
    }

    @Test
    void shouldRequireThatARequestHasArrivedBeforeItsAnswer() {
        plan(Message.Kind.READ, 8);
        begin();
        byte[] request = read(1, 8);
        sends(request);
        ours.onTaken(request.length - 1);
        peerSends(readResponse(true, 0, 8));
        assertComplaint(peers, "a READ response before its request has arrived");

        plan.clear();
        plan(Message.Kind.FETCH_ADD, 8).compareAdd = 7;
        begin();
        sends(fetchAdd(1, 7));
        assertFalse(peers.owesAtomic());
        peerSends(atomicResponse(1, 1));
        assertComplaint(peers, "an atomic response before its request has arrived");
    }

    @Test
    void shouldRequireAnswersInTheOrderOfTheRequests() {
        plan(Message.Kind.READ, 8);
        plan(Message.Kind.FETCH_ADD, 8).compareAdd = 7;
        begin();
        sendsAndArrives(read(1, 8));
        sendsAndArrives(fetchAdd(2, 7));
        assertTrue(peers.owesAtomic());
        peerSends(readResponse(true, 0, 8));
        peerSends(atomicResponse(1, 2));
        assertNull(peers.complaint());
        assertFalse(peers.owesAtomic());

        begin();
        sendsAndArrives(read(1, 8));
        sendsAndArrives(fetchAdd(2, 7));
        peerSends(atomicResponse(1, 2));
        assertComplaint(peers, "an atomic response that is not due");
    }

    @Test
    void shouldRequireTheFormOfAnAtomicResponse() {
        Consumer<byte[]> answer = response -> {
            begin();
            sendsAndArrives(fetchAdd(1, 7));
            peerSends(response);
        };
        plan(Message.Kind.FETCH_ADD, 8).compareAdd = 7;
        answer.accept(atomicResponse(1, 1));
        assertNull(peers.complaint());
        answer.accept(atomicResponse(1, 2));
        assertComplaint(peers, "atomic response: id 2 instead of 1");
        answer.accept(atomicResponse(2, 1));
        assertComplaint(peers, "queue 3, MSN 2, MO 0 instead of 3, 1, 0");
        answer.accept(Arrays.copyOf(atomicResponse(1, 1), 29));
        assertComplaint(peers, "length of an atomic response");
        answer.accept(changed(atomicResponse(1, 1), 0, 0x01));
        assertComplaint(peers, "length of an atomic response");
    }

    /** RFC 5040 §4.8 */
    @Test
    void shouldAllowATerminateWithinAReadResponse() {
        answer(FULL_TAGGED + 4, readResponse(false, 0, FULL_TAGGED));
        peers.allowTerminate(0x12);
        peerSends(terminate(1, 0x1203));
        assertNull(peers.complaint());
    }
}
