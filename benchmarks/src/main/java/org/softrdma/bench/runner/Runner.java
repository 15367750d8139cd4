// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** {@code benchmarks/run}: runs the rows, collects their values and writes the results. */
public final class Runner {
    private static final String USAGE = """
        benchmarks/run [OPTION]...
          --quick              two repetitions of what targets speak of, shorter: about 8 minutes; without it about 35
          --rows PATTERN       only rows whose name (group/contender) contains a match of this regular expression
          --repeat N           repetitions of every row (default 3, quick 2)
          --quiet-wait S       before each measurement wait up to S seconds for other programs to calm down (default 5)
          --out FILE           where results go (default benchmarks/RESULTS.md; with --rows benchmarks/target/RESULTS.md)
          --list               names of the rows, nothing else
          --jmh [ARGUMENT]...  the JMH micro benchmarks instead, with the gc profiler; arguments are JMH's
          --with-kernel-rxe    adds Linux 6.1's rxe and siw in a user-mode kernel, in the same run, some seconds a row;
                               builds it first where that was not done yet (see kernel-rxe/build: Debian packages, ten minutes)
        """;

    private boolean quick;
    private Pattern rows = Pattern.compile("");
    private boolean selected;
    private int repetitions;
    private int quietWait = 5;
    private Path out;
    private boolean list;
    private boolean withKernel;
    private double busiest;
    private double busySum;
    private int runs;
    /** Measurements to make, and those that were begun or left out. */
    private int total;
    private int done;
    private long beganNs;

    private Runner() {
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length > 0 && arguments[0].equals("--jmh")) {
            Micro.run(List.of(arguments).subList(1, arguments.length));
            return;
        }
        Runner runner = new Runner();
        if (!runner.parse(arguments)) {
            System.err.print(USAGE);
            System.exit(2);
        }
        runner.run();
    }

    private boolean parse(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> quick = true;
                case "--list" -> list = true;
                case "--rows", "--repeat", "--quiet-wait", "--out" -> {
                    if (i + 1 == arguments.length) {
                        return false;
                    }
                    takeValue(arguments[i], arguments[i + 1]);
                    i++;
                }
                case "--with-kernel-rxe" -> withKernel = true;
                default -> {
                    return false;
                }
            }
        }
        return true;
    }

    private void takeValue(String option, String value) {
        switch (option) {
            case "--rows" -> {
                rows = Pattern.compile(value);
                selected = true;
            }
            case "--repeat" -> repetitions = Integer.parseInt(value);
            case "--quiet-wait" -> quietWait = Integer.parseInt(value);
            default -> out = Path.of(value);
        }
    }

    private void run() throws IOException {
        Path home = Path.of(System.getProperty("softrdma.benchmarks", "benchmarks")).toAbsolutePath().normalize();
        Path target = Files.createDirectories(home.resolve("target"));
        KernelRxe kernel = withKernel && !list ? KernelRxe.prepare(home) : KernelRxe.notAsked();
        try (CPrograms programs = new CPrograms(home, target)) {
            run(home, target, kernel, new Plan(quick, target, kernel, programs));
        }
    }

    private void run(Path home, Path target, KernelRxe kernel, Plan plan) throws IOException {
        Map<String, List<Row>> groups = select(plan.groups());
        if (list) {
            groups.values().forEach(group -> group.forEach(row -> System.out.println(row.name())));
            return;
        }
        int count = repetitions > 0 ? repetitions : plan.repetitions();
        Samples samples = new Samples();
        Map<String, String> missing = new LinkedHashMap<>();
        String loadBefore = Machine.read("/proc/loadavg");
        beganNs = System.nanoTime();
        total = count * groups.values().stream().mapToInt(List::size).sum();
        for (List<Row> group : groups.values()) {
            for (int repetition = 1; repetition <= count; repetition++) {
                for (Row row : group) {
                    measure(row, repetition, samples, missing);
                }
            }
        }
        Map<String, String> facts = Machine.facts(home);
        facts.put("kernel rxe and siw", kernel.version());
        facts.put("load average", "before " + loadBefore + ", after " + Machine.read("/proc/loadavg"));
        facts.put("other programs", String.format(Locale.ROOT, "kept %.0f %% of the processor busy before a measurement on average, "
            + "%.0f %% at worst", 100 * busySum / Math.max(runs, 1), 100 * busiest));
        boolean noisy = busySum / Math.max(runs, 1) > 0.15;
        List<String> about = new ArrayList<>();
        about.add((quick ? "A **quick** run" : "A **full** run") + (selected ? " of rows matching `" + rows + "`" : "") + ", " + count
            + " repetitions, " + (System.nanoTime() - beganNs) / 60_000_000_000L + " minutes.");
        if (noisy) {
            about.add("**Noisy: other programs kept the machine busy; do not compare these figures with another run's.**");
        }
        Path file = out != null ? out.toAbsolutePath() : selected ? target.resolve("RESULTS.md") : home.resolve("RESULTS.md");
        new Results(samples, plan, noisy).write(file, file.resolveSibling("plots"), facts, about, missing);
        System.err.println("written: " + file);
    }

    private Map<String, List<Row>> select(Map<String, List<Row>> all) {
        Map<String, List<Row>> chosen = new LinkedHashMap<>();
        all.forEach((group, members) -> chosen.put(group, members.stream().filter(row -> rows.matcher(row.name()).find()).toList()));
        return chosen;
    }

    private void measure(Row row, int repetition, Samples samples, Map<String, String> missing) throws IOException {
        done++;
        String why = row.missing();
        if (why != null) {
            missing.put(row.name(), why);
            return;
        }
        double busy = Machine.awaitQuiet(quietWait);
        busiest = Math.max(busiest, busy);
        busySum += busy;
        runs++;
        System.err.printf(Locale.ROOT, "%4d/%d  %s%-34s %d ", done, total, timeLeft(), row.name(), repetition);
        long startNs = System.nanoTime();
        try {
            Map<String, Double> values = row.run();
            samples.add(row.name(), values);
            System.err.printf(Locale.ROOT, "%5.1f s  %s%n", (System.nanoTime() - startNs) / 1e9, brief(values));
        } catch (Processes.Failed failed) {
            samples.fail(row.name(), failed.getMessage());
            System.err.println("FAILED: " + failed.getMessage());
        }
    }

    /** Estimate for people who watch: what is left takes as long as what was done, a row as the other. */
    private String timeLeft() {
        boolean watched = System.console() != null && System.console().isTerminal();
        long minutes = Math.round((System.nanoTime() - beganNs) / 60e9 / Math.max(1, done - 1) * (total - done + 1));
        return watched && done > 1 ? String.format(Locale.ROOT, "%3d min left  ", minutes) : "";
    }

    /** The few values that tell most. */
    private static String brief(Map<String, Double> values) {
        StringBuilder text = new StringBuilder();
        for (String key : List.of("kmsgps.64", "GBps.1048576", "us.p50", "us.mean", "us.iteration", "us.stat", "us.context", "kmsgps.1",
            "kmsgps.1000", "heap", "native", "many_ratio", "ms", "cpu_percent.waiting", "resident_MB.waiting")) {
            if (values.containsKey(key)) {
                text.append(key).append(' ').append(Results.number(values.get(key))).append("  ");
            }
        }
        return text.toString();
    }
}
