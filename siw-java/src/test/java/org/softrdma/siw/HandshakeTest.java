// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.StartupFrame;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** Set-up of a queue pair connection on a TCP connection, and its end, on virtual time. */
class HandshakeTest {
    private static MpaOptions options(boolean crc, boolean markers, MpaOptions.Rtr first, long pauseNs) {
        return MpaOptions.DEFAULT.withCrc(crc ? MpaOptions.Crc.ON : MpaOptions.Crc.OFF).withMarkers(markers).withRtr(first)
            .withPauseNs(pauseNs).withTimeoutNs(5_000_000_000L);
    }

    private static void accept(HandshakePair pair, int ird, int ord, String privateData) {
        pair.recorderB.onRequest = handshake -> assertTrue(handshake.accept(pair.b.qp, ird, ord, privateData.getBytes()));
    }

    /** Both ends send at the same time, with random options and random pieces of the stream. */
    @Property(tries = 300)
    void shouldConnectAndTalk(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        HandshakePair pair = new HandshakePair(seed, new SimulatedTcp.Profile(1 << 12, 1 + random.nextInt(40), 10_000, 0.01, 10_000_000));
        MpaOptions.Rtr first = MpaOptions.Rtr.values()[random.nextInt(3)];
        MpaOptions ofA = options(random.nextBoolean(), random.nextBoolean(), first, random.nextBoolean() ? 0 : 10_000_000);
        MpaOptions ofB = options(random.nextBoolean(), random.nextBoolean(), MpaOptions.Rtr.NONE, 0);
        MemoryRegion inA = pair.a.memory(600, SiwPair.ALL_REMOTE);
        MemoryRegion inB = pair.b.memory(600, SiwPair.ALL_REMOTE);
        pair.a.qp.postReceive(new ReceiveRequest().begin(1).element(inA, 0, 600));
        pair.b.qp.postReceive(new ReceiveRequest().begin(2).element(inB, 0, 600));
        pair.await(ofB);
        accept(pair, 3, 9, "welcome");
        pair.initiate(ofA, 4, 5, "hello");
        pair.run();
        assertEquals(List.of("agreed"), pair.recorderA.events);
        assertEquals(List.of("request", "agreed"), pair.recorderB.events);
        assertEquals("welcome", new String(pair.recorderA.agreement.privateData()));
        assertEquals("hello", new String(pair.recorderB.agreement.privateData()));
        assertEquals(3, pair.recorderA.agreement.ord());
        assertEquals(4, pair.recorderA.agreement.ird());
        assertEquals(4, pair.recorderB.agreement.ord());
        assertEquals(3, pair.recorderB.agreement.ird());
        assertEquals(ofA.wantsCrc() || ofB.wantsCrc(), pair.recorderA.agreement.parameters().crc());
        byte[] text = new byte[600];
        random.nextBytes(text);
        pair.b.qp.postSend(new SendRequest().send().element(pair.b.memory(text), 0, 600).signaled());
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.receiveStatuses());
        pair.a.qp.postSend(new SendRequest().send().element(pair.a.memory(text), 0, 600).signaled());
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.b.receiveStatuses());
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.receiveStatuses());
        assertArrayEquals(text, inA.memory().toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(text, inB.memory().toArray(ValueLayout.JAVA_BYTE));
        pair.a.qp.modify(new QpAttributes().state(QpState.ERR));
        pair.run();
        assertEquals(List.of("agreed", "disconnected"), pair.recorderA.events);
        assertEquals(List.of("request", "agreed", "disconnected"), pair.recorderB.events);
        assertEquals(QpState.ERR, pair.b.qp.state());
    }

    /** A peer that needs pauses may miss the initiator's first frame, but not the responder's. */
    @ParameterizedTest
    @CsvSource({"10000000, true, 3", "0, true, 0", "10000000, false, 0"})
    void shouldRemindAsInitiatorOnly(long pauseNs, boolean initiatorTalks, int reminders) {
        HandshakePair pair = new HandshakePair();
        MpaOptions options = options(true, false, MpaOptions.Rtr.NONE, pauseNs);
        pair.await(options);
        accept(pair, 1, 1, "");
        pair.initiate(options, 1, 1, "");
        pair.run();
        SiwPair.Side talker = initiatorTalks ? pair.a : pair.b;
        talker.qp.postSend(new SendRequest().write(0x2000, 7).signaled());
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), talker.sendStatuses());
        assertEquals(reminders, talker.counter("sent_reminders"));
    }

    /** Kernel siw fails the connection if a frame arrives together with the reply. The responder waits ten pauses. */
    @Test
    void shouldPauseBeforeItTalksFirst() {
        HandshakePair pair = new HandshakePair();
        MpaOptions options = options(true, false, MpaOptions.Rtr.NONE, 50_000_000);
        pair.a.qp.postReceive(new ReceiveRequest().begin(1));
        pair.await(options);
        accept(pair, 1, 1, "");
        pair.initiate(options, 1, 1, "");
        pair.simulation.runFor(10_000_000);
        assertEquals(List.of("agreed"), pair.recorderA.events);
        pair.b.qp.postSend(new SendRequest().send().signaled());
        pair.simulation.runFor(480_000_000);
        assertEquals(List.of(), pair.a.receiveStatuses());
        pair.simulation.runFor(20_000_000);
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.receiveStatuses());
    }

    /** RFC 6581 §4.3.1: on a peer-to-peer connection the initiator has promised to send first. */
    @Test
    void shouldWaitForWhatAPeerPromised() {
        HandshakePair pair = new HandshakePair();
        pair.a.qp.postReceive(new ReceiveRequest().begin(1));
        pair.await(options(true, false, MpaOptions.Rtr.NONE, 0));
        accept(pair, 1, 1, "");
        pair.initiate(options(true, false, MpaOptions.Rtr.WRITE, 900_000_000), 1, 1, "");
        pair.simulation.runFor(10_000_000);
        pair.b.qp.postSend(new SendRequest().send().signaled());
        pair.simulation.runFor(800_000_000);
        assertEquals(List.of(), pair.a.receiveStatuses());
        pair.simulation.runFor(200_000_000);
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.receiveStatuses());
    }

    @Test
    void shouldHearARefusal() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        pair.recorderB.onRequest = handshake -> handshake.reject("no room".getBytes());
        pair.initiate(MpaOptions.DEFAULT, 4, 4, "");
        pair.run();
        assertEquals(List.of("rejected"), pair.recorderA.events);
        assertEquals("no room", new String(pair.recorderA.refusal));
        assertEquals(List.of("request"), pair.recorderB.events);
        assertEquals(QpState.INIT, pair.a.qp.state(), "the queue pair can be connected again");
    }

    /** The time limit applies to the frames, not to the application's response. */
    @Test
    void shouldWaitForTheApplicationAsLongAsThePeerDoes() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        pair.initiate(MpaOptions.DEFAULT, 4, 4, "");
        pair.simulation.runFor(9_000_000_000L);
        assertEquals(List.of("request"), pair.recorderB.events);
        assertEquals(List.of(), pair.recorderA.events);
        pair.simulation.runFor(2_000_000_000L);
        assertEquals(List.of("timed out"), pair.recorderA.events);
        assertEquals(List.of("request", "failed"), pair.recorderB.events);
        assertFalse(pair.responder.accept(pair.b.qp, 1, 1, new byte[0]), "the peer has disconnected");
    }

    /** A queue pair that left INIT in the meantime is not changed by the reply. */
    @ParameterizedTest
    @EnumSource(names = {"RESET", "ERR"})
    void shouldNotConnectAQueuePairThatMovedOnMeanwhile(QpState to) {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        accept(pair, 1, 1, "");
        pair.initiate(MpaOptions.DEFAULT, 1, 1, "");
        pair.a.qp.modify(new QpAttributes().state(to));
        pair.run();
        assertEquals(List.of("failed"), pair.recorderA.events);
        assertEquals(to, pair.a.qp.state());
        assertFalse(pair.a.engine.hasStreams());
        assertEquals(List.of("request", "agreed", "disconnected"), pair.recorderB.events);
    }

    @Test
    void shouldNotConnectAQueuePairThatWasDestroyedMeanwhile() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        accept(pair, 1, 1, "");
        pair.initiate(MpaOptions.DEFAULT, 1, 1, "");
        pair.a.qp.close();
        pair.run();
        assertEquals(List.of("failed"), pair.recorderA.events);
        assertFalse(pair.a.engine.hasStreams());
    }

    /** No timer of the reply, the pause or a reminder may keep a closed connection in memory. */
    @Test
    void shouldKeepNothingOfThoseThatAreGone() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        accept(pair, 1, 1, "");
        pair.initiate(MpaOptions.DEFAULT.withPauseNs(900_000_000), 1, 1, "");
        pair.simulation.runFor(10_000_000);
        assertEquals(List.of("agreed"), pair.recorderA.events);
        assertNotEquals(Deadline.NEVER, pair.a.engine.deadlineNs());
        pair.tcp.breakAt(pair.clock.nowNs());
        pair.simulation.runFor(10_000_000);
        assertEquals(List.of("agreed", "disconnected"), pair.recorderA.events);
        assertEquals(Deadline.NEVER, pair.a.engine.deadlineNs());

        HandshakePair mute = new HandshakePair();
        mute.await(MpaOptions.DEFAULT);
        mute.tcp.left().abort();
        mute.simulation.runFor(10_000_000);
        assertEquals(List.of("failed"), mute.recorderB.events);
        assertEquals(Deadline.NEVER, mute.b.engine.deadlineNs());
    }

    @Test
    void shouldGiveUpAPeerThatSaysNothing() {
        HandshakePair pair = new HandshakePair();
        pair.await(options(true, false, MpaOptions.Rtr.NONE, 0));
        pair.simulation.runFor(4_000_000_000L);
        assertEquals(List.of(), pair.recorderB.events);
        pair.simulation.runFor(2_000_000_000L);
        assertEquals(List.of("timed out"), pair.recorderB.events);
    }

    @Test
    void shouldRefuseAPeerThatHoldsTooFewReads() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        // The reply ignores the request's limits: more READs than the initiator can hold.
        pair.recorderB.onRequest = handshake -> {
            StreamBuffer out = new StreamBuffer(64);
            StartupFrame.write(out, false, 0x10, 2, 1, 100, 0, new byte[0]);
            pair.tcp.right().send(out);
        };
        pair.initiate(MpaOptions.DEFAULT, 4, 4, "");
        pair.run();
        assertEquals(List.of("failed"), pair.recorderA.events);
        assertEquals(QpState.INIT, pair.a.qp.state());
    }

    @Test
    void shouldCloseOnGarbage() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        StreamBuffer out = new StreamBuffer(64);
        out.bytes().put(0, "GET / HTTP/1.1\r\n".getBytes());
        out.wrote(16);
        pair.tcp.left().send(out);
        pair.run();
        assertEquals(List.of("failed"), pair.recorderB.events);
        assertEquals(1, pair.b.counter("bad_startups"));
    }
}
