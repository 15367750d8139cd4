// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** The reasons that only iWARP has: how streams end. The flight recorder has them, and work requests that are flushed say them. */
class StreamReasonTest {
    /** RFC 5040 §4.8: layer RDMAP, a remote protection error, base and bounds violation. */
    private static final int BASE_OR_BOUNDS = 0x0101;
    /** RFC 5040 §4.8: layer RDMAP, a local catastrophic error. */
    private static final int LOCAL_CATASTROPHE = 0x0000;

    private final RawPeer peer = new RawPeer();
    private final MemoryRegion memory = peer.side.memory(256, AccessFlags.LOCAL_WRITE);

    private void postReceive() {
        peer.side.qp.postReceive(new ReceiveRequest().begin(5).element(memory, 0, 64));
    }

    private List<Failure> recorded() {
        List<Failure> failures = new ArrayList<>();
        for (RecordedEvent event : peer.recorded()) {
            if (event instanceof RecordedEvent.Occurrence occurrence) {
                failures.add(occurrence.failure());
            }
        }
        return failures;
    }

    /** The receive that was flushed has the reason, and the recorder, too. */
    private void assertFlushedAfter(Failure why) {
        WorkCompletion flushed = peer.side.receives().getFirst();
        assertEquals(WcStatus.WR_FLUSH_ERR, flushed.status());
        assertEquals(Failure.of(Reason.FLUSHED).after(why), flushed.explanation());
        assertTrue(recorded().contains(why), () -> recorded().toString());
    }

    @Test
    void shouldSayThatThePeerEndedTheConnection() {
        postReceive();
        peer.end();
        assertFlushedAfter(Failure.of(Reason.CONNECTION_ENDED));
    }

    @Test
    void shouldSayThatTheStreamEndedInAFrame() {
        postReceive();
        byte[] frame = peer.frame(RawPeer.bytes(RawSegment.send(1, "61626364")));
        peer.sendBytes(Arrays.copyOf(frame, frame.length - 5));
        peer.end();
        assertFlushedAfter(Failure.of(Reason.STREAM_TORN));
    }

    @Test
    void shouldSayWhichTerminateAViolationCaused() {
        postReceive();
        byte[] frame = peer.frame(RawPeer.bytes(RawSegment.send(1, "61626364")));
        frame[frame.length - 1] ^= 1;
        peer.sendBytes(frame);
        // RFC 5044 §8: layer MPA, CRC error
        assertFlushedAfter(Failure.of(Reason.STREAM_VIOLATION, 0x2002));
    }

    @Test
    void shouldSayThatThePeerTerminatedTheConnection() {
        postReceive();
        peer.send(RawSegment.terminate(LOCAL_CATASTROPHE));
        assertFlushedAfter(Failure.of(Reason.TERMINATED, LOCAL_CATASTROPHE));
    }

    @Test
    void shouldExplainAReadThatThePeerTerminated() {
        peer.side.qp.postSend(new SendRequest().read(0x1000, 0x77).wrId(7).element(memory, 0, 8).signaled());
        peer.run();
        peer.send(RawSegment.terminate(BASE_OR_BOUNDS, peer.next()));
        WorkCompletion failed = peer.side.sends().getFirst();
        assertEquals(WcStatus.REM_ACCESS_ERR, failed.status());
        assertEquals(Failure.of(Reason.TERMINATED_ACCESS, BASE_OR_BOUNDS, WrOpcode.RDMA_READ.value()), failed.explanation());
    }

    @Test
    void shouldSayThatADisconnectMadeNoProgress() {
        postReceive();
        peer.side.qp.postSend(new SendRequest().read(0x1000, 0x77).element(memory, 0, 8).signaled());
        peer.run();
        peer.side.qp.modify(new QpAttributes().state(QpState.SQD));
        peer.simulation.runFor(600 * SiwPair.SECOND);
        assertEquals(1, peer.side.counter("stuck_disconnects"));
        assertFlushedAfter(Failure.of(Reason.STUCK_DISCONNECT));
    }
}
