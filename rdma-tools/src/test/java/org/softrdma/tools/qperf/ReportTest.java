// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.softrdma.tools.ToolRun;
import org.softrdma.tools.qperf.Parameters.Side;

/** Expected texts were printed by the reports of qperf 0.4.11, given the same counts and times. */
class ReportTest {
    private static final long[] BEGIN = {123456, 2000, 30, 4000, 500000, 60, 7, 80, 9};
    private static final long[] HERE = {200, 37, 2, 181, 155, 1, 3, 29, 4};
    private static final long[] THERE = {201, 51, 0, 90, 250, 0, 1, 10, 0};

    /** Each begins with a line "## CASE LEVEL FLAGS". */
    static Stream<List<String>> reports() {
        List<List<String>> reports = new ArrayList<>();
        Golden.lines("reports.txt").forEach(line -> {
            if (line.startsWith("## ")) {
                reports.add(new ArrayList<>());
            }
            reports.getLast().add(line);
        });
        return reports.stream();
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldReportAsTheOriginal(List<String> lines) {
        String[] words = lines.getFirst().split(" ");
        Statistics local = times(17, HERE);
        Statistics remote = times(1024, THERE);
        Measure measure = count(Integer.parseInt(words[1]), local, remote);

        assertEquals(String.join("\n", lines.subList(1, lines.size())) + "\n", ToolRun.of(console -> {
            Display display = display(Integer.parseInt(words[2]), words[3]);
            ResultTable table = new ResultTable(display);
            new Report(display, table).measured(measure, local, remote, parameters());
            table.print(console);
            return 0;
        }).out());
    }

    private static Statistics times(int maxCompletions, long[] elapsed) {
        Statistics statistics = new Statistics();
        statistics.processors = 2;
        statistics.ticksPerSecond = 100;
        statistics.maxCompletions = maxCompletions;
        for (int i = 0; i < elapsed.length; i++) {
            statistics.begin[i] = BEGIN[i];
            statistics.end[i] = BEGIN[i] + elapsed[i];
        }
        return statistics;
    }

    private static void set(Statistics.Count count, long bytes, long messages) {
        count.bytes = bytes;
        count.messages = messages;
    }

    private static Measure count(int number, Statistics local, Statistics remote) {
        switch (number) {
            case 1 -> {
                set(local.sent, 2211512320L, 33745);
                set(remote.received, 2211446784L, 33744);
                return Measure.BANDWIDTH;
            }
            case 2 -> {
                set(local.sent, 40522, 40522);
                set(local.received, 40521, 40521);
                set(remote.sent, 40522, 40522);
                set(remote.received, 40522, 40522);
                return Measure.LATENCY;
            }
            case 3 -> {
                set(local.sent, 7000000000L, 213623);
                local.sent.errors = 3;
                set(remote.received, 5869142016L, 179112);
                return Measure.BANDWIDTHS;
            }
            case 4 -> {
                set(local.received, 610000000, 9307);
                set(local.remoteSent, 610000000, 9307);
                return Measure.BANDWIDTH;
            }
            case 5 -> {
                set(local.sent, 120000, 15000);
                set(local.remoteReceived, 119744, 14968);
                return Measure.MESSAGE_RATE;
            }
            default -> {
                remote.end[CpuTimes.REAL] = remote.begin[CpuTimes.REAL];
                set(local.received, 10, 10);
                return Measure.LATENCY;
            }
        }
    }

    private static Display display(int level, String flags) {
        Display display = new Display();
        display.statistics = level;
        display.times = level;
        display.used = level;
        display.bits = flags.contains("b");
        display.unifyNodes = flags.contains("n");
        display.unifyUnits = flags.contains("u");
        display.debug = flags.contains("D");
        return display;
    }

    private static Parameters parameters() {
        Parameters parameters = new Parameters();
        parameters.set("-t", Parameter.TIME, Parameters.BOTH, 2);
        parameters.useDefault(Parameter.TIMEOUT, 5);
        parameters.set("-m", Parameter.MSG_SIZE, Parameters.BOTH, 65536);
        parameters.set("-li", Parameter.ID, List.of(Side.LOCAL), "rxe0:1");
        parameters.use(Parameter.TIME, Parameter.MSG_SIZE, Parameter.ID);
        return parameters;
    }
}
