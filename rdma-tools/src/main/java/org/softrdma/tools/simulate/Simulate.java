// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.softrdma.simulator.PacketTrace;
import org.softrdma.simulator.SeedResult;
import org.softrdma.simulator.SeedRun;
import org.softrdma.simulator.Seeds;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code softrdma simulate}: random workloads on a faulty network, with many seeds or, in detail, with one. */
@Command(name = "simulate", sortOptions = false,
    description = "Runs random workloads between two simulated devices on a faulty network, in virtual time, and checks everything that "
        + "can be seen: every byte of memory, every completion, every packet. A seed decides all that happens; the same seed and the same "
        + "sources do the same again.")
public final class Simulate implements Tool {
    private static final int CHUNK_SEEDS = 1_000;
    private static final SeedRange DEFAULT = new SeedRange(1, 2_000);

    /** Choice between one seed and a range. */
    static final class Which {
        @Option(names = "--seeds", paramLabel = "A..B", converter = SeedRange.Converter.class,
            description = "seeds to run, both included (default: 1..2000)")
        private SeedRange range;

        @Option(names = "--seed", paramLabel = "N", description = "run this one, and show where everything stood at the end")
        private Long one;
    }

    @ArgGroup(exclusive = true)
    private Which which = new Which();

    @Option(names = "--jobs", paramLabel = "N", description = "seeds run at a time (default: as many as there are processors)")
    private int jobs = Runtime.getRuntime().availableProcessors();

    @Option(names = "--verbose", description = "with --seed, every packet; else a line for every seed")
    private boolean verbose;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this and stop")
    private boolean help;

    @Override
    public int run(String name, List<String> arguments, Console console) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(this).name("softrdma " + name);
        CommandLine commandLine = new CommandLine(spec).setColorScheme(
            CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        try {
            commandLine.parseArgs(arguments.toArray(String[]::new));
            if (jobs < 1) {
                throw new ParameterException(commandLine, "--jobs is " + jobs + "; at least 1 is needed");
            }
        } catch (ParameterException wrong) {
            console.error("softrdma " + name + ": " + wrong.getMessage());
            console.error(commandLine.getUsageMessage().stripTrailing());
            return 1;
        }
        if (help) {
            console.print(commandLine.getUsageMessage());
            return 0;
        }
        return which.one != null ? runOne(which.one, console) : runMany(which.range == null ? DEFAULT : which.range, console);
    }

    private int runOne(long seed, Console console) {
        SeedResult result = SeedRun.of(seed, verbose ? new PacketTrace(console::println) : null);
        console.println(result.report());
        if (!result.passed() && !verbose) {
            console.println("  every packet of it: " + replay(seed));
        }
        return result.passed() ? 0 : 1;
    }

    private int runMany(SeedRange range, Console console) {
        Seeds sum = Seeds.NONE;
        Progress progress = new Progress(console.err());
        for (long from = range.from(); from <= range.to(); from += CHUNK_SEEDS) {
            long to = Math.min(range.to(), from + CHUNK_SEEDS - 1);
            long startNs = System.nanoTime();
            progress.chunk(from, to);
            Seeds chunk = Seeds.run(from, to, jobs, result -> {
                progress.clear();
                show(result, console);
                progress.one();
            });
            progress.clear();
            console.println(line("seeds " + from + ".." + to, chunk) + String.format(Locale.ROOT, ", %.0f s",
                (System.nanoTime() - startNs) / 1e9));
            console.out().flush();
            sum = sum.plus(chunk);
        }
        if (sum.count() > CHUNK_SEEDS) {
            console.println(line("all", sum));
        }
        return sum.failed() == 0 ? 0 : 1;
    }

    private void show(SeedResult result, Console console) {
        if (!result.passed()) {
            console.println(result.report());
            console.println("  replay it: " + replay(result.seed()));
            console.out().flush();
        } else if (verbose) {
            console.println("seed " + result.seed() + ": " + result.requests() + " work requests, " + result.packets() + " packets"
                + (result.died() ? ", with queue pairs that died as they may" : ""));
        }
    }

    private static String replay(long seed) {
        return "./softrdma simulate --verbose --seed " + seed;
    }

    private static String line(String what, Seeds sum) {
        return what + ": " + (sum.count() - sum.failed()) + " passed, " + sum.failed() + " failed; " + sum.requests() + " work requests, "
            + sum.packets() + " packets, queue pairs died in " + sum.died();
    }

    /** Progress display, on terminals only. */
    private static final class Progress {
        private static final int EVERY = 10;

        private final PrintStream err;
        private final boolean shown = System.console() != null && System.console().isTerminal();
        private long from;
        private long to;
        private int done;

        Progress(PrintStream err) {
            this.err = err;
        }

        void chunk(long first, long last) {
            from = first;
            to = last;
            done = 0;
        }

        void one() {
            done++;
            if (shown && done % EVERY == 0) {
                err.print("\rseeds " + from + ".." + to + ": " + done + " done ");
                err.flush();
            }
        }

        void clear() {
            if (shown && done >= EVERY) {
                err.print("\r\033[K");
                err.flush();
            }
        }
    }
}
