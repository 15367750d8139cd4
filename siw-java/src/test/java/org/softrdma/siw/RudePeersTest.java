// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.engine.Guard;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Peers that violate the connection set-up, or are extremely slow in it. Some of these cases block all connections of kernel siw 6.1, or
 * stop it for good. Here the response to each is checked byte by byte, while another connection of the same two devices carries traffic.
 */
class RudePeersTest {
    private static final String REQUEST = "4d504120494420526571204672616d65";
    private static final String REPLY = "4d504120494420526570204672616d65";
    private static final MpaOptions OPTIONS = MpaOptions.DEFAULT.withCrc(MpaOptions.Crc.OFF).withTimeoutNs(5 * SiwPair.SECOND);

    private final HandshakePair pair = new HandshakePair();
    private final RawPeer.Stream rude = new RawPeer.Stream();
    private final HandshakePair.Recorder recorder = new HandshakePair.Recorder();
    private MemoryRegion source;
    private MemoryRegion sink;
    private int messages;

    @BeforeEach
    void connectTwoThatBehave() {
        pair.await(OPTIONS);
        pair.recorderB.onRequest = handshake -> handshake.accept(pair.b.qp, 1, 1, new byte[0]);
        pair.initiate(OPTIONS, 1, 1, "");
        source = pair.a.memory("all is well".getBytes());
        sink = pair.b.memory(64, SiwPair.ALL_REMOTE);
        pair.run();
        talk();
    }

    /** Sends a message on the other connection and checks that it arrives. */
    private void talk() {
        pair.b.qp.postReceive(new ReceiveRequest().begin(messages).element(sink, 0, 64));
        pair.a.qp.postSend(new SendRequest().send().element(source, 0, 11).signaled());
        pair.simulation.runFor(10_000_000);
        messages++;
        assertEquals(Collections.nCopies(messages, WcStatus.SUCCESS), pair.b.receiveStatuses());
        assertEquals(Collections.nCopies(messages, WcStatus.SUCCESS), pair.a.sendStatuses());
    }

    /** Sends one byte at a time, with a message on the other connection after every eighth byte. */
    private void dribble(String hex) {
        byte[] bytes = RawPeer.bytes(hex);
        for (int i = 0; i < bytes.length && !rude.aborted && !rude.closed; i++) {
            rude.bring(new byte[] {bytes[i]});
            pair.simulation.runFor(1_000_000);
            if (i % 8 == 7) {
                talk();
            }
        }
        talk();
    }

    private void awaitOnB() {
        pair.b.engine.beginVerb(pair.clock.nowNs());
        Handshake.await(pair.b.engine, rude, OPTIONS, recorder, () -> { });
    }

    private SiwQueuePair initiateOnA() {
        SiwQueuePair qp = pair.a.newQp(pair.a.pd, new SiwPair.Setup());
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1));
        pair.a.engine.beginVerb(pair.clock.nowNs());
        Handshake.initiate(pair.a.engine, rude, OPTIONS, recorder, () -> { }, qp, 4, 4, new byte[0]);
        pair.simulation.runFor(1_000);
        rude.sent.reset();
        return qp;
    }

    /** Columns: header, number of bytes of private data, expected event. */
    @ParameterizedTest
    @CsvSource({"10020101, 257, request", "10020200, 512, request", "10020201, 513, failed", "1002ffff, 600, failed", "10020000, 0, failed",
        "10020001, 1, failed", "10020003, 3, failed", "10030004, 4, failed", "30020004, 4, failed"})
    void shouldJudgeAnOddRequestWhileOthersGoOn(String header, int privateBytes, String events) {
        awaitOnB();
        dribble(REQUEST + header + "00".repeat(privateBytes));
        assertEquals(List.of(events), recorder.events);
        assertEquals(events.equals("failed"), rude.aborted);
        assertEquals(events.equals("failed") ? 1 : 0, pair.b.counter("bad_startups"));
        assertEquals(0, rude.sent.size());
    }

    /** Kernel siw waits for the rest, which blocks all its connections. */
    @Test
    void shouldGiveUpARequestThatDoesNotGoOn() {
        awaitOnB();
        dribble(REQUEST.substring(0, 24));
        assertEquals(List.of(), recorder.events);
        pair.simulation.runFor(5 * SiwPair.SECOND);
        talk();
        assertEquals(List.of("timed out"), recorder.events);
        assertTrue(rude.aborted);
        assertEquals(1, pair.b.counter("slow_startups"));
    }

    @Test
    void shouldForgetAPeerThatLeavesInTheMiddle() {
        awaitOnB();
        dribble(REQUEST.substring(0, 24));
        rude.end();
        talk();
        assertEquals(List.of("failed"), recorder.events);
        assertTrue(rude.aborted);
        assertEquals(1, pair.b.counter("abandoned_startups"));
    }

    /** Expects a Terminate with LLP, MPA, invalid reply. The first three cases stop kernel siw for good. */
    @ParameterizedTest
    @CsvSource({"10020000, 0", "10020001, 1", "10020003, 3", "10020201, 513", "10030004, 4"})
    void shouldJudgeAnOddReplyWhileOthersGoOn(String header, int privateBytes) {
        SiwQueuePair qp = initiateOnA();
        dribble(REPLY + header + "00".repeat(privateBytes));
        assertEquals(List.of("failed"), recorder.events);
        assertEquals(QpState.INIT, qp.state());
        assertEquals(1, pair.a.counter("bad_startups"));
        assertTrue(rude.closed);
        String said = HexFormat.of().formatHex(rude.sent.toByteArray());
        assertTrue(said.startsWith("0016" + "4147" + "00000000" + "00000002" + "00000001" + "00000000" + "2004"), said);
    }

    /** More private data than Linux accepts is valid. */
    @Test
    void shouldTakeALongReplyWhileOthersGoOn() {
        SiwQueuePair qp = initiateOnA();
        dribble(REPLY + "10020101" + "00040004" + "55".repeat(253));
        assertEquals(List.of("agreed"), recorder.events);
        assertEquals(253, recorder.agreement.privateData().length);
        assertEquals(QpState.RTS, qp.state());
    }

    /** Kernel siw fails the connection if a frame arrives together with the reply. */
    @Test
    void shouldTakeAFrameThatComesWithTheReply() {
        SiwQueuePair qp = initiateOnA();
        MemoryRegion in = pair.a.memory(64, SiwPair.ALL_REMOTE);
        qp.postReceive(new ReceiveRequest().begin(7).element(in, 0, 64));
        rude.bring(RawPeer.bytes(REPLY + "10020004" + "00040004" + "0017" + RawSegment.send(1, "68656c6c6f") + "000000" + "00000000"));
        pair.simulation.runFor(1_000);
        assertEquals(List.of("agreed"), recorder.events);
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.receiveStatuses());
        assertEquals("hello", new String(in.memory().asSlice(0, 5).toArray(ValueLayout.JAVA_BYTE)));
        talk();
    }

    /** A frame directly after the request, before the reply, is not allowed. RFC 5044 §7.1.2 */
    @Test
    void shouldNotTakeAFrameThatComesWithTheRequest() {
        awaitOnB();
        rude.bring(RawPeer.bytes(REQUEST + "10020004" + "00040004" + "0012" + RawSegment.send(1, "") + "00000000"));
        pair.simulation.runFor(1_000);
        assertTrue(recorder.events.contains("failed"), recorder.events.toString());
        assertTrue(rude.aborted);
        talk();
    }

    // ---- internal errors ----

    private static void fault() {
        throw new IllegalStateException("deliberate fault of a test");
    }

    /** Runs an action without logging the errors that it causes on purpose. */
    private static void quietly(Runnable action) {
        Logger guard = Logger.getLogger(Guard.class.getName());
        guard.setLevel(Level.OFF);
        try {
            action.run();
        } finally {
            guard.setLevel(null);
        }
    }

    /** An internal error ends only the connection in which it occurs. */
    @Test
    void shouldStopASetUpThatFailsAndNothingElse() {
        recorder.onRequest = handshake -> fault();
        awaitOnB();
        quietly(() -> dribble(REQUEST + "10020004" + "00040004"));
        assertEquals(List.of("request", "failed"), recorder.events);
        assertTrue(rude.aborted);
        assertEquals(1, pair.b.counter("internal_errors"));
    }

    @Test
    void shouldSurviveATimerThatFails() {
        recorder.onFailed = RudePeersTest::fault;
        awaitOnB();
        quietly(() -> pair.simulation.runFor(6 * SiwPair.SECOND));
        talk();
        assertEquals(List.of("timed out", "failed"), recorder.events);
        assertTrue(rude.aborted);
        assertEquals(2, pair.b.counter("internal_errors"));
        assertEquals(Deadline.NEVER, pair.b.engine.deadlineNs());
    }

    /** A refused peer that does not close its side is dropped after the time limit; a peer that closes it is dropped at once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLetGoOfTheRefused(boolean leaves) {
        recorder.onRequest = handshake -> handshake.reject(new byte[0]);
        awaitOnB();
        dribble(REQUEST + "10020004" + "00040004");
        assertTrue(rude.closed);
        assertFalse(rude.aborted);
        rude.bring(new byte[100]);
        if (leaves) {
            rude.end();
            pair.simulation.runFor(1_000);
        } else {
            pair.simulation.runFor(SiwConnection.LINGER_NS + 1);
        }
        assertTrue(rude.aborted);
        assertEquals(List.of("request"), recorder.events);
        assertEquals(Deadline.NEVER, pair.b.engine.deadlineNs());
    }
}
