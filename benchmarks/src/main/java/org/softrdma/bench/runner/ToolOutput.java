// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Results that perftest and rdma-core's examples print, and our tools of the same names. */
final class ToolOutput {
    private static final String NUMBER = "\\s+([0-9.]+)";
    /** Columns: size, iterations, then least, greatest, typical and average time, deviation, 99 % and 99.9 % percentile. */
    private static final Pattern LATENCY = Pattern.compile("(?m)^\\s*(\\d+)" + NUMBER.repeat(8) + "\\s*$");
    /** Columns: size, iterations, peak and average bandwidth, million messages a second. */
    private static final Pattern BANDWIDTH = Pattern.compile("(?m)^\\s*(\\d+)" + NUMBER.repeat(4) + "\\s*$");
    private static final Pattern DAEMON = Pattern.compile("runs as process (\\d+)");
    private static final Pattern ITERATION = Pattern.compile("\\d+ iters in [0-9.]+ seconds =" + NUMBER + " usec/iter");
    /** Bytes of perftest's MB. */
    private static final int MIB = 1 << 20;

    private ToolOutput() {
    }

    /** Reads the result of {@code ib_*_lat}: half a round trip, in microseconds. */
    static Map<String, Double> latency(String output) throws Processes.Failed {
        Matcher row = find(LATENCY, output);
        Map<String, Double> values = new TreeMap<>();
        values.put("us.p50", number(row, 5));
        values.put("us.mean", number(row, 6));
        values.put("us.p99", number(row, 8));
        values.put("us.p99.9", number(row, 9));
        return values;
    }

    /** Reads the result of {@code ib_*_bw}, of one size. */
    static Map<String, Double> bandwidth(String output) throws Processes.Failed {
        Matcher row = find(BANDWIDTH, output);
        return Map.of("GBps." + row.group(1), number(row, 4) * MIB / 1e9);
    }

    /** Reads the result of {@code ibv_*_pingpong}: a whole round trip, in microseconds. */
    static Map<String, Double> pingPong(String output) throws Processes.Failed {
        return Map.of("us.iteration", number(find(ITERATION, output), 1));
    }

    /** Reads the daemon's process ID in what {@code softrdma daemon status} prints. */
    static long daemon(String output) throws Processes.Failed {
        return Long.parseLong(find(DAEMON, output).group(1));
    }

    private static Matcher find(Pattern pattern, String output) throws Processes.Failed {
        Matcher matcher = pattern.matcher(output);
        if (!matcher.find()) {
            throw new Processes.Failed("no result: " + Processes.tail(output));
        }
        return matcher;
    }

    private static double number(Matcher matcher, int group) {
        return Double.parseDouble(matcher.group(group));
    }
}
