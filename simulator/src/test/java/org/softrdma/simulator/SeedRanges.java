// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** Runs ranges of seeds of any type, and fails with the command that replays the first seed that failed. */
public final class SeedRanges {
    private static final String SOAK_SEEDS = "softrdma.seeds";

    private SeedRanges() {
    }

    /** Runs the range of {@code -Dsoftrdma.seeds=FROM..TO}. */
    public static void runChosen(String type, LongFunction<SeedResult> run) {
        String[] range = System.getProperty(SOAK_SEEDS, "2001..50000").split("\\.\\.");
        run(type, Long.parseLong(range[0]), Long.parseLong(range[1]), run);
    }

    public static Seeds run(String type, long from, long to, LongFunction<SeedResult> run) {
        List<String> failures = new ArrayList<>();
        Seeds sum = Seeds.run(from, to, Runtime.getRuntime().availableProcessors(), run, result -> {
            if (!result.passed()) {
                failures.add(result.report() + "\n  again with: ./softrdma simulate --type " + type + " --verbose --seed " + result.seed());
            }
        });
        System.out.println(type + " seeds " + from + ".." + to + ": " + sum);
        if (!failures.isEmpty()) {
            fail(failures.size() + " of " + sum.count() + " seeds failed, the first:\n" + failures.getFirst());
        }
        assertEquals(to - from + 1, sum.count());
        return sum;
    }

    /** Asserts that the same seed does the same again, packet by packet. */
    public static void assertRepeatable(LongFunction<SeedResult> run) {
        for (long seed : List.of(3L, 17L, 255L)) {
            SeedResult first = run.apply(seed);
            SeedResult again = run.apply(seed);
            assertEquals(first.digest(), again.digest(), "seed " + seed);
            assertEquals(first.status(), again.status());
            assertNotEquals(0, first.digest());
        }
    }
}
