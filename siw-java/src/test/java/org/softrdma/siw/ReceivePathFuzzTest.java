// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;

/**
 * Any bytes at a connected queue pair: as the stream, and as ULPDUs in good frames. It goes on or ends with a Terminate, every request
 * completes, and memory that was not offered stays as it is. Inside {@code mvn verify} it replays its seeds; how to search is said in
 * wire-formats' {@code WireFuzzTest}.
 */
class ReceivePathFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.crc = false;
        survive(new RawPeer(setup), bytes, false);
        survive(new RawPeer(), bytes, true);
    }

    private static void survive(RawPeer peer, byte[] bytes, boolean framed) {
        MemoryRegion open = peer.side.memory(256, SiwPair.ALL_REMOTE);
        MemoryRegion shut = peer.side.memory(256, 0);
        for (int i = 0; i < 4; i++) {
            peer.side.qp.postReceive(new ReceiveRequest().begin(i).element(open, 0, 64));
            peer.side.qp.postSend(new SendRequest().read(0x1000, 1).wrId(i).element(open, 64, 32).signaled());
        }
        peer.run();
        if (framed) {
            ByteBuffer all = ByteBuffer.wrap(bytes);
            while (all.remaining() > 1) {
                byte[] ulpdu = new byte[Math.min(all.get() & 0xff, all.remaining())];
                all.get(ulpdu);
                peer.sendBytes(peer.frame(ulpdu));
            }
        } else {
            peer.sendBytes(bytes);
        }
        peer.end();
        check(peer.side.qp.state() == QpState.ERR, "it ends with the stream at the latest");
        check(peer.side.sends().size() == 4 && peer.side.receives().size() == 4, "every request completes");
        check(shut.memory().mismatch(MemorySegment.ofArray(new byte[256])) < 0, "nobody asked for that");
        check(peer.side.counter("internal_errors") == 0, "no fault of ours");
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
