// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.BufferPool;
import org.softrdma.siw.mpa.StreamBuffer;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.siw.qp.Closing;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** Work requests at the end of a connection: refused, flushed, finished, or waited for. */
class RequesterEndScriptTest extends RequesterScript {
    @Test
    void shouldTerminateAResponseThatDoesNotFit() {
        String[] responses = {
            RawSegment.readResponse(1, 0, "61626364"), "1100",
            RawSegment.readResponse(0, 4, "61626364"), "1101",
            RawSegment.readResponse(0, 0, "616263"), "1101",
            RawSegment.readResponse(0, 0, "6162636465"), "1101",
            RawSegment.tagged(RawSegment.READ_RESPONSE, 0, 0).more().with("61626364"), "1101"};
        for (int i = 0; i < responses.length; i += 2) {
            connect();
            post(new SendRequest().read(0x9000, 0x77).element(region, 0, 4));
            post(hello(new SendRequest().send()).signaled());
            peer.rest();
            // The table has the sink at STag 0, offset 0: replace them by the real ones.
            String response = responses[i];
            int off = Integer.parseUnsignedInt(response.substring(4, 12), 16);
            long at = Long.parseUnsignedLong(response.substring(12, 28), 16);
            String moved = response.substring(0, 4) + String.format("%08x%016x", region.lkey() + off, region.address() + at)
                + response.substring(28);
            peer.send(moved);
            assertEquals(RawSegment.terminate(Integer.parseInt(responses[i + 1], 16), moved), peer.next());
            assertEquals(List.of(WcStatus.BAD_RESP_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
            assertEquals("hell", new String(region.memory().asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    /** Kernel siw includes the refused READ in its Terminate, with the header control bits in another order. */
    @Test
    void shouldFailTheReadThatThePeerRefuses() {
        for (boolean siw : new boolean[] {false, true}) {
            connect();
            for (int i = 0; i < 3; i++) {
                post(new SendRequest().read(0x9000 + i, 0x77).wrId(i).element(region, i, 4));
            }
            List<String> requests = peer.rest();
            String blamed = requests.get(1);
            peer.send(RawSegment.untagged(RawSegment.TERMINATE, 1).with((siw ? "10020700 0000" : "0102e000 002e") + blamed));
            assertEquals(List.of(WcStatus.WR_FLUSH_ERR, WcStatus.REM_ACCESS_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
            assertEquals(List.of(AsyncEventType.QP_FATAL), peer.side.events());
            assertEquals(0x0102, peer.side.qp.machine().terminatedBy());
            assertEquals(1, peer.side.counter("rcvd_terminates"));
            assertEquals(1, peer.side.counter("rcvd_fpdus"));
            assertTrue(peer.stream.closed);
            assertNull(peer.next());
        }
    }

    /** The Terminate contains the second of three atomics; request identifiers are their MSNs. */
    @Test
    void shouldFailTheAtomicThatThePeerRefuses() {
        for (int i = 0; i < 3; i++) {
            post(new SendRequest().fetchAndAdd(0x9000 + 8 * i, 0x77, 1).wrId(i).element(region, 8 * i, 8));
        }
        List<String> requests = peer.rest();
        assertEquals(3, requests.size());
        peer.send(RawSegment.untagged(RawSegment.TERMINATE, 1).with("0101e000 0046" + requests.get(1)));
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR, WcStatus.REM_ACCESS_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEquals(List.of(AsyncEventType.QP_FATAL), peer.side.events());
        assertEquals(1, peer.side.counter("rcvd_terminates"));
        assertNull(peer.next());
    }

    /** RDMAP / remote operation / unexpected opcode: not a question of access. */
    @Test
    void shouldTellRefusedOperationsFromRefusedAccess() {
        post(new SendRequest().compareAndSwap(0x9000, 0x77, 1, 2).element(region, 0, 8));
        String request = peer.next();
        peer.send(RawSegment.untagged(RawSegment.TERMINATE, 1).with("0206e000 0046" + request));
        assertEquals(List.of(WcStatus.REM_OP_ERR), peer.side.sendStatuses());
    }

    @Test
    void shouldFailWhatCannotBeRead() {
        MemoryRegion gone = peer.side.memory(8, 0);
        post(hello(new SendRequest().send()).wrId(1));
        post(new SendRequest().send().wrId(2).element(gone, 0, 8));
        post(hello(new SendRequest().send()).wrId(3));
        gone.close();
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        assertEquals(RawSegment.terminate(0x0000), peer.next());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEquals(1, peer.side.counter("local_errors"));
        connect();
        post(new SendRequest().read(0, 1).element(peer.side.memory(8, 0), 0, 8));
        peer.run();
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), peer.side.sendStatuses(), "no LOCAL_WRITE");
        connect();
        post(new SendRequest().fetchAndAdd(0, 1, 1).element(region, 0, 4));
        peer.run();
        assertEquals(List.of(WcStatus.LOC_LEN_ERR), peer.side.sendStatuses());
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.ord = 0;
        begin(setup);
        post(new SendRequest().read(0, 1).element(region, 0, 8));
        peer.run();
        assertEquals(List.of(WcStatus.LOC_QP_OP_ERR), peer.side.sendStatuses(), "no READs were agreed on");
    }

    @Test
    void shouldFinishWhatWasPostedBeforeClosing() {
        peer.side.qp.postReceive(new ReceiveRequest().begin(9).element(region, 0, 4));
        post(new SendRequest().read(0x9000, 0x77).wrId(1).element(region, 0, 1).signaled());
        peer.run();
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        post(hello(new SendRequest().send()).wrId(2));
        peer.run();
        assertEquals(QpState.SQD, peer.side.qp.state());
        assertEquals(1, peer.rest().size());
        peer.send(RawSegment.readResponse(region.lkey(), region.address(), "7a"));
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertTrue(peer.stream.closed);
        assertEquals(List.of(), peer.rest());
    }

    /** Closing waits while a READ response makes progress; then receives and the READ are flushed, and the peer receives the end. */
    @Test
    void shouldNotWaitForEverForAnAnswerWhenClosing() {
        peer.side.qp.postReceive(new ReceiveRequest().begin(9).element(region, 0, 4));
        post(new SendRequest().read(0x9000, 0x77).wrId(1).element(region, 0, 3).signaled());
        peer.run();
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        for (int i = 0; i < 2; i++) {
            peer.simulation.runFor(Closing.PATIENCE_NS - SiwPair.SECOND);
            peer.send(RawSegment.tagged(RawSegment.READ_RESPONSE, region.lkey(), region.address() + i).more().with("7a"));
        }
        peer.simulation.runFor(Closing.PATIENCE_NS - SiwPair.SECOND);
        assertEquals(QpState.SQD, peer.side.qp.state());
        assertFalse(peer.stream.closed);
        peer.simulation.runFor(Closing.PATIENCE_NS);
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertTrue(peer.stream.closed);
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.receiveStatuses());
        assertEquals(1, peer.side.counter("stuck_disconnects"));
        assertEquals(Deadline.NEVER, peer.side.engine.deadlineNs(), "no timer runs");
    }

    /** Each response to one of the outstanding requests is progress: READs of some bytes and of none, and atomics. */
    @Test
    void shouldWaitForResponsesThatComeSlowlyWhenClosing() {
        post(new SendRequest().read(0x9000, 0x77).element(region, 0, 0).signaled());
        post(new SendRequest().read(0x9000, 0x77).element(region, 0, 1).signaled());
        post(new SendRequest().fetchAndAdd(0x9000, 0x77, 1).element(region, 8, 8).signaled());
        post(new SendRequest().read(0x9000, 0x77).element(region, 0, 0).signaled());
        assertEquals(4, peer.rest().size());
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        String empty = RawSegment.readResponse(region.lkey(), region.address(), "");
        List<String> responses = List.of(empty, RawSegment.readResponse(region.lkey(), region.address(), "7a"),
            RawSegment.atomicResponse(1, 3, 5), empty);
        for (String response : responses) {
            peer.simulation.runFor(Closing.PATIENCE_NS - SiwPair.SECOND);
            assertEquals(QpState.SQD, peer.side.qp.state());
            peer.send(response);
        }
        assertEquals(Collections.nCopies(4, WcStatus.SUCCESS), peer.side.sendStatuses());
        assertEquals(0, peer.side.counter("stuck_disconnects"));
        assertTrue(peer.stream.closed);
    }

    /** A peer that takes a little at a time delays the end, but does not abort it. */
    @Test
    void shouldWaitForAPeerThatReadsSlowlyWhenClosing() {
        int length = 4 * SiwConnection.SEND_BUFFER_BYTES;
        MemoryRegion large = peer.side.memory(length, 0);
        peer.stream.room = 0;
        post(new SendRequest().write(0, 7).element(large, 0, length).signaled());
        peer.run();
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        for (int i = 0; i < 3; i++) {
            peer.simulation.runFor(Closing.PATIENCE_NS - SiwPair.SECOND);
            assertEquals(QpState.SQD, peer.side.qp.state());
            peer.stream.room = SiwConnection.SEND_BUFFER_BYTES;
            peer.sendBytes(new byte[0]);
        }
        peer.stream.room = Integer.MAX_VALUE;
        peer.sendBytes(new byte[0]);
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses());
        assertEquals(0, peer.side.counter("stuck_disconnects"));
    }

    /** Neither requests of the peer nor segments without payload count as progress of a response. */
    @Test
    void shouldNotBeHeldUpByAPeerThatKeepsTalking() {
        post(new SendRequest().read(0x9000, 0x77).element(region, 0, 3).signaled());
        peer.run();
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        for (int msn = 1; msn <= 14; msn++) {
            peer.send(RawSegment.read(msn).into(1, 0).from(region.rkey(), region.address(), 4));
            peer.send(RawSegment.tagged(RawSegment.READ_RESPONSE, region.lkey(), region.address()).more().with(""));
            peer.simulation.runFor(SiwPair.SECOND);
        }
        assertEquals(QpState.SQD, peer.side.qp.state());
        peer.simulation.runFor(2 * SiwPair.SECOND);
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(1, peer.side.counter("stuck_disconnects"));
    }

    /** A peer that reads nothing: the stream is aborted with its unsent bytes. */
    @Test
    void shouldNotBeHeldUpByAPeerThatReadsNothing() {
        MemoryRegion large = peer.side.memory(2 * SiwConnection.SEND_BUFFER_BYTES, 0);
        peer.stream.room = 0;
        post(new SendRequest().write(0, 7).element(large, 0, 2 * SiwConnection.SEND_BUFFER_BYTES).signaled());
        peer.run();
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        peer.simulation.runFor(Closing.PATIENCE_NS - SiwPair.SECOND);
        assertEquals(QpState.SQD, peer.side.qp.state());
        peer.simulation.runFor(2 * SiwPair.SECOND);
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), peer.side.sendStatuses());
        assertFalse(peer.stream.aborted);
        peer.simulation.runFor(SiwConnection.LINGER_NS);
        assertTrue(peer.stream.aborted);
    }

    @Test
    void shouldTerminateWhenToldTo() {
        peer.side.qp.modify(new QpAttributes().state(QpState.SQE));
        assertEquals(RawSegment.terminate(0x00ff), peer.next());
        assertEquals(QpState.ERR, peer.side.qp.state());
        assertEquals(List.of(), peer.side.events());
    }

    /** Sends more than the buffer holds to a stream that accepts everything at once and so never reports readiness. */
    @Test
    void shouldGoOnAsLongAsTheStreamTakes() {
        MemoryRegion large = peer.side.memory(5 * SiwConnection.SEND_BUFFER_BYTES, 0);
        post(new SendRequest().write(0, 7).element(large, 0, 5 * SiwConnection.SEND_BUFFER_BYTES).signaled());
        peer.run();
        assertTrue(peer.stream.sent.size() > 5 * SiwConnection.SEND_BUFFER_BYTES);
        assertEquals(List.of(WcStatus.SUCCESS), peer.side.sendStatuses());
    }

    /** A connection owns a send buffer only while it waits for its stream; otherwise buffers are shared. */
    @Test
    void shouldNeedABufferOnlyWhileTheStreamIsFull() {
        BufferPool buffers = peer.side.engine.sendBuffers();
        StreamBuffer only = buffers.take();
        buffers.giveBack(only);
        post(hello(new SendRequest().send()));
        peer.run();
        assertSame(only, buffers.take());
        buffers.giveBack(only);
        peer.stream.room = 10;
        post(hello(new SendRequest().send()));
        peer.run();
        assertNotSame(only, buffers.take());
        peer.stream.room = Integer.MAX_VALUE;
        peer.sendBytes(new byte[0]);
        assertEquals(List.of(RawSegment.send(1, "68656c6c6f"), RawSegment.send(2, "68656c6c6f")), peer.rest());
        assertSame(only, buffers.take());
    }

    /** The application stops a queue pair in the middle of a received frame and does not destroy it yet. */
    @Test
    void shouldNeedNoBufferOnceTheStreamIsGone() {
        BufferPool buffers = peer.side.engine.frameBuffers();
        StreamBuffer only = buffers.take();
        buffers.giveBack(only);
        peer.sendBytes(new byte[] {1, 0, 0});
        assertNotSame(only, buffers.take());
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.simulation.runFor(2 * SiwConnection.LINGER_NS);
        assertTrue(peer.stream.aborted);
        assertSame(only, buffers.take());
    }

    /** Kernel siw 6.1 does not process bytes that directly follow its reply until more bytes arrive. */
    @Test
    void shouldRemindASilentPeer() {
        peer.side.qp.machine().sendReminders();
        peer.simulation.runFor(SiwPair.SECOND);
        assertNull(peer.next(), "nothing was sent yet");
        post(hello(new SendRequest().send()));
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        for (long ms : new long[] {100, 200, 400, 800, 1600, 3200}) {
            peer.simulation.runFor((ms - 1) * 1_000_000);
            assertNull(peer.next());
            peer.simulation.runFor(1_000_000);
            assertEquals(RawSegment.write(0, 0, ""), peer.next());
        }
        peer.simulation.runFor(100 * SiwPair.SECOND);
        assertNull(peer.next());
        assertEquals(6, peer.side.counter("sent_reminders"));
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    /** A program that talks first does so whether or not the kernel below it has read what it missed. */
    @Test
    void shouldRemindAPeerThatWasHeardOnce() {
        peer.side.qp.machine().sendReminders();
        post(hello(new SendRequest().send()));
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        peer.send(RawSegment.write(0, 0, ""));
        peer.simulation.runFor(99_000_000);
        assertNull(peer.next());
        peer.simulation.runFor(1_000_000);
        assertEquals(RawSegment.write(0, 0, ""), peer.next());
        peer.simulation.runFor(10 * SiwPair.SECOND);
        assertNull(peer.next());
    }

    @Test
    void shouldNotRemindAPeerThatWasHeardAndGetsMore() {
        peer.side.qp.machine().sendReminders();
        post(hello(new SendRequest().send()));
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        peer.send(RawSegment.write(0, 0, ""));
        post(hello(new SendRequest().send()));
        assertEquals(RawSegment.send(2, "68656c6c6f"), peer.next());
        peer.simulation.runFor(10 * SiwPair.SECOND);
        assertNull(peer.next());
    }

    @Test
    void shouldNotRemindAPeerThatTalkedFirst() {
        peer.side.qp.machine().sendReminders();
        peer.send(RawSegment.write(0, 0, ""));
        post(hello(new SendRequest().send()));
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        peer.simulation.runFor(10 * SiwPair.SECOND);
        assertNull(peer.next());
    }

    @Test
    void shouldNotPutAReminderIntoAMessage() {
        SiwPair.Setup setup = new SiwPair.Setup();
        setup.maxUlpdu = 128;
        begin(setup);
        peer.side.qp.machine().sendReminders();
        peer.stream.room = 10;
        int segments = SiwConnection.SEND_BUFFER_BYTES / 128 + 10;
        byte[] text = new byte[segments * 112];
        post(new SendRequest().write(0x2000, 7).element(peer.side.memory(text), 0, text.length).signaled());
        peer.run();
        peer.simulation.runFor(SiwPair.SECOND);
        peer.stream.room = Integer.MAX_VALUE;
        peer.sendBytes(new byte[0]);
        List<String> frames = peer.rest();
        assertEquals(segments + 1, frames.size());
        assertTrue(frames.get(segments - 1).startsWith("c140"), frames.get(segments - 1));
        assertEquals(RawSegment.write(0, 0, ""), frames.get(segments));
    }

    /** Bytes of the old stream do not reach the new connection, and bytes of the new connection are not sent to the old stream. */
    @Test
    void shouldBeginAnewAfterAReset() {
        post(hello(new SendRequest().send()));
        assertEquals(RawSegment.send(1, "68656c6c6f"), peer.next());
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.side.qp.modify(new QpAttributes().state(QpState.RESET));
        assertTrue(peer.stream.aborted);
        peer.side.qp.modify(new QpAttributes().state(QpState.INIT));
        RawPeer.Stream second = new RawPeer.Stream();
        SiwPair.connect(peer.side, second, new StreamParameters(true, false, false, 1442), new SiwPair.Setup(),
            MpaOptions.Rtr.NONE, SiwMachine.AT_ONCE);
        peer.send("4143");
        assertEquals(QpState.RTS, peer.side.qp.state());
        post(hello(new SendRequest().send()));
        assertNull(peer.next());
        assertEquals(HexFormat.of().formatHex(peer.frame(RawPeer.bytes(RawSegment.send(1, "68656c6c6f")))),
            HexFormat.of().formatHex(second.sent.toByteArray()), "numbers begin at 1 again");
    }

    @Test
    void shouldGiveAStreamUpThatDoesNotEnd() {
        peer.stream.room = 10;
        post(hello(new SendRequest().send()));
        peer.side.qp.modify(new QpAttributes().state(QpState.ERR));
        peer.run();
        peer.simulation.runFor(SiwConnection.LINGER_NS - 2_000);
        assertTrue(!peer.stream.aborted);
        peer.simulation.runFor(4_000);
        assertTrue(peer.stream.aborted);
    }
}
