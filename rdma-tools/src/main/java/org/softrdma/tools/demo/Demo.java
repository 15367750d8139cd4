// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.demo;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.host.config.NetDevice;
import org.softrdma.rxe.Rxe;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code softrdma demo}: all operations of a reliable connection between two devices of this process, over real UDP sockets. */
@Command(name = "demo", sortOptions = false,
    description = "Connects two RoCE devices of this process over UDP sockets, runs every operation of a reliable connection "
        + "and checks every byte.")
public final class Demo extends AnnotatedTool {
    @Option(names = "--netdev", paramLabel = "IF", description = "the interface to run over (default: the loopback)")
    private String netdev;

    @Option(names = "--seed", paramLabel = "N", description = "seed of the data (default: a new one each time; it is printed)")
    private Long seed;

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        String over = netdev == null ? loopback() : netdev;
        long chosenSeed = seed == null ? ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE) : seed;
        try (DemoEnd first = new DemoEnd(Rxe.device("demo0", over), DemoRun.MEMORY_BYTES);
             DemoEnd second = new DemoEnd(Rxe.device("demo1", over), DemoRun.MEMORY_BYTES)) {
            return run(first, second, chosenSeed, console);
        }
    }

    private static String loopback() {
        for (NetDevice each : NetDevice.list()) {
            if (each.loopback() && each.up()) {
                return each.name();
            }
        }
        throw new ToolFailure("softrdma demo: no loopback interface is up; choose another one with --netdev");
    }

    private static int run(DemoEnd first, DemoEnd second, long seed, Console console) {
        first.connect(second);
        second.connect(first);
        Pattern pattern = new Pattern(seed);

        console.printf("%s and %s, two RoCE devices of this process, connected over UDP port 4791 on %s\n\n",
            first.name(), second.name(), first.netdev());
        console.printf("%-26s %8s %9s  %-12s %s\n", "operation", "size", "messages", "data checked", "result");
        console.out().flush();
        boolean right = true;
        int number = 0;
        for (DemoCase each : DemoCase.WARM_UP) {
            right &= execute(new DemoRun(first, second, pattern, number++, each), each, null, console);
        }
        for (DemoCase each : DemoCase.ALL) {
            right = right && execute(new DemoRun(first, second, pattern, number++, each), each, console, console);
        }
        summary(first, second, seed, right, console);
        return right ? 0 : 1;
    }

    /**
     * Runs one case.
     *
     * @param shown console for the line of a case that passed; null for none
     * @return whether it passed
     */
    private static boolean execute(DemoRun run, DemoCase demoCase, Console shown, Console console) {
        try {
            long elapsedNs = run.run();
            if (shown != null) {
                line(demoCase, "✓", result(demoCase, elapsedNs), shown);
            }
            return true;
        } catch (DemoRun.Wrong wrong) {
            line(demoCase, "✗ WRONG", wrong.getMessage(), console);
            return false;
        }
    }

    private static void line(DemoCase demoCase, String mark, String result, Console console) {
        console.printf("%-26s %8s %9d  %-12s %s\n", demoCase.operation().title(), demoCase.sizeText(), demoCase.messages(), mark, result);
        console.out().flush();
    }

    private static String result(DemoCase demoCase, long elapsedNs) {
        if (demoCase.pipelined()) {
            double megabytes = (double) demoCase.size() * demoCase.messages() / 1e6;
            return String.format(Locale.ROOT, "%8.1f MB/s", megabytes / (elapsedNs / 1e9));
        }
        return String.format(Locale.ROOT, "%8.1f µs each", elapsedNs / 1e3 / demoCase.messages());
    }

    private static void summary(DemoEnd first, DemoEnd second, long seed, boolean right, Console console) {
        console.println("");
        console.println((right ? "All data was right" : "NOT all data was right") + ", between " + first.gid() + " and "
            + second.gid() + " (seed " + seed + ").");
        console.println("Packets sent " + sum(first, second, "sent_pkts") + ", received " + sum(first, second, "rcvd_pkts")
            + ", retransmissions " + sum(first, second, "completer_retry_err") + ".");
        console.println("");
        console.println(right
            ? "Next: `softrdma ibv_devices` lists your devices; `softrdma ibv_rc_pingpong -g 1` in one terminal and\n"
                + "`softrdma ibv_rc_pingpong -g 1 localhost` in another talk to each other, or to a kernel's or a NIC's RoCE.\n"
                + "`softrdma lab` starts the laboratory: packets as diagrams and lessons, in your browser."
            : "Run it again with --seed " + seed + "; if it fails again, please report it with this output.");
    }

    private static long sum(DemoEnd first, DemoEnd second, String counter) {
        return first.counter(counter) + second.counter(counter);
    }
}
