// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;

/**
 * Random bytes as the peer's first bytes, in pieces, to a responder and to an initiator: bare, and after a valid key. Each end reports one
 * outcome, and no stream and no timer is left. See {@code WireFuzzTest} of wire-formats for how to run a search.
 */
class HandshakeFuzzTest {
    private static final int CHANCES = 300;
    private static final int LONGEST = 700;
    private static final MpaOptions OPTIONS = MpaOptions.DEFAULT.withTimeoutNs(SiwPair.SECOND);
    /** Events that the responder may receive, in this order; the program accepts or rejects. */
    private static final Set<String> ASKED =
        Set.of("[failed]", "[timed out]", "[request]", "[request, failed]", "[request, agreed, disconnected]");
    private static final Set<String> ASKING = Set.of("[failed]", "[timed out]", "[rejected]", "[agreed, disconnected]");

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        survive(true, bytes);
        survive(true, behindKey("MPA ID Req Frame", bytes));
        survive(false, bytes);
        survive(false, behindKey("MPA ID Rep Frame", bytes));
    }

    @Test
    void shouldSurviveChance() {
        for (int seed = 1; seed <= CHANCES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[random.nextInt(LONGEST)];
            random.nextBytes(bytes);
            try {
                shouldSurviveAnyBytes(bytes);
            } catch (RuntimeException | AssertionError wrong) {
                throw new AssertionError("seed " + seed, wrong);
            }
        }
    }

    /** Random flags and first bytes of private data, with a valid revision and a mostly valid length. */
    private static byte[] behindKey(String key, byte[] bytes) {
        ByteBuffer b = ByteBuffer.allocate(16 + Math.max(4, bytes.length));
        b.put(0, key.getBytes()).put(16, bytes);
        b.put(17, (byte) (1 + (b.get(17) & 1))).putShort(18, (short) (b.getShort(18) & 0x3ff));
        return b.array();
    }

    private static void survive(boolean asked, byte[] bytes) {
        HandshakePair pair = new HandshakePair();
        HandshakePair.Recorder recorder = new HandshakePair.Recorder();
        RawPeer.Stream stream = new RawPeer.Stream();
        SiwPair.Side side = asked ? pair.b : pair.a;
        side.engine.beginVerb(pair.clock.nowNs());
        if (asked) {
            recorder.onRequest = handshake -> decide(handshake, side, bytes.length % 2 == 0);
            Handshake.await(side.engine, stream, OPTIONS, recorder, () -> { });
        } else {
            Handshake.initiate(side.engine, stream, OPTIONS, recorder, () -> { }, side.qp, 4, 4, new byte[0]);
        }
        pair.simulation.runFor(1_000);
        stream.bringInPieces(bytes);
        pair.simulation.runFor(1_000);
        if (bytes.length % 3 > 0) {
            stream.end();
        }
        pair.simulation.runFor(2 * SiwPair.SECOND);
        stream.end();
        pair.simulation.runFor(4 * SiwPair.SECOND);
        check((asked ? ASKED : ASKING).contains(recorder.events.toString()), recorder.events.toString());
        check(stream.aborted, "the stream has ended");
        check(side.engine.deadlineNs() == Deadline.NEVER && !side.engine.hasStreams(), "nothing is left");
        check(side.counter("internal_errors") == 0, "no internal error");
    }

    private static void decide(Handshake handshake, SiwPair.Side side, boolean accepts) {
        if (accepts) {
            handshake.accept(side.qp, 4, 4, new byte[0]);
        } else {
            handshake.reject(new byte[0]);
        }
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
