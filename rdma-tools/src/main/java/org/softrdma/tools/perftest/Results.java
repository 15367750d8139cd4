// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.JsonResult;

/** Prints each result: a row of the original's table, one number, or JSON; optionally writes the last one to a file. */
final class Results {
    private static final String HEADER = " #bytes     #iterations    BW peak[%1$s/sec]    BW average[%1$s/sec]   MsgRate[Mpps]\n";
    private static final String ROW = " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f\n";
    private static final String PRECISE_ROW = " %-7d    %d           %-7.6f            %-7.6f            %-7.6f\n";
    /** Limit below which two digits do not suffice, Gbit/s. */
    private static final double SMALL = 0.1;
    private static final String LATENCY_HEADER = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
        + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n";
    private static final String LATENCY_ROW = " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f"
        + " \t\t%-7.2f\n";
    private static final String TIMED_HEADER = " #bytes        #iterations       t_avg[usec]    tps average\n";
    private static final String TIMED_ROW = " %-7d       %d            %-7.2f        %-7.2f\n";
    private static final String NUMBER = "%f\n";
    private static final double NS_A_SECOND = 1e9;
    private static final double NS_A_MICROSECOND = 1e3;

    private final Parameters parameters;
    private final Console console;
    private final TestInfo info;

    Results(Parameters parameters, Console console, TestInfo info) {
        this.parameters = parameters;
        this.console = console;
        this.info = info;
    }

    /** Prints text for people, unless only the bare result is requested. */
    void say(String text) {
        if (parameters.printsEverything()) {
            console.print(text);
            console.out().flush();
        }
    }

    void line() {
        say(CommandLine.LINE + "\n");
    }

    void header() {
        line();
        say(headerLine());
    }

    private String headerLine() {
        if (parameters.latency) {
            return parameters.timed ? TIMED_HEADER : LATENCY_HEADER;
        }
        return String.format(HEADER, parameters.gigabits ? "Gb" : "MB");
    }

    // ---- bandwidth ----

    void bandwidth(BandwidthReport report) {
        boolean precise = parameters.gigabits && report.average() < SMALL;
        switch (parameters.output) {
            case BANDWIDTH -> console.printf(NUMBER, report.average());
            case MESSAGE_RATE -> console.printf(NUMBER, report.rate());
            case JSON -> json(numbers(report, precise));
            default -> console.printf(precise ? PRECISE_ROW : ROW, report.size(), report.iterations(), report.peak(), report.average(),
                report.rate());
        }
        console.out().flush();
        file(numbers(report, precise));
    }

    private static Map<String, Object> numbers(BandwidthReport report, boolean precise) {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("MsgSize", report.size());
        numbers.put("n_iterations", report.iterations());
        numbers.put("BW_peak", JsonResult.fixed(report.peak(), precise ? 6 : 2));
        numbers.put("BW_average", JsonResult.fixed(report.average(), precise ? 6 : 2));
        numbers.put("MsgRate", JsonResult.fixed(report.rate(), 6));
        return numbers;
    }

    /** Prints each direction by itself, after their sum. */
    void bothWays(BandwidthReport own, BandwidthReport peers) {
        section("Local", own);
        line();
        section("Remote", peers);
    }

    private void section(String name, BandwidthReport report) {
        line();
        say("\n " + name + " results: \n");
        header();
        bandwidth(report);
    }

    // ---- latency ----

    void latency(int messageBytes, LatencyRecorder recorder) {
        int messagesARound = parameters.verb.fetches() ? 1 : 2;
        if (parameters.timed) {
            timedLatency(messageBytes, recorder.counted(), recorder.countedNs(), messagesARound);
        } else {
            latency(messageBytes, recorder.rounds(), NS_A_MICROSECOND * messagesARound);
        }
        console.out().flush();
    }

    private void latency(int messageBytes, long[] rounds, double nsToUnit) {
        if (parameters.unsorted) {
            list(rounds, nsToUnit);
        }
        if (parameters.histogram) {
            list(Arrays.stream(rounds).sorted().toArray(), nsToUnit);
        }
        if (parameters.unsorted || parameters.histogram) {
            header();
        }
        LatencyStatistics statistics = LatencyStatistics.of(rounds, nsToUnit);
        Map<String, Object> numbers = numbers(messageBytes, statistics);
        switch (parameters.output) {
            case LATENCY -> console.printf(NUMBER, statistics.average());
            case JSON -> json(numbers);
            default -> console.printf(LATENCY_ROW, messageBytes, parameters.iterations, statistics.minimum(), statistics.maximum(),
                statistics.typical(), statistics.average(), statistics.deviation(), statistics.percentile99(), statistics.percentile999());
        }
        file(numbers);
    }

    private void list(long[] rounds, double nsToUnit) {
        if (parameters.output != Parameters.Output.JSON) {
            console.print("#, usec\n");
            for (int i = 0; i < rounds.length; i++) {
                console.printf("%d, %.3f\n", i + 1, rounds[i] / nsToUnit);
            }
        }
    }

    private Map<String, Object> numbers(int messageBytes, LatencyStatistics statistics) {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("MsgSize", messageBytes);
        numbers.put("n_iterations", parameters.iterations);
        numbers.put("t_min", JsonResult.fixed(statistics.minimum(), 2));
        numbers.put("t_max", JsonResult.fixed(statistics.maximum(), 2));
        numbers.put("t_typical", JsonResult.fixed(statistics.typical(), 2));
        numbers.put("t_avg", JsonResult.fixed(statistics.average(), 2));
        numbers.put("t_stdev", JsonResult.fixed(statistics.deviation(), 2));
        numbers.put("percentile_99", JsonResult.fixed(statistics.percentile99(), 2));
        numbers.put("percentile_99.9", JsonResult.fixed(statistics.percentile999(), 2));
        return numbers;
    }

    private void timedLatency(int messageBytes, long rounds, long elapsedNs, int messagesARound) {
        double average = elapsedNs / NS_A_MICROSECOND / messagesARound / rounds;
        double roundsASecond = rounds / (elapsedNs / NS_A_SECOND);
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("MsgSize", messageBytes);
        numbers.put("n_iterations", rounds);
        numbers.put("t_avg", JsonResult.fixed(average, 2));
        numbers.put("tps_average", JsonResult.fixed(roundsASecond, 2));
        switch (parameters.output) {
            case LATENCY -> console.printf(NUMBER, average);
            case JSON -> json(numbers);
            default -> console.printf(TIMED_ROW, messageBytes, rounds, average, roundsASecond);
        }
        file(numbers);
    }

    // ---- JSON ----

    private void json(Map<String, Object> numbers) {
        console.println(toJson(numbers));
    }

    private void file(Map<String, Object> numbers) {
        if (parameters.jsonFile) {
            try {
                Files.writeString(Path.of(parameters.jsonFileName), toJson(numbers) + "\n");
            } catch (IOException refused) {
                console.error("Cannot write " + parameters.jsonFileName + ": " + refused.getMessage());
            }
        }
    }

    private String toJson(Map<String, Object> numbers) {
        return JsonResult.of(info.json(), numbers);
    }
}
