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
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** Wireshark, which was written by others, takes what we send for what it is. Skipped where there is no tshark. */
class WiresharkTest {
    private static final long TSHARK_SECONDS = 60;

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

    @Test
    void shouldBeUnderstoodByWireshark() throws Exception {
        assumeTrue(hasTshark(), "tshark is not installed");
        HandshakePair pair = new HandshakePair();
        TcpCapture capture = new TcpCapture();
        pair.tcp.observe(capture);
        pair.await(MpaOptions.DEFAULT);
        pair.earB.onRequest = handshake -> handshake.accept(pair.b.qp, 4, 4, "welcome".getBytes());
        pair.initiate(MpaOptions.DEFAULT, 4, 4, "hello");
        pair.run();
        MemoryRegion here = pair.a.memory("hello, world, hello, world".getBytes());
        MemoryRegion there = pair.b.memory(64, SiwPair.ALL_REMOTE);
        for (int i = 0; i < 2; i++) {
            pair.b.qp.postReceive(new ReceiveRequest().begin(i).element(there, 0, 64));
        }
        SendRequest[] requests = {
            new SendRequest().send().solicited().element(here, 0, 5), new SendRequest().writeWithImmediate(there.address(), there.rkey(), 7)
            .element(here, 0, 26), new SendRequest().read(there.address(), there.rkey()).element(here, 0, 26),
            new SendRequest().fetchAndAdd(there.address(), there.rkey(), 1).element(here, 0, 8).signaled(),
            new SendRequest().write(there.address() + 60, there.rkey()).element(here, 0, 8)};
        for (SendRequest request : requests) {
            pair.a.qp.postSend(request);
            pair.run();
        }
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
        assertEquals(1, pair.b.counter("sent_terminates"));
        Path file = directory.resolve("iwarp.pcapng");
        capture.write(file);

        List<String> fields = tshark("-r", file.toString(), "-o", "tcp.try_heuristic_first:TRUE", "-T", "fields", "-e", "tcp.srcport", "-e",
            "iwarp_mpa.pdlength", "-e", "iwarp_mpa.ulpdulength", "-e", "iwarp_rdma.opcode", "-e", "iwarp_rdma.term_layer");
        assertEquals(List.of(
            "40000\t9\t\t\t", "7174\t11\t\t\t",
            // SEND with SE: 18 + 5. WRITE: 14 + 26. Immediate Data: 18 + 8, from RFC 7306.
            "40000\t\t23\t0x05\t", "40000\t\t40,26\t0x00,0x08\t",
            "40000\t\t46\t0x01\t", "7174\t\t40\t0x02\t",
            "40000\t\t70\t0x0a\t", "7174\t\t30\t0x0b\t",
            "40000\t\t22\t0x00\t", "7174\t\t38\t0x07\t0x01"), fields);
        String text = String.join("\n", tshark("-r", file.toString(), "-o", "tcp.try_heuristic_first:TRUE", "-V"));
        assertEquals(9, text.split("Good CRC32", -1).length - 1, "a good CRC in every frame");
        assertFalse(text.contains("Malformed"), text);
        assertTrue(text.contains("DDP layer") || text.contains("DDP"), "the layer of the Terminate");
    }
}
