// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** Wireshark, an independent implementation, dissects our frames as intended. Skipped where tshark is not installed. */
class WiresharkTest {
    private static final long TSHARK_SECONDS = 60;

    private final HandshakePair pair = new HandshakePair();
    private final TcpCapture capture = new TcpCapture();
    @TempDir
    private Path directory;

    private static List<String> tshark(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("tshark"));
        command.addAll(List.of(arguments));
        Path errors = Files.createTempFile("tshark", ".txt");
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        assertTrue(process.waitFor(TSHARK_SECONDS, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), Files.readString(errors));
        Files.delete(errors);
        return lines;
    }

    private static boolean hasTshark() {
        for (String directory : System.getenv("PATH").split(":")) {
            if (Files.isExecutable(Path.of(directory, "tshark"))) {
                return true;
            }
        }
        return false;
    }

    /** Both ends have the same options. The capture begins with the first start-up frame. */
    private void connect(MpaOptions options) {
        pair.tcp.observe(capture);
        pair.await(options);
        pair.recorderB.onRequest = handshake -> handshake.accept(pair.b.qp, 4, 4, "welcome".getBytes());
        pair.initiate(options, 4, 4, "hello");
        pair.run();
    }

    /** Runs operations one at a time, so that each TCP segment belongs to one operation. The last one violates the protocol. */
    private void send(SendRequest... requests) {
        for (SendRequest request : requests) {
            pair.a.qp.postSend(request);
            pair.run();
        }
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
        assertEquals(1, pair.b.counter("sent_terminates"));
    }

    private List<String> dissect(String... arguments) throws Exception {
        Path file = directory.resolve("iwarp.pcapng");
        capture.write(file);
        List<String> all = new ArrayList<>(List.of("-r", file.toString(), "-o", "tcp.try_heuristic_first:TRUE"));
        all.addAll(List.of(arguments));
        return tshark(all.toArray(new String[0]));
    }

    private void requireGoodCrcs(int frames) throws Exception {
        String text = String.join("\n", dissect("-V"));
        assertEquals(frames, text.split("Good CRC32", -1).length - 1, "a good CRC in every frame");
        assertFalse(text.contains("Malformed"), text);
    }

    @Test
    void shouldBeUnderstoodByWireshark() throws Exception {
        assumeTrue(hasTshark(), "tshark is not installed");
        connect(MpaOptions.DEFAULT.withPauseNs(0));
        MemoryRegion here = pair.a.memory("hello, world, hello, world".getBytes());
        MemoryRegion there = pair.b.memory(64, SiwPair.ALL_REMOTE);
        for (int i = 0; i < 2; i++) {
            pair.b.qp.postReceive(new ReceiveRequest().begin(i).element(there, 0, 64));
        }
        send(new SendRequest().send().solicited().element(here, 0, 5),
            new SendRequest().writeWithImmediate(there.address(), there.rkey(), 7).element(here, 0, 26),
            new SendRequest().read(there.address(), there.rkey()).element(here, 0, 26),
            new SendRequest().fetchAndAdd(there.address(), there.rkey(), 1).element(here, 0, 8).signaled(),
            new SendRequest().write(there.address() + 60, there.rkey()).element(here, 0, 8));
        assertEquals(List.of(
            "40000\t9\t\t\t", "7174\t11\t\t\t",
            // SEND with SE: 18 + 5. WRITE: 14 + 26. Immediate Data: 18 + 8, from RFC 7306.
            "40000\t\t23\t0x05\t", "40000\t\t40,26\t0x00,0x08\t",
            "40000\t\t46\t0x01\t", "7174\t\t40\t0x02\t",
            "40000\t\t70\t0x0a\t", "7174\t\t30\t0x0b\t",
            "40000\t\t22\t0x00\t", "7174\t\t38\t0x07\t0x01"),
            dissect("-T", "fields", "-e", "tcp.srcport", "-e", "iwarp_mpa.pdlength", "-e", "iwarp_mpa.ulpdulength", "-e",
                "iwarp_rdma.opcode", "-e", "iwarp_rdma.term_layer"));
        requireGoodCrcs(9);
    }

    /**
     * RFC 5044 §4.3: a marker at every 512th byte of each direction's stream, covered by the CRC. Wireshark removes markers according to
     * the flags of the start-up frames and their positions. Version 4.0 needs one frame per segment, and no frame that ends where a marker
     * is due, because it counts that marker, too. It does not check the pointers; this test computes them.
     */
    @Test
    void shouldBeUnderstoodByWiresharkWithMarkers() throws Exception {
        assumeTrue(hasTshark(), "tshark is not installed");
        connect(MpaOptions.DEFAULT.withPauseNs(0).withMarkers(true));
        MemoryRegion here = pair.a.memory(1200, SiwPair.ALL_REMOTE);
        MemoryRegion there = pair.b.memory(1200, SiwPair.ALL_REMOTE);
        pair.b.qp.postReceive(new ReceiveRequest().begin(0).element(there, 0, 1200));
        send(new SendRequest().send().element(here, 0, 476), new SendRequest().write(there.address(), there.rkey()).element(here, 0, 1199),
            new SendRequest().read(there.address(), there.rkey()).element(here, 0, 1000).signaled(),
            new SendRequest().write(there.address() + 1199, there.rkey()).element(here, 0, 8));
        assertEquals(List.of(
            "40000\t\t\t", "7174\t\t\t",
            // Bytes 0 to 503 of the stream: a marker directly before the frame. 504 to 1735: at 512, in the header, at 1024 and at 1536.
            "40000\t494\t0\t0x03", "40000\t1213\t8,520,1032\t0x00",
            // 1736 to 1787. The response begins the other stream: a marker before it, then at 512 and 1024, counted from behind the first.
            "40000\t46\t\t0x01", "7174\t1014\t0,508,1020\t0x02",
            "40000\t22\t\t0x00", "7174\t38\t\t0x07"),
            dissect("-T", "fields", "-e", "tcp.srcport", "-e", "iwarp_mpa.ulpdulength", "-e", "iwarp_mpa.marker_fpduptr", "-e",
                "iwarp_rdma.opcode"));
        requireGoodCrcs(6);
    }
}
