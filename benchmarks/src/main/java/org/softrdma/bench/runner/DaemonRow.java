// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Processor time and memory of a daemon without work: just started, then with a program that has a queue pair and waits for its peer, then
 * after programs.
 *
 * @param seconds that its processor time is looked at in each state
 */
record DaemonRow(String name, CPrograms programs, int seconds) implements Row {
    static final List<String> STATES = List.of("started", "waiting", "after");
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB");
    /** Time for the work that a start or end leaves. */
    private static final int SETTLE_MS = 1000;

    @Override
    public String missing() {
        return Peers.lacking("ibv_rc_pingpong", "ibverbs-utils");
    }

    @Override
    public Map<String, Double> run() throws IOException, Processes.Failed {
        CPrograms.Host host = programs.host();
        try {
            ProcessHandle daemon = host.daemon();
            Map<String, Double> values = new TreeMap<>();
            measure(daemon, "started", values);
            try (Processes processes = new Processes(programs.target())) {
                String port = Integer.toString(Processes.freePort());
                processes.start(host.environment(), host.underRun(List.of("ibv_rc_pingpong", "-d", "rxe0", "-g", "1", "-p", port)));
                Processes.awaitListener("tcp", port);
                measure(daemon, "waiting", values);
            }
            new ToolPair(programs.target(), host, ToolPair.Side.C).pingPong(true);
            measure(daemon, "after", values);
            return values;
        } finally {
            host.end();
        }
    }

    private void measure(ProcessHandle daemon, String state, Map<String, Double> values) throws Processes.Failed {
        Processes.pause(SETTLE_MS);
        long startNs = System.nanoTime();
        Duration before = processorTime(daemon);
        Processes.pause(TimeUnit.SECONDS.toMillis(seconds));
        Duration used = processorTime(daemon).minus(before);
        values.put("cpu_percent." + state, 100.0 * used.toNanos() / (System.nanoTime() - startNs));
        Matcher resident = RESIDENT.matcher(Machine.read("/proc/" + daemon.pid() + "/status"));
        if (resident.find()) {
            values.put("resident_MB." + state, Long.parseLong(resident.group(1)) * 1024 / 1e6);
        }
    }

    private static Duration processorTime(ProcessHandle daemon) throws Processes.Failed {
        return daemon.info().totalCpuDuration().orElseThrow(() -> new Processes.Failed("the daemon has ended"));
    }
}
