// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report, from made-up values: what it says about targets must follow from them. */
class ResultsTest {
    @TempDir
    Path directory;

    private String written(Samples samples, Map<String, String> missing) throws Exception {
        return written(samples, missing, false);
    }

    private String written(Samples samples, Map<String, String> missing, boolean noisy) throws Exception {
        Path file = directory.resolve("RESULTS.md");
        Plan plan = new Plan(true, directory, KernelRxe.notAsked(), new CPrograms(directory, directory));
        new Results(samples, plan, noisy).write(file, directory.resolve("plots"), Map.of("kernel", "test"), List.of("A test."), missing);
        return Files.readString(file);
    }

    @Test
    void shouldTakeTheMedianOfRepetitions() {
        Samples samples = new Samples();
        for (double value : new double[] {9, 1, 4}) {
            samples.add("latency/x", Map.of("us.p50", value));
        }
        assertEquals(4, samples.median("latency/x", "us.p50"));
        samples.add("latency/x", Map.of("us.p50", 5.0));
        assertEquals(4.5, samples.median("latency/x", "us.p50"));
        assertEquals(1, samples.min("latency/x", "us.p50"));
        assertEquals(9, samples.max("latency/x", "us.p50"));
    }

    @Test
    void shouldSayWhetherARatioMeetsItsTarget() throws Exception {
        Samples samples = new Samples();
        samples.add("bandwidth/rc-write-1024", Map.of("GBps.1048576", 3.1));
        samples.add("bandwidth/ceiling-1024", Map.of("GBps.1048576", 4.0));
        samples.add("bandwidth/ucx-put", Map.of("GBps.1048576", 1.1));
        samples.add("bandwidth/kernel-rxe-write-1024", Map.of("GBps.1048576", 1.5));
        String text = written(samples, Map.of());
        assertTrue(text.contains("MTU 1024, of the protocol-shaped ceiling | ≥ 0.750 | 0.775 | 3.10 / 4.00 | met |"), text);
        assertTrue(text.contains("to UCX tcp put | ≥ 3.00 | 2.82 | 3.10 / 1.10 | **not met** |"), text);
        assertTrue(text.contains("MTU 1024, to kernel rxe (UML) | ≥ 2.00 | 2.07 | 3.10 / 1.50 | met |"), text);
        assertTrue(text.contains("READ 1 MiB to WRITE, MTU 1024 | ≥ 0.800 | not measured"), text);
    }

    @Test
    void shouldJudgeLossByGoodputAndByTheLongestStall() throws Exception {
        Samples samples = new Samples();
        samples.add("loss/write-1024-0%", Map.of("GBps.1048576", 2.0, "stall_ms.1048576", 1.0));
        samples.add("loss/write-1024-0.1%", Map.of("GBps.1048576", 1.1, "stall_ms.1048576", 20.0, "client.retransmitted_pkts", 9.0));
        samples.add("loss/write-1024-0.1%", Map.of("GBps.1048576", 1.1, "stall_ms.1048576", 135.0));
        samples.add("loss/write-1024-0.1%-early", Map.of("GBps.1048576", 1.6, "stall_ms.1048576", 60.0));
        String text = written(samples, Map.of());
        assertTrue(text.contains("MTU 1024, recovery early, at 0.1 % loss to no loss | ≥ 0.500 | 0.800 | 1.60 / 2.00 | met |"), text);
        assertTrue(text.contains("recovery early, longest stall at 0.1 % loss, ms | ≤ 67 | 60.0 | one ACK timeout | met |"), text);
        assertTrue(text.contains("| WRITE 1 MiB, MTU 1024, at 0.1 % loss to no loss | ≥ 0.500 | 0.550 | 1.10 / 2.00 | met |"), text);
        assertTrue(text.contains("longest stall at 0.1 % loss, ms | ≤ 134 | 135 | two ACK timeouts | **not met** |"), text);
        assertTrue(text.contains("## Goodput at loss"), text);
        assertFalse(text.contains("retransmitted_pkts"), "nothing wrong with that where packets are lost");
    }

    @Test
    void shouldShowLinksSideBySide() throws Exception {
        Samples samples = new Samples();
        samples.add("links/write-1024-udp-v2", Map.of("GBps.65536", 3.0, "GBps.1048576", 4.0));
        samples.add("links/write-1024-raw-v1", Map.of("GBps.65536", 0.5, "GBps.1048576", 0.4));
        samples.add("links/send-poll-raw-v1", Map.of("us.p50", 4.6));
        String text = written(samples, Map.of());
        assertTrue(text.contains("| write-1024-udp-v2 | 3.00 | 4.00 |\n| write-1024-raw-v1 | 0.500 | 0.400 |"), text);
        assertTrue(text.contains("| send-poll-raw-v1 | 4.60 |"), text);
    }

    @Test
    void shouldShowCProgramsBesideOurTools() throws Exception {
        Samples samples = new Samples();
        samples.add("c/daemon", Map.of("cpu_percent.started", 0.2, "resident_MB.started", 61.0, "resident_MB.after", 75.0));
        samples.add("c/calls-outside", Map.of("us.stat", 0.5));
        samples.add("c/calls-run", Map.of("us.stat", 8.0, "us.stat_ours", 20.0));
        samples.add("c/ib_send_lat-64-c", Map.of("us.p50", 6.0, "us.mean", 8.0));
        samples.add("c/ib_send_lat-64-kernel-rxe", Map.of("us.mean", 4000.0));
        samples.add("c/ib_send_lat-64-java", Map.of("us.p50", 4.0));
        samples.add("c/ib_write_bw-c", Map.of("GBps.65536", 2.0, "GBps.1048576", 3.0));
        samples.add("c/ib_write_bw-c-udp", Map.of("GBps.1048576", 1.5));
        samples.add("c/ib_write_bw-java", Map.of("GBps.65536", 2.5));
        samples.add("c/ib_write_bw-kernel-rxe", Map.of("GBps.1048576", 1.2));
        String text = written(samples, Map.of());
        assertTrue(text.contains("| ib_send_lat-64, p50 | 1.50 | 6.00 / 4.00 |\n"
            + "| ib_send_lat-64, mean, to kernel rxe (UML) | 0.002 | 8.00 / 4,000 |\n| ib_write_bw 64 KiB | 0.800 | 2.00 / 2.50 |\n"
            + "| ib_write_bw 1 MiB, to kernel rxe (UML) | 2.50 | 3.00 / 1.20 |\n"
            + "| ib_write_bw 1 MiB, to kernel rxe (UML), wire udp | 1.25 | 1.50 / 1.20 |\n"
            + "| stat of an ordinary file, to outside of run | 16.0 | 8.00 / 0.500 |\n\n"), text);
        assertTrue(text.contains("| daemon | 61.0 |  | 75.0 |"), text);
        assertFalse(text.contains("| ib_write_bw-c | 0"), "no bandwidth among latencies");
    }

    @Test
    void shouldNotJudgeWhatWasMeasuredOnABusyMachine() throws Exception {
        Samples samples = new Samples();
        samples.add("bandwidth/rc-write-1024", Map.of("GBps.1048576", 3.1));
        samples.add("bandwidth/ceiling-1024", Map.of("GBps.1048576", 4.0));
        String text = written(samples, Map.of(), true);
        assertTrue(text.contains("| 0.775 | 3.10 / 4.00 | not judged |"), text);
    }

    @Test
    void shouldNameWhatDidNotRunOrFailed() throws Exception {
        Samples samples = new Samples();
        samples.fail("latency/y", "not done within 3 s");
        Map<String, String> missing = new LinkedHashMap<>();
        missing.put("latency/z", "z is not installed");
        missing.put("bandwidth/kernel-rxe-write-1024", "not asked for");
        missing.put("bandwidth/kernel-rxe-write-4096", "not asked for");
        String text = written(samples, missing);
        assertTrue(text.contains("`latency/y` failed at least once: not done within 3 s"), text);
        assertTrue(text.contains("`latency/z` did not run: z is not installed"), text);
        assertTrue(text.contains("- `bandwidth/kernel-rxe-write-1024`, `bandwidth/kernel-rxe-write-4096` did not run: not asked for"),
            text);
        assertTrue(text.contains("WRITE 1 MiB, MTU 1024, to kernel rxe (UML) | ≥ 2.00 | not measured"), text);
    }
}
