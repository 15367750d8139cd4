// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpState;

/**
 * Windows that are bound and invalidated among other work requests: a bind waits for a fence only, an invalidation for all before it,
 * and completions are in order. Source: IBA vol 1 §10.8.3.3.
 */
class RequesterWindowTest extends RequesterScript {
    private static final int LENGTH = 100;

    private MemoryWindow window;
    private int key;

    @BeforeEach
    void allocate() {
        connect();
        window = peer.side.pd.allocateMw(MemoryWindow.Type.TYPE_2);
        key = MemoryWindow.nextRkey(window.rkey());
    }

    private void postSend(long wrId) {
        peer.side.qp.postSend(wr.send().wrId(wrId).element(memory, 0, 10).signaled());
    }

    private void bind(int rkey) {
        wr.bindWindow(rkey, memory, memory.address() + 4096, LENGTH, AccessFlags.REMOTE_WRITE).signaled();
    }

    private void postBind(long wrId) {
        bind(key);
        peer.side.qp.postSend(wr.wrId(wrId));
    }

    private void expectWritten() {
        RawPacket write = RawPacket.of(RawPacket.WRITE_ONLY, OUR_PSN).ackRequest().reth(memory.address() + 4096, key, LENGTH)
            .payload(LENGTH);
        peer.send(write);
        peer.expectAck(OUR_PSN);
        assertArrayEquals(write.payload(), memory.memory().asSlice(4096, LENGTH).toArray(ValueLayout.JAVA_BYTE));
    }

    private boolean isBound() {
        return peer.side.engine().memory().lookup(key) != null;
    }

    @Test
    void shouldBindWhileASendIsNotAcknowledged() {
        postSend(1);
        postBind(2);
        postSend(3);
        expectSends(0, 2);
        expectWritten();
        assertEquals(List.of(), completions());
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.runFor(MS / 2);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), completions());
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completions());
    }

    /** The places of the ring are used again: a bind has no PSN, even where a SEND of one packet was. */
    @Test
    void shouldCompleteABindInThePlaceOfAnEarlierSend() {
        setup.queueDepth = 2;
        allocate();
        for (int i = 0; i < 8; i++) {
            postSend(i);
            expectSends(i, 1);
            peer.send(RawPacket.ack(THEIR_PSN + i));
            peer.runFor(MS / 2);
        }
        peer.side.sends().clear();
        postSend(8);
        postBind(9);
        expectSends(8, 1);
        expectWritten();
        peer.send(RawPacket.ack(THEIR_PSN + 8));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("8 SUCCESS", "9 SUCCESS"), completions());
    }

    @Test
    void shouldCompleteBindsBehindAReadAndAtTheEnd() {
        postRead(1, LENGTH);
        postBind(2);
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        expectWritten();
        assertEquals(List.of(), completions());
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(LENGTH));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), completions());
    }

    @Test
    void shouldBindOnceWhenPacketsBeforeItAreSentAgain() {
        postSend(1);
        postBind(2);
        postSend(3);
        expectSends(0, 2);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_SEQUENCE));
        expectSends(0, 2);
        peer.send(RawPacket.ack(THEIR_PSN + 1));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completions());
        expectWritten();
    }

    @Test
    void shouldNotBindBeforeReadsWithTheFence() {
        postRead(1, LENGTH);
        bind(key);
        peer.side.qp.postSend(wr.wrId(2).fence());
        peer.expect(RawPacket.READ_REQUEST, THEIR_PSN);
        peer.runFor(MS / 2);
        assertFalse(isBound());
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(LENGTH));
        peer.runFor(MS / 2);
        assertTrue(isBound());
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), completions());
    }

    @Test
    void shouldInvalidateOnceAllBeforeItIsComplete() {
        postSend(1);
        postBind(2);
        peer.side.qp.postSend(wr.localInvalidate(key).wrId(3).signaled());
        expectSends(0, 1);
        peer.runFor(MS / 2);
        assertTrue(isBound());
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(1000 * MS);
        assertFalse(isBound());
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), completions());
    }

    @Test
    void shouldReportABindThatFailsInItsTurn() {
        postSend(1);
        bind(memory.rkey());
        peer.side.qp.postSend(wr.wrId(2));
        postSend(3);
        expectSends(0, 1);
        peer.runFor(MS / 2);
        assertEquals(List.of(), completions());
        assertEquals(QpState.RTS, peer.side.qp.state());
        peer.send(RawPacket.ack(THEIR_PSN));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 SUCCESS", "2 MW_BIND_ERR", "3 WR_FLUSH_ERR"), completions());
    }

    @Test
    void shouldFlushABindWhoseSendIsRefused() {
        postSend(1);
        postBind(2);
        expectSends(0, 1);
        peer.send(RawPacket.nak(THEIR_PSN, RawPacket.NAK_OPERATIONAL));
        peer.expectNothingFor(1000 * MS);
        assertEquals(List.of("1 REM_OP_ERR", "2 WR_FLUSH_ERR"), completions());
    }
}
