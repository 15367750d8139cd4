// SPDX-License-Identifier: Apache-2.0
package org.softrdma.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextWriterTest {
    /** On a virtual clock: times do not depend on the zone. */
    @Test
    void shouldWriteALineForEachEndAndEachEvent() throws IOException {
        Recording recording = new Recording(Recording.Clock.VIRTUAL, List.of(Recordings.requester(), Recordings.responder()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        recording.writeText(out);
        assertEquals("""
            rxe0 qp 0x11: RC, state ERR, pid 4711, 12 events, 3 earlier ones overwritten
            rxe1 qp 0x12: RC, state ERR, pid 4711, 3 events
            1790312312.000000000 rxe0 qp 0x11: state RTR > RTS
            1790312312.000000000 rxe0 qp 0x11: 1 work request posted
            1790312312.000000000 rxe0 qp 0x11: sent RC RDMA WRITE First 100, 1056 bytes: work request 7, packet 1 of 2
            1790312312.000000000 rxe0 qp 0x11: sent RC RDMA WRITE Last 101, 996 bytes: work request 7, packet 2 of 2
            1790312312.000001000 rxe1 qp 0x12: received RC RDMA WRITE First 100, 1056 bytes: the peer's work request 7, packet 1 of 2
            1790312312.000002000 rxe0 qp 0x11: received RC Acknowledge 101, 20 bytes: NAK PSN sequence, PSN 101
            1790312312.000002000 rxe0 qp 0x11: repeats: sequence NAK: the peer misses PSN 101 [sequence-nak]
            1790312312.000002000 rxe0 qp 0x11: sent RC RDMA WRITE Last 101, 996 bytes: work request 7, packet 2 of 2, repeated: sequence NAK
            1790312312.000003000 rxe1 qp 0x12: received RC RDMA WRITE Last 101, 996 bytes: the peer's work request 7, packet 2 of 2
            1790312312.000003000 rxe1 qp 0x12: refused: rkey 0x1f03 covers [0x7f0000000000, +1024), the RDMA_WRITE asked for \
            [0x7f0000000400, +976) [rkey-range]
            1790312312.000004000 rxe0 qp 0x11: failed: remote access error: the peer refused the RDMA_WRITE of \
            [0x7f0000000000, +2000) with rkey 0x1f03 [nak-remote-access]
            1790312312.000004000 rxe0 qp 0x11: state RTS > ERR
            1790312312.000004000 rxe0 qp 0x11: completed: work request 7 REM_ACCESS_ERR (nak-remote-access)
            1790312312.000004000 rxe0 qp 0x11: 2 work requests completed with WR_FLUSH_ERR
            1790312312.000004000 rxe0 qp 0x11: asynchronous event QP_FATAL
            """, out.toString(StandardCharsets.UTF_8));
    }
}
