// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** From a TCP connection to a connection of queue pairs, and back, on virtual time. */
class HandshakeTest {
    private static MpaOptions options(boolean crc, boolean markers, SiwMachine.FirstMessage first, long pauseNs) {
        return new MpaOptions(2, crc, markers, first, pauseNs, MpaOptions.FIT_SEGMENT, 5_000_000_000L);
    }

    private static void accept(HandshakePair pair, int ird, int ord, String privateData) {
        pair.earB.onRequest = handshake -> assertTrue(handshake.accept(pair.b.qp, ird, ord, privateData.getBytes()));
    }

    /** Both send at once, whatever the options, and however the stream comes in pieces. */
    @Property(tries = 300)
    void shouldConnectAndTalk(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        HandshakePair pair = new HandshakePair(seed, new SimulatedTcp.Profile(1 << 12, 1 + random.nextInt(40), 10_000, 0.01, 10_000_000));
        SiwMachine.FirstMessage first = SiwMachine.FirstMessage.values()[random.nextInt(3)];
        MpaOptions ofA = options(random.nextBoolean(), random.nextBoolean(), first, random.nextBoolean() ? 0 : 10_000_000);
        MpaOptions ofB = options(random.nextBoolean(), random.nextBoolean(), SiwMachine.FirstMessage.NONE, 0);
        MemoryRegion inA = pair.a.memory(600, SiwPair.ALL_REMOTE);
        MemoryRegion inB = pair.b.memory(600, SiwPair.ALL_REMOTE);
        pair.a.qp.postReceive(new ReceiveRequest().begin(1).element(inA, 0, 600));
        pair.b.qp.postReceive(new ReceiveRequest().begin(2).element(inB, 0, 600));
        pair.await(ofB);
        accept(pair, 3, 9, "welcome");
        pair.initiate(ofA, 4, 5, "hello");
        pair.run();
        assertEquals(List.of("agreed"), pair.earA.heard);
        assertEquals(List.of("request", "agreed"), pair.earB.heard);
        assertEquals("welcome", new String(pair.earA.agreement.privateData()));
        assertEquals("hello", new String(pair.earB.agreement.privateData()));
        assertEquals(3, pair.earA.agreement.ord());
        assertEquals(4, pair.earA.agreement.ird());
        assertEquals(4, pair.earB.agreement.ord());
        assertEquals(3, pair.earB.agreement.ird());
        assertEquals(ofA.crc() || ofB.crc(), pair.earA.agreement.parameters().crc());
        byte[] text = new byte[600];
        random.nextBytes(text);
        pair.b.qp.postSend(new SendRequest().send().element(pair.b.memory(text), 0, 600).signaled());
        pair.run();
        boolean peer = first != SiwMachine.FirstMessage.NONE;
        assertEquals(peer ? List.of(WcStatus.SUCCESS) : List.of(), pair.a.receiveStatuses(), "silent until it hears something");
        pair.a.qp.postSend(new SendRequest().send().element(pair.a.memory(text), 0, 600).signaled());
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.b.receiveStatuses());
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.receiveStatuses());
        assertArrayEquals(text, inA.memory().toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(text, inB.memory().toArray(ValueLayout.JAVA_BYTE));
        pair.a.qp.modify(new QpAttributes().state(QpState.ERR));
        pair.run();
        assertEquals(List.of("agreed", "disconnected"), pair.earA.heard);
        assertEquals(List.of("request", "agreed", "disconnected"), pair.earB.heard);
        assertEquals(QpState.ERR, pair.b.qp.state());
    }

    @Test
    void shouldHearARefusal() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        pair.earB.onRequest = handshake -> handshake.reject("no room".getBytes());
        pair.initiate(MpaOptions.DEFAULT, 4, 4, "");
        pair.run();
        assertEquals(List.of("rejected"), pair.earA.heard);
        assertEquals("no room", new String(pair.earA.refusal));
        assertEquals(List.of("request"), pair.earB.heard);
        assertEquals(QpState.INIT, pair.a.qp.state(), "it can try again");
    }

    /** The application may take its time: only the frames are timed. */
    @Test
    void shouldWaitForTheApplicationAsLongAsThePeerDoes() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        pair.initiate(MpaOptions.DEFAULT, 4, 4, "");
        pair.simulation.runFor(9_000_000_000L);
        assertEquals(List.of("request"), pair.earB.heard);
        assertEquals(List.of(), pair.earA.heard);
        pair.simulation.runFor(2_000_000_000L);
        assertEquals(List.of("timed out"), pair.earA.heard);
        assertEquals(List.of("request", "failed"), pair.earB.heard);
        assertFalse(pair.responder.accept(pair.b.qp, 1, 1, new byte[0]), "the peer has gone");
    }

    @Test
    void shouldGiveUpAPeerThatSaysNothing() {
        HandshakePair pair = new HandshakePair();
        pair.await(options(true, false, SiwMachine.FirstMessage.NONE, 0));
        pair.simulation.runFor(4_000_000_000L);
        assertEquals(List.of(), pair.earB.heard);
        pair.simulation.runFor(2_000_000_000L);
        assertEquals(List.of("timed out"), pair.earB.heard);
    }

    @Test
    void shouldRefuseAPeerThatHoldsTooFewReads() {
        HandshakePair pair = new HandshakePair();
        pair.await(MpaOptions.DEFAULT);
        // It answers as if it had not read the request: more READs than the other side can hold.
        pair.earB.onRequest = handshake -> {
            StreamBuffer out = new StreamBuffer(64);
            StartupFrame.write(out, false, 0x10, 2, 1, 100, 0, new byte[0]);
            pair.tcp.right().send(out);
        };
        pair.initiate(MpaOptions.DEFAULT, 4, 4, "");
        pair.run();
        assertEquals(List.of("failed"), pair.earA.heard);
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
        assertEquals(List.of("failed"), pair.earB.heard);
        assertEquals(1, pair.b.counter("bad_startups"));
    }
}
