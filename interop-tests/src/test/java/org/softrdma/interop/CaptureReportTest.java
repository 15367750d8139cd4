// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Opcode;

/** Reports of the golden captures between two kernels, which contain no packet of ours, and of captures built by hand. */
class CaptureReportTest {
    private static final int QP = 0x11;
    private static final int OTHER_QP = 0x12;

    private static Path golden(String name) {
        return KernelLab.module().resolve("lab/golden").resolve(name + ".pcapng");
    }

    @Test
    void shouldReportNoDefectInKernelCaptures() throws IOException {
        CaptureReport report = CaptureReport.of(golden("rc-read-2500"));
        assertEquals(0, report.defectCount(), report.toString());
        assertEquals(0, report.packets(CaptureReport.OURS));
        assertEquals(Set.of(Opcode.RC_RDMA_READ_REQUEST, Opcode.RC_RDMA_READ_RESPONSE_FIRST, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE,
            Opcode.RC_RDMA_READ_RESPONSE_LAST), report.opcodes(CaptureReport.KERNEL));
        assertEquals(0, report.repeated(CaptureReport.KERNEL));
    }

    @Test
    void shouldCountRepeatsAndNameNaks() throws IOException {
        CaptureReport deadPeer = CaptureReport.of(golden("rc-dead-peer"));
        assertEquals(2, deadPeer.repeated(CaptureReport.KERNEL), deadPeer.toString());
        assertEquals("no answer", deadPeer.answer(CaptureReport.KERNEL));
        assertEquals("RNR NAK", CaptureReport.of(golden("rc-nak-rnr")).answer(CaptureReport.KERNEL).replace("NAK 0x60, ", ""));
        assertEquals("NAK 0x62", CaptureReport.of(golden("rc-nak-read-key")).answer(CaptureReport.KERNEL));
        assertEquals("ACK", CaptureReport.of(golden("rc-write-33")).answer(CaptureReport.KERNEL));
    }

    @Test
    void shouldNameTheConnectionManagersMessages() throws IOException {
        assertEquals(Set.of("REQ", "REP", "RTU", "DREQ", "DREP"), CaptureReport.of(golden("rping-v4")).messages(CaptureReport.KERNEL));
        assertEquals(Set.of("SIDR_REQ", "SIDR_REP 0"), CaptureReport.of(golden("udaddy-v4")).messages(CaptureReport.KERNEL));
        assertEquals(Set.of(), CaptureReport.of(golden("rc-write-33")).messages(CaptureReport.KERNEL));
    }

    @Test
    void shouldReportADamagedFrame(@TempDir Path directory) throws IOException {
        byte[] capture = Files.readAllBytes(golden("rc-write-33"));
        int payload = indexOf(capture, new byte[] {3, 4, 5, 6, 7, 8, 9, 10});      // byte i of the client's data is i
        capture[payload] ^= 1;
        Path damaged = Files.write(directory.resolve("damaged.pcapng"), capture);
        CaptureReport report = CaptureReport.of(damaged);
        assertEquals(1, report.defectCount());
        assertTrue(report.defects().getFirst().contains("wrong ICRC"), report.toString());
    }

    // ---- repeats, in captures built by hand ----

    @Test
    void shouldCountTheRestOfAReadAsARepeat() {
        HandMadeCapture capture = new HandMadeCapture();
        capture.read(CaptureReport.OURS, QP, 100, 5 * 1024);
        capture.responses(CaptureReport.KERNEL, 100, 3);
        capture.read(CaptureReport.OURS, QP, 102, 3 * 1024);
        capture.read(CaptureReport.OURS, QP, 104, 1024);
        capture.read(CaptureReport.OURS, QP, 105, 10);
        capture.read(CaptureReport.OURS, OTHER_QP, 102, 10);
        CaptureReport report = capture.report();
        assertEquals(List.of(), report.defects());
        assertEquals(2, report.repeated(CaptureReport.OURS), "the last packet's PSN is the last that is the READ's own");
        assertEquals(1, report.bursts(CaptureReport.OURS));
        assertEquals(List.of(), report.hasty(), "a gap in the responses is a reason");
    }

    @Test
    void shouldCountTheRestOfAReadAsARepeatAcrossThePsnWrap() {
        HandMadeCapture capture = new HandMadeCapture();
        capture.read(CaptureReport.KERNEL, QP, 0xfffffe, 5 * 1024 - 1);
        capture.responses(CaptureReport.OURS, 0xfffffe, 1);
        capture.read(CaptureReport.KERNEL, QP, 2, 1023);
        assertEquals(1, capture.report().repeated(CaptureReport.KERNEL));
        capture.read(CaptureReport.KERNEL, QP, 3, 1);
        assertEquals(1, capture.report().repeated(CaptureReport.KERNEL), "the next READ");
    }

    @Test
    void shouldReportRepeatsWithoutReason() {
        HandMadeCapture capture = new HandMadeCapture();
        capture.read(CaptureReport.OURS, QP, 100, 10);
        capture.read(CaptureReport.OURS, QP, 100, 10);
        CaptureReport report = capture.report();
        assertEquals(1, report.repeated(CaptureReport.OURS));
        assertEquals(1, report.hasty().size(), report.toString());
    }

    /** A process that was killed before: the DREQ on its behalf has the PSN that the lost message had. */
    @Test
    void shouldCountLostMessagesOfADeviceBesideThoseOnBehalfOfAnother() {
        HandMadeCapture capture = new HandMadeCapture();
        capture.management(CaptureReport.OURS, 40_000, 0);
        capture.management(CaptureReport.OURS, Udp.DEST_PORT_ROCE, 1);
        capture.management(CaptureReport.OURS, Udp.DEST_PORT_ROCE, 2);
        capture.management(CaptureReport.OURS, Udp.DEST_PORT_ROCE, 4);
        CaptureReport report = capture.report();
        assertEquals(List.of(), report.defects());
        assertEquals(2, report.lostMessages(CaptureReport.OURS));
        assertEquals(0, report.lostMessages(CaptureReport.KERNEL));
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        for (int at = 0; at <= bytes.length - wanted.length; at++) {
            if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
                return at;
            }
        }
        throw new AssertionError("bytes not found in the capture");
    }
}
