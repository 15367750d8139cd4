// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Table of the rules of the connection set-up that a peer can break (RFC 5044 §7.1, RFC 6581 §5 to §9), for both sides: the bytes that go
 * out, the event, the counter, and the state of the queue pair, which stays usable. Each violation has a twin within the rules, which
 * leads to a connection. Frames are received whole and byte by byte.
 */
class StartupViolationTest {
    private static final String REQUEST = "4d504120494420526571204672616d65";
    private static final String REPLY = "4d504120494420526570204672616d65";
    private static final MpaOptions PLAIN = MpaOptions.DEFAULT.withCrc(MpaOptions.Crc.OFF).withPauseNs(0);
    private static final MpaOptions STRICT = PLAIN.withCrc(MpaOptions.Crc.REQUIRED);
    private static final MpaOptions OLD = PLAIN.withRevision(1);
    private static final int READS = 4;

    private final HandshakePair pair = new HandshakePair();
    private final HandshakePair.Recorder recorder = new HandshakePair.Recorder();
    private final RawPeer.Stream peer = new RawPeer.Stream();
    private Handshake handshake;

    /**
     * A frame of the peer.
     *
     * @param outcome of the set-up: {@code taken}, {@code failed} or {@code failed late}, {@code refused}, {@code rejected}, or the code
     *     of a Terminate
     */
    private record Row(String name, MpaOptions options, String frame, String outcome) {
        @Override
        public String toString() {
            return name + ": " + outcome;
        }
    }

    private static Stream<Arguments> bothWays(List<Row> table) {
        return table.stream().flatMap(row -> Stream.of(Arguments.of(row, false), Arguments.of(row, true)));
    }

    private void bring(String hex, boolean bytewise) {
        byte[] bytes = RawPeer.bytes(hex);
        for (int i = 0; i < bytes.length; i += bytewise ? 1 : bytes.length) {
            peer.bring(bytewise ? new byte[] {bytes[i]} : bytes);
            pair.simulation.runFor(1_000);
        }
    }

    private String sent() {
        return HexFormat.of().formatHex(peer.sent.toByteArray());
    }

    private static String flipped(String key, int index) {
        byte[] bytes = RawPeer.bytes(key);
        bytes[index] ^= 0x20;
        return HexFormat.of().formatHex(bytes);
    }

    // ---- our side: responder ----

    static Stream<Arguments> requests() {
        List<Row> table = new ArrayList<>();
        String good = "10020004 00040004";
        table.add(new Row("as it should be", PLAIN, REQUEST + good, "taken"));
        for (int i = 0; i < 16; i++) {
            table.add(new Row("byte " + i + " of the key", PLAIN, flipped(REQUEST, i) + good, "failed"));
        }
        table.add(new Row("key of a reply", PLAIN, REPLY + good, "failed"));
        table.add(new Row("revision 0", PLAIN, REQUEST + "00000000", "failed"));
        table.add(new Row("revision 1", PLAIN, REQUEST + "00010000", "taken"));
        table.add(new Row("revision 3", PLAIN, REQUEST + "10030004 00040004", "failed"));
        table.add(new Row("revision 255", PLAIN, REQUEST + "10ff0004 00040004", "failed"));
        table.add(new Row("513 bytes of private data", PLAIN, REQUEST + "10020201" + "00".repeat(513), "failed"));
        table.add(new Row("512 bytes of private data", PLAIN, REQUEST + "10020200" + "00".repeat(512), "taken"));
        table.add(new Row("513 bytes of private data, revision 1", PLAIN, REQUEST + "00010201" + "00".repeat(513), "failed"));
        table.add(new Row("512 bytes of private data, revision 1", PLAIN, REQUEST + "00010200" + "00".repeat(512), "taken"));
        table.add(new Row("65,535 bytes of private data", PLAIN, REQUEST + "1002ffff" + "00".repeat(600), "failed"));
        for (int bytes = 0; bytes < 4; bytes++) {
            table.add(new Row("enhanced, " + bytes + " bytes of private data", PLAIN, REQUEST + "1002000" + bytes + "00".repeat(bytes),
                "failed"));
            table.add(new Row("revision 1 with S, which has no meaning there, " + bytes + " bytes", PLAIN,
                REQUEST + "1001000" + bytes + "00".repeat(bytes), "taken"));
            table.add(new Row("revision 2 without S, " + bytes + " bytes", PLAIN, REQUEST + "0002000" + bytes + "00".repeat(bytes),
                "taken"));
        }
        table.add(new Row("rejected flag", PLAIN, REQUEST + "30020004 00040004", "failed"));
        table.add(new Row("rejected flag, revision 1", PLAIN, REQUEST + "20010000", "failed"));
        table.add(new Row("reserved flags", PLAIN, REQUEST + "1f020004 00040004", "taken"));
        table.add(new Row("a byte behind the request", PLAIN, REQUEST + good + "00", "failed late"));
        table.add(new Row("a frame behind the request", PLAIN, REQUEST + good + "0012" + RawSegment.send(1, "") + "00000000",
            "failed late"));
        table.add(new Row("no CRC where it is required", STRICT, REQUEST + good, "refused"));
        table.add(new Row("CRC where it is required", STRICT, REQUEST + "50020004 00040004", "taken"));
        table.add(new Row("markers", PLAIN, REQUEST + "90020004 00040004", "taken"));
        table.add(new Row("IRD and ORD of 0", PLAIN, REQUEST + "10020004 00000000", "taken"));
        table.add(new Row("IRD and ORD that are not negotiated", PLAIN, REQUEST + "10020004 3fff3fff", "taken"));
        table.add(new Row("peer-to-peer without a kind of first message", PLAIN, REQUEST + "10020004 80040004", "taken"));
        table.add(new Row("kinds of first messages without peer-to-peer", PLAIN, REQUEST + "10020004 4004c004", "taken"));
        return bothWays(table);
    }

    private void await(MpaOptions options) {
        pair.b.engine.beginVerb(pair.clock.nowNs());
        recorder.onRequest = request -> handshake = request;
        Handshake.await(pair.b.engine, peer, options, recorder, () -> { });
    }

    private void accept() {
        pair.b.engine.beginVerb(pair.clock.nowNs());
        assertTrue(handshake.accept(pair.b.qp, READS, READS, new byte[0]));
        pair.simulation.runFor(1_000);
    }

    @ParameterizedTest(name = "{0}, bytewise {1}")
    @MethodSource("requests")
    void shouldJudgeARequest(Row row, boolean bytewise) {
        await(row.options);
        bring(row.frame, bytewise);
        switch (row.outcome) {
            case "taken" -> {
                assertEquals(List.of("request"), recorder.events);
                assertEquals("", sent(), "the application decides");
                accept();
                assertTrue(sent().startsWith(REPLY), sent());
                assertEquals(0, RawPeer.bytes(sent())[16] & 0x20, "accepted");
                assertEquals(List.of("request", "agreed"), recorder.events);
                assertEquals(QpState.RTS, pair.b.qp.state());
            }
            case "refused" -> {
                assertEquals(List.of("failed"), recorder.events);
                assertEquals(REPLY + "30020004" + "00040004", sent());
                assertTrue(peer.closed);
            }
            default -> {
                // A byte behind the request may arrive when the application has the request already.
                boolean late = row.outcome.equals("failed late") && bytewise;
                assertEquals(late ? List.of("request", "failed") : List.of("failed"), recorder.events);
                assertEquals("", sent());
                assertTrue(peer.aborted);
                assertEquals(Deadline.NEVER, pair.b.engine.deadlineNs(), "no timer runs");
            }
        }
        assertEquals(row.outcome.equals("taken") ? 0 : 1, pair.b.counter("bad_startups"));
        assertEquals(row.outcome.equals("taken") ? QpState.RTS : QpState.INIT, pair.b.qp.state());
    }

    // ---- our side: initiator ----

    static Stream<Arguments> replies() {
        List<Row> table = new ArrayList<>();
        String good = "10020004 00040004";
        table.add(new Row("as it should be", PLAIN, REPLY + good, "taken"));
        for (int i = 0; i < 16; i++) {
            table.add(new Row("byte " + i + " of the key", PLAIN, flipped(REPLY, i) + good, "2004"));
        }
        table.add(new Row("key of a request", PLAIN, REQUEST + good, "2004"));
        table.add(new Row("revision 0", PLAIN, REPLY + "00000000", "2004"));
        table.add(new Row("revision 1", PLAIN, REPLY + "00010000", "taken"));
        table.add(new Row("revision 3", PLAIN, REPLY + "10030004 00040004", "2004"));
        table.add(new Row("revision 130", PLAIN, REPLY + "10820004 00040004", "2004"));
        table.add(new Row("a higher revision than the request's", OLD, REPLY + "10020004 00040004", "2004"));
        table.add(new Row("the request's revision", OLD, REPLY + "00010000", "taken"));
        table.add(new Row("513 bytes of private data", PLAIN, REPLY + "10020201 00040004" + "00".repeat(509), "2004"));
        table.add(new Row("512 bytes of private data", PLAIN, REPLY + "10020200 00040004" + "00".repeat(508), "taken"));
        table.add(new Row("65,535 bytes of private data", PLAIN, REPLY + "1002ffff" + "00".repeat(600), "2004"));
        for (int bytes = 0; bytes < 4; bytes++) {
            table.add(new Row("enhanced, " + bytes + " bytes of private data", PLAIN, REPLY + "1002000" + bytes + "00".repeat(bytes),
                "2004"));
            table.add(new Row("enhanced rejection, " + bytes + " bytes of private data", PLAIN,
                REPLY + "3002000" + bytes + "00".repeat(bytes), bytes == 0 ? "rejected" : "2004"));
        }
        table.add(new Row("rejection", PLAIN, REPLY + "30020004 00040004", "rejected"));
        table.add(new Row("rejection, revision 1", PLAIN, REPLY + "20010000", "rejected"));
        table.add(new Row("reserved flags", PLAIN, REPLY + "1f020004 00040004", "taken"));
        table.add(new Row("no CRC where it is required", STRICT, REPLY + good, "2004"));
        table.add(new Row("CRC where it is required", STRICT, REPLY + "50020004 00040004", "taken"));
        table.add(new Row("CRC that was not requested", PLAIN, REPLY + "50020004 00040004", "taken"));
        table.add(new Row("markers", PLAIN, REPLY + "90020004 00040004", "taken"));
        // RFC 6581 §9: the responder must not have more requests outstanding than the initiator holds.
        table.add(new Row("ORD of one more than our IRD", PLAIN, REPLY + "10020004 00040005", "2006"));
        table.add(new Row("ORD of 16,382", PLAIN, REPLY + "10020004 00043ffe", "2006"));
        table.add(new Row("ORD that is not negotiated", PLAIN, REPLY + "10020004 00043fff", "taken"));
        table.add(new Row("IRD of 0", PLAIN, REPLY + "10020004 00000004", "taken"));
        for (MpaOptions.Rtr rtr : List.of(MpaOptions.Rtr.WRITE, MpaOptions.Rtr.READ)) {
            MpaOptions offers = PLAIN.withRtr(rtr);
            String offered = rtr == MpaOptions.Rtr.WRITE ? "8004" : "4004";
            String other = rtr == MpaOptions.Rtr.WRITE ? "4004" : "8004";
            table.add(new Row(rtr + " offered and chosen", offers, REPLY + "10020004 8004" + offered, "taken"));
            table.add(new Row(rtr + " offered, both chosen", offers, REPLY + "10020004 8004c004", "taken"));
            table.add(new Row(rtr + " offered, the other one chosen", offers, REPLY + "10020004 8004" + other, "2007"));
            table.add(new Row(rtr + " offered, a SEND chosen", offers, REPLY + "10020004 c0040004", "2007"));
            table.add(new Row(rtr + " offered, none chosen", offers, REPLY + "10020004 80040004", "2007"));
            table.add(new Row(rtr + " offered, client and server preferred", offers, REPLY + "10020004 00040004", "taken"));
        }
        table.add(new Row("peer-to-peer that was not offered", PLAIN, REPLY + "10020004 80048004", "taken"));
        return bothWays(table);
    }

    private void initiate(MpaOptions options) {
        pair.a.engine.beginVerb(pair.clock.nowNs());
        Handshake.initiate(pair.a.engine, peer, options, recorder, () -> { }, pair.a.qp, READS, READS, new byte[0]);
        pair.simulation.runFor(1_000);
        assertTrue(sent().startsWith(REQUEST));
        peer.sent.reset();
    }

    @ParameterizedTest(name = "{0}, bytewise {1}")
    @MethodSource("replies")
    void shouldJudgeAReply(Row row, boolean bytewise) {
        initiate(row.options);
        bring(row.frame, bytewise);
        boolean taken = row.outcome.equals("taken");
        boolean broken = !taken && !row.outcome.equals("rejected");
        assertEquals(List.of(taken ? "agreed" : broken ? "failed" : "rejected"), recorder.events);
        assertEquals(taken ? QpState.RTS : QpState.INIT, pair.a.qp.state());
        assertEquals(!taken, peer.closed);
        assertFalse(peer.aborted);
        if (broken) {
            byte[] terminate = RawPeer.frame(RawPeer.bytes(RawSegment.terminate(Integer.parseInt(row.outcome, 16))), true);
            assertEquals(HexFormat.of().formatHex(terminate), sent());
        } else if (!taken) {
            assertEquals("", sent());
        }
        assertEquals(broken ? 1 : 0, pair.a.counter("bad_startups"));
    }

    /** The limits that were agreed on: READs of ours by the reply's IRD, READs of the peer by its ORD. */
    @Test
    void shouldHaveNoMoreReadsThanTheReplyAllows() {
        initiate(PLAIN);
        bring(REPLY + "10020004 00020001", false);
        assertEquals(2, pair.a.qp.query().maxRdAtomic());
        assertEquals(1, pair.a.qp.query().maxDestRdAtomic());
    }

    // ---- first messages of a peer-to-peer connection ----

    /** Kinds of first frames. RFC 6581 §9.2 lets the responder choose one; like kernel siw, any frame is taken as the promised one. */
    private enum First {
        WRITE(RawSegment.write(0, 0, "")), READ(RawSegment.read(1).from(0, 0, 0)), SEND(RawSegment.send(1, ""));

        private final String segment;

        First(String segment) {
            this.segment = segment;
        }
    }

    private MemoryRegion acceptPeerToPeer() {
        await(PLAIN);
        bring(REQUEST + "10020004 80048004", false);
        MemoryRegion memory = pair.b.memory("hello".getBytes());
        pair.b.qp.postReceive(new ReceiveRequest().begin(1).element(memory, 0, 5));
        accept();
        assertEquals(REPLY + "10020004" + "80048004", sent());
        peer.sent.reset();
        pair.b.qp.postSend(new SendRequest().send().element(memory, 0, 5).signaled());
        pair.simulation.runFor(60 * SiwPair.SECOND);
        assertEquals("", sent(), "nothing is sent before the first frame");
        assertEquals(List.of(), pair.b.sendStatuses());
        return memory;
    }

    private static String frame(String segment) {
        return HexFormat.of().formatHex(RawPeer.frame(RawPeer.bytes(segment), false));
    }

    @ParameterizedTest
    @EnumSource
    void shouldSendAfterAnyFirstMessage(First first) {
        acceptPeerToPeer();
        bring(frame(first.segment), true);
        String response = first == First.READ ? frame(RawSegment.readResponse(0, 0, "")) : "";
        assertEquals(response + frame(RawSegment.send(1, "68656c6c6f")), sent());
        assertEquals(List.of(WcStatus.SUCCESS), pair.b.sendStatuses());
        assertEquals(first == First.SEND ? List.of(WcStatus.SUCCESS) : List.of(), pair.b.receiveStatuses());
        assertEquals(QpState.RTS, pair.b.qp.state());
    }

    @Test
    void shouldRefuseAFirstMessageThatBreaksTheRules() {
        acceptPeerToPeer();
        String bad = RawSegment.send(2, "");
        bring(frame(bad), true);
        assertEquals(frame(RawSegment.terminate(0x1203, bad)), sent());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), pair.b.sendStatuses());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), pair.b.receiveStatuses());
        assertEquals(QpState.ERR, pair.b.qp.state());
        assertTrue(peer.closed);
    }

    @Test
    void shouldSendNothingWithoutTheFirstMessage() {
        acceptPeerToPeer();
        peer.end();
        pair.simulation.runFor(1_000);
        assertEquals("", sent());
        assertEquals(List.of("request", "agreed", "disconnected"), recorder.events);
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), pair.b.sendStatuses());
        assertEquals(QpState.ERR, pair.b.qp.state());
    }

    /** The queue pair of a failed set-up is connected by the next one. */
    @Test
    void shouldConnectAfterAViolation() {
        initiate(PLAIN);
        bring(REPLY + "10030004 00040004", false);
        assertEquals(QpState.INIT, pair.a.qp.state());
        pair.a.qp.modify(new QpAttributes().state(QpState.INIT));
        pair.await(PLAIN);
        pair.recorderB.onRequest = request -> request.accept(pair.b.qp, READS, READS, new byte[0]);
        pair.initiate(PLAIN, READS, READS, "");
        pair.run();
        assertEquals(List.of("agreed"), pair.recorderA.events);
        assertEquals(QpState.RTS, pair.a.qp.state());
    }
}
