// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.soak;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.softrdma.host.config.LinkStore;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.config.SiwLinkType;
import org.softrdma.tools.ToolProcesses;

/**
 * Mixed load over RoCE and iWARP at the same time, with connections that start and end all the time: every byte is checked, and memory,
 * descriptors and threads of the four processes stay flat. {@code -Dsoftrdma.soak.minutes=N} sets the duration, 12 hours without it.
 */
@Tag("soak")
@EnabledOnOs(OS.LINUX)
class MixedLoadSoakTest extends ToolProcesses {
    private static final long MINUTES = Long.getLong("softrdma.soak.minutes", 720);
    /** Mean pause after an operation; 0 uses the whole machine. */
    private static final long PAUSE_MS = Long.getLong("softrdma.soak.pause", 2);
    private static final int CLIENTS = 4;

    private final Map<String, Started> processes = new TreeMap<>();

    @Test
    void shouldStayFlatUnderMixedLoad() throws Exception {
        addLink("rxe0", "rxe");
        addLink("siw0", "siw");
        // As patient with a busy machine as RoCE's connection management.
        LinkStore.at(directory).set("siw0", SiwLinkType.MPA, MpaOptions.parse("timeout=60s"));
        long seconds = TimeUnit.MINUTES.toSeconds(MINUTES);
        for (String device : List.of("rxe0", "siw0")) {
            environment.put("SOFTRDMA_CM_DEVICES", device);
            int port = freePort();
            // The server outlives its clients, which finish their last connection after the deadline.
            Started server = startAndAwait(device, "server " + port + " " + (seconds + 60));
            processes.put(device + " server", server);
            processes.put(device + " client",
                startMain("client " + port + " " + seconds + " " + CLIENTS + " " + PAUSE_MS + " " + device.hashCode()));
        }
        List<Executable> checks = new ArrayList<>();
        for (var each : processes.entrySet()) {
            int exitCode = each.getValue().await().exitCode();
            checks.add(() -> assertEquals(0, exitCode, () -> each.getKey() + " failed; " + errors()));
            checks.add(() -> assertFlat(each.getKey(), each.getValue().out()));
        }
        // One that failed does not keep the figures of the others from being printed.
        assertAll(checks);
    }

    /** Standard error of all processes: the cause may be another one's than that of the one that failed. */
    private String errors() {
        StringBuilder all = new StringBuilder();
        processes.forEach((name, process) -> all.append(name).append(": ").append(read(process.err())).append('\n'));
        return all.toString();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException gone) {
            return gone.toString();
        }
    }

    private Started startAndAwait(String device, String line) throws Exception {
        Started server = startMain(line);
        waitFor(device + ": the server does not listen", server, () -> Files.readString(server.out()).contains(LoadServer.LISTENING));
        return server;
    }

    private Started startMain(String line) throws Exception {
        return startClass(LoadProcess.class, line);
    }

    private static void assertFlat(String process, Path out) throws Exception {
        List<Sample> samples = Files.readAllLines(out).stream().filter(Sample::isSample).map(Sample::parse).toList();
        assertTrue(samples.size() >= 16, () -> process + ": " + samples.size() + " samples are too few");
        Sample last = samples.getLast();
        System.out.println(process + ": " + samples.size() + " samples, last " + last);
        assertTrue(last.connections() > 0 && last.operations() > 0, () -> process + ": " + last);

        assertFlat(process, "heap, KiB", samples, Sample::heapKiB, 1.1, 2048);
        assertFlat(process, "resident, KiB", samples, Sample::residentKiB, 1.1, 8192);
        assertFlat(process, "descriptors", samples, Sample::descriptors, 1, CLIENTS);
        assertFlat(process, "threads", samples, Sample::threads, 1, CLIENTS);
    }

    /** Compares the medians of the second and of the last quarter; the first quarter is warm-up. */
    private static void assertFlat(String process, String what, List<Sample> samples, ToLongFunction<Sample> figure, double factor,
                                   long slack) {
        int quarter = samples.size() / 4;
        long before = median(samples.subList(quarter, 2 * quarter), figure);
        long after = median(samples.subList(samples.size() - quarter, samples.size()), figure);
        System.out.println(process + ": " + what + ": " + before + " in the second quarter, " + after + " in the last");
        assertTrue(after <= before * factor + slack, () -> process + ": " + what + " grew from " + before + " to " + after);
    }

    private static long median(List<Sample> samples, ToLongFunction<Sample> figure) {
        long[] sorted = samples.stream().mapToLong(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
