// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.softrdma.simulator.PacketTrace;
import org.softrdma.simulator.SeedResult;
import org.softrdma.simulator.SeedRun;
import org.softrdma.simulator.cm.CmSeedRun;
import org.softrdma.simulator.iwarp.IwarpSeedRun;
import org.softrdma.simulator.iwarp.MixedSeedRun;
import org.softrdma.simulator.iwarp.SetupSeedRun;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Types of seeds. The same number means another run in each. */
enum SeedType {
    /** RoCE devices on a network of packets. */
    ROCE((seed, trace) -> SeedRun.of(seed, trace == null ? null : new PacketTrace(trace))),
    /** IWARP devices over TCP. */
    IWARP(IwarpSeedRun::of),
    /** Both in one simulation. */
    MIXED(MixedSeedRun::of),
    /** Set-up and end of iWARP connections. */
    MPA(SetupSeedRun::of),
    /** Connections by InfiniBand's connection management, which RoCE uses. */
    CM(CmSeedRun::of);

    private static final String ALL_NAME = "all";

    private final BiFunction<Long, Consumer<String>, SeedResult> run;

    SeedType(BiFunction<Long, Consumer<String>, SeedResult> run) {
        this.run = run;
    }

    /**
     * Runs a seed.
     *
     * @param trace receives a line for everything on the wire; null for none
     */
    SeedResult run(long seed, Consumer<String> trace) {
        return run.apply(seed, trace);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads a type, or {@code all}. */
    static final class Converter implements ITypeConverter<List<SeedType>> {
        @Override
        public List<SeedType> convert(String text) {
            if (text.equals(ALL_NAME)) {
                return List.of(values());
            }
            for (SeedType each : values()) {
                if (each.toString().equals(text)) {
                    return List.of(each);
                }
            }
            throw new TypeConversionException("'" + text + "' is no type of seeds; write one of " + Arrays.toString(values()) + " or "
                + ALL_NAME);
        }
    }
}
