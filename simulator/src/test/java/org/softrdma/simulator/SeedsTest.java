// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A failing seed says how to run it again alone. {@code -Dsoftrdma.seeds=FROM..TO} chooses those of the long run. */
class SeedsTest {
    @Test
    void shouldDoEverythingExactlyOnceWhateverTheWireAndTheApplicationsDo() {
        Seeds sum = SeedRanges.run("roce", 1, 2_000, SeedRun::of);
        assertTrue(sum.died() < sum.count() / 2 + 1, "queue pairs die in too many seeds: " + sum);
    }

    @Tag("soak")
    @Test
    void shouldDoEverythingExactlyOnceOverManySeeds() {
        SeedRanges.runChosen("roce", SeedRun::of);
    }

    @Test
    void shouldDoTheSameAgainForTheSameSeed() {
        SeedRanges.assertRepeatable(SeedRun::of);
    }

    /** In both, a window is to be freed before any packet is on the wire, when its binding may not even have been executed. */
    @Test
    void shouldFreeNoWindowBeforeItIsBound() {
        for (long seed : List.of(109_048L, 112_229L)) {
            SeedResult result = SeedRun.of(seed);
            assertTrue(result.passed(), result::report);
        }
    }
}
