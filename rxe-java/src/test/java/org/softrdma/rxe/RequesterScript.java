// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.SendRequest;

/** Scripts for the device as requester with a peer that is written by hand. PSNs wrap in every test. */
abstract class RequesterScript {

    static final long US = 1_000;
    /** Time to the peer and back. */
    static final long ROUND_TRIP_NS = 2 * US;
    /** ACK timeout code 14. */
    static final long TIMEOUT_NS = 4096L << 14;
    static final long REMOTE_VA = 0xffff_ffff_0000_0000L;
    static final int RKEY = 0x12345678;

    final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    final SendRequest wr = new SendRequest();
    RawPeer peer;
    MemoryRegion memory;

    final void connect() {
        peer = new RawPeer(setup);
        memory = peer.side.memory(1 << 20, SimulatedPair.ALL_REMOTE);
    }

    final void postSends(int count) {
        for (int i = 0; i < count; i++) {
            peer.side.qp.postSend(wr.send().wrId(i).element(memory, 0, 10).signaled());
        }
    }

    /**
     * Exchanges one message, from which the device measures the round trip.
     *
     * @return packets it took
     */
    final int exchangeOne() {
        postSends(1);
        expectSends(0, 1);
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(10 * US);
        assertEquals(List.of("0 SUCCESS"), completions());
        peer.side.sends().clear();
        return 1;
    }

    final void postRead(long wrId, int length) {
        peer.side.qp.postSend(wr.read(REMOTE_VA, RKEY).wrId(wrId).element(memory, 0, length).signaled());
    }

    final void expectSends(int first, int count) {
        for (int i = 0; i < count; i++) {
            peer.expect(RawPacket.SEND_ONLY, THEIR_PSN + first + i);
        }
    }

    /** The same, sent because a timer expired: the first after any time, the others with it. */
    final void expectSendsByTimer(int first, int count) {
        peer.expectByTimer(RawPacket.SEND_ONLY, THEIR_PSN + first);
        expectSends(first + 1, count - 1);
    }

    /** wr_id and status of all completions so far. */
    final List<String> completions() {
        return peer.side.sends().stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    final byte[] placed(int length) {
        return memory.memory().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    static byte[] joined(RawPacket... packets) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (RawPacket packet : packets) {
            all.writeBytes(packet.payload());
        }
        return all.toByteArray();
    }
}
