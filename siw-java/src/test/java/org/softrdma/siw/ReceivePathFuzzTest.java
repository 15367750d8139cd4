// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;

/**
 * Random bytes for a connected queue pair: as the stream, as a stream with markers in pieces, as ULPDUs in valid frames, and as
 * {@link LikelySegment}s. The connection continues or ends with a Terminate, every request completes, and memory that was not registered
 * for remote access is unchanged. {@code mvn verify} replays the seeds and tries some random bytes; see {@code WireFuzzTest} of
 * wire-formats for how to run a search.
 */
class ReceivePathFuzzTest {
    private static final int CHANCES = 500;
    private static final int LONGEST = 1500;
    private static final int REGION_BYTES = 256;

    /** Form in which the bytes are delivered to the queue pair. */
    private interface Way {
        void send(RawPeer peer, LikelySegment likely, byte[] bytes);
    }

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        survive(plain(false), (peer, likely, all) -> peer.sendBytes(all), bytes);
        survive(plain(true), (peer, likely, all) -> peer.stream.bringInPieces(all), bytes);
        survive(new SiwPair.Setup(), (peer, likely, all) -> forEachPart(all, each -> peer.sendBytes(peer.frame(each))), bytes);
        survive(new SiwPair.Setup(), (peer, likely, all) -> forEachPart(all, each -> peer.sendBytes(peer.frame(likely.of(each)))), bytes);
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

    private static SiwPair.Setup plain(boolean markers) {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.crc = false;
        setup.markersToA = markers;
        return setup;
    }

    /** Splits the input into ULPDUs, each preceded by its length in one byte. */
    private static void forEachPart(byte[] bytes, Consumer<byte[]> action) {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.remaining() > 1) {
            byte[] part = new byte[Math.min(all.get() & 0xff, all.remaining())];
            all.get(part);
            action.accept(part);
        }
    }

    private static void survive(SiwPair.Setup setup, Way way, byte[] bytes) {
        RawPeer peer = new RawPeer(setup);
        MemoryRegion open = peer.side.memory(REGION_BYTES, SiwPair.ALL_REMOTE);
        MemoryRegion shut = peer.side.memory(REGION_BYTES, 0);
        for (int i = 0; i < 4; i++) {
            peer.side.qp.postReceive(new ReceiveRequest().begin(i).element(open, 0, 64));
            peer.side.qp.postSend(new SendRequest().read(0x1000, 1).wrId(i).element(open, 64, 32).signaled());
        }
        peer.run();
        way.send(peer, new LikelySegment(new int[] {open.rkey(), shut.rkey()}, new long[] {open.address(), shut.address()}), bytes);
        peer.end();
        check(peer.side.qp.state() == QpState.ERR, "the end of the stream ends the connection");
        check(peer.side.sends().size() == 4 && peer.side.receives().size() == 4, "every request completes");
        check(shut.memory().mismatch(MemorySegment.ofArray(new byte[REGION_BYTES])) < 0, "memory without remote access was changed");
        check(peer.side.counter("internal_errors") == 0, "no internal error");
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
