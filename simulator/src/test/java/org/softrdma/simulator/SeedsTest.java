// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A failing seed says how to run it again alone. {@code -Dsoftrdma.seeds=FROM..TO} chooses those of the long run. */
class SeedsTest {
    @Test
    void shouldDoEverythingExactlyOnceWhateverTheWireAndTheApplicationsDo() {
        AtomicInteger resizing = new AtomicInteger();
        AtomicInteger overrunning = new AtomicInteger();
        Seeds sum = SeedRanges.run("roce", 1, 2_000, seed -> {
            SeedRun run = new SeedRun(seed);
            SeedResult result = run.result(null);
            resizing.addAndGet(run.keptByResizes() > 0 ? 1 : 0);
            overrunning.addAndGet(run.overruns() > 0 ? 1 : 0);
            return result;
        });
        assertTrue(sum.died() < sum.count() / 2 + 1, "queue pairs die in too many seeds: " + sum);
        assertTrue(resizing.get() > sum.count() / 10, "seeds that resize completion queues with completions in them: " + resizing);
        assertTrue(overrunning.get() > sum.count() / 50, "seeds in which completion queues overrun: " + overrunning);
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
