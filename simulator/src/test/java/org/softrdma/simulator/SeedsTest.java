// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A failing seed says how to run it again alone. {@code -Dsoftrdma.seeds=FROM..TO} chooses those of the long run. */
class SeedsTest {
    private static final String SOAK_SEEDS = "softrdma.seeds";

    @Test
    void shouldDoEverythingExactlyOnceWhateverTheWireAndTheApplicationsDo() {
        runAll(1, 2_000);
    }

    @Tag("soak")
    @Test
    void shouldDoEverythingExactlyOnceOverManySeeds() {
        String[] range = System.getProperty(SOAK_SEEDS, "2001..50000").split("\\.\\.");
        runAll(Long.parseLong(range[0]), Long.parseLong(range[1]));
    }

    @Test
    void shouldDoTheSameAgainForTheSameSeed() {
        for (long seed : List.of(3L, 17L, 255L)) {
            SeedResult first = SeedRun.of(seed);
            SeedResult again = SeedRun.of(seed);
            assertEquals(first.digest(), again.digest(), "seed " + seed);
            assertEquals(first.status(), again.status());
            assertNotEquals(0, first.digest());
        }
    }

    /** In both, a window is to be freed before any packet is on the wire, when its binding may not even have been executed. */
    @Test
    void shouldFreeNoWindowBeforeItIsBound() {
        for (long seed : List.of(109_048L, 112_229L)) {
            SeedResult result = SeedRun.of(seed);
            assertTrue(result.passed(), result::report);
        }
    }

    private static void runAll(long from, long to) {
        List<String> failures = new ArrayList<>();
        Seeds sum = Seeds.run(from, to, Runtime.getRuntime().availableProcessors(), result -> {
            if (!result.passed()) {
                failures.add(result.report() + "\n  again with: ./softrdma simulate --verbose --seed " + result.seed());
            }
        });
        System.out.println("seeds " + from + ".." + to + ": " + sum);
        if (!failures.isEmpty()) {
            fail(failures.size() + " of " + sum.count() + " seeds failed, the first:\n" + failures.getFirst());
        }
        assertEquals(to - from + 1, sum.count());
        assertTrue(sum.died() < sum.count() / 2 + 1, "queue pairs die in too many seeds: " + sum);
    }
}
