// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.softrdma.simulator.SeedResult;
import org.softrdma.simulator.Seeds;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.ToolFailure;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code softrdma simulate}: random workloads on a faulty network, with many seeds or, in detail, with one. */
@Command(name = "simulate", sortOptions = false,
    description = "Runs random workloads between simulated devices on a faulty network, in virtual time, and checks everything that can be "
        + "seen: every byte of memory, every completion, every packet or segment. A seed decides all that happens; the same seed and the "
        + "same sources do the same again.")
public final class Simulate extends AnnotatedTool {
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

    @Option(names = "--type", paramLabel = "TYPE", converter = SeedType.Converter.class, arity = "1",
        description = {"what runs (default: all)", "roce   RoCE: RC, UC and UD on a network that loses and reorders packets",
            "iwarp  iWARP over TCP connections that split, stall and break", "mixed  both at once, in one process and one virtual time",
            "mpa    set-up and end of iWARP connections", "cm     set-up and end of RoCE connections, without data",
            "all    each of these"})
    private List<SeedType> types = List.of(SeedType.values());

    @Option(names = "--jobs", paramLabel = "N", description = "seeds run at a time (default: as many as there are processors)")
    private int jobs = Runtime.getRuntime().availableProcessors();

    @Option(names = "--verbose", description = "with --seed, everything on the wire; else a line for every seed")
    private boolean verbose;

    @Option(names = "--svg", paramLabel = "FILE", description = "with --seed and one type, a sequence diagram of its first packets")
    private Path svg;

    @Option(names = "--packets", paramLabel = "N", description = "with --svg, packets to draw (default: 200)")
    private int packets = 200;

    @Override
    protected void check() {
        if (jobs < 1) {
            throw new Misused("--jobs is " + jobs + "; at least 1 is needed");
        }
        if (packets < 1) {
            throw new Misused("--packets is " + packets + "; at least 1 is needed");
        }
        if (svg != null && (which.one == null || types.size() != 1)) {
            throw new Misused("--svg draws one seed of one type; add --seed N and --type TYPE");
        }
    }

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        return which.one != null ? runOne(which.one, console) : runMany(which.range == null ? DEFAULT : which.range, console);
    }

    private int runOne(long seed, Console console) {
        int exitCode = 0;
        for (SeedType type : types) {
            SequenceDiagram diagram = svg == null ? null : new SequenceDiagram(packets);
            SeedResult result = type.run(seed, trace(diagram, console));
            console.println(type + " " + result.report());
            if (diagram != null) {
                write(diagram, type + " seed " + seed);
            }
            if (!result.passed()) {
                exitCode = 1;
                if (!verbose) {
                    console.println("  everything on the wire: " + replay(type, seed));
                }
            }
        }
        return exitCode;
    }

    /** Returns what takes the lines of the trace, or null if nothing wants them. */
    private Consumer<String> trace(SequenceDiagram diagram, Console console) {
        if (diagram == null) {
            return verbose ? console::println : null;
        }
        return verbose ? line -> {
            console.println(line);
            diagram.add(line);
        } : diagram::add;
    }

    private void write(SequenceDiagram diagram, String title) {
        try {
            Files.writeString(svg, diagram.svg(title));
        } catch (IOException refused) {
            throw new ToolFailure("softrdma simulate: cannot write " + svg + ": " + refused);
        }
    }

    private int runMany(SeedRange range, Console console) {
        Seeds sum = Seeds.NONE;
        Progress progress = new Progress(console.err(), (range.to() - range.from() + 1) * types.size());
        for (long from = range.from(); from <= range.to(); from += CHUNK_SEEDS) {
            long to = Math.min(range.to(), from + CHUNK_SEEDS - 1);
            for (SeedType type : types) {
                sum = sum.plus(runChunk(type, from, to, progress, console));
            }
        }
        if (sum.count() > CHUNK_SEEDS) {
            console.println(line("all", sum));
        }
        return sum.failed() == 0 ? 0 : 1;
    }

    private Seeds runChunk(SeedType type, long from, long to, Progress progress, Console console) {
        long startNs = System.nanoTime();
        progress.chunk(type, from, to);
        Seeds chunk = Seeds.run(from, to, jobs, seed -> type.run(seed, null), result -> {
            progress.clear();
            show(type, result, console);
            progress.one();
        });
        progress.clear();
        console.println(line(type + " seeds " + from + ".." + to, chunk) + String.format(Locale.ROOT, ", %.0f s",
            (System.nanoTime() - startNs) / 1e9));
        console.out().flush();
        return chunk;
    }

    private void show(SeedType type, SeedResult result, Console console) {
        if (!result.passed()) {
            console.println(type + " " + result.report());
            console.println("  replay it: " + replay(type, result.seed()));
            console.out().flush();
        } else if (verbose) {
            console.println(type + " seed " + result.seed() + ": " + result.requests() + " work requests, " + result.packets() + " packets"
                + (result.died() ? ", with queue pairs that died as they may" : ""));
        }
    }

    private static String replay(SeedType type, long seed) {
        return "./softrdma simulate --type " + type + " --verbose --seed " + seed;
    }

    private static String line(String what, Seeds sum) {
        return what + ": " + (sum.count() - sum.failed()) + " passed, " + sum.failed() + " failed; " + sum.requests() + " work requests, "
            + sum.packets() + " packets, queue pairs died in " + sum.died();
    }
}
