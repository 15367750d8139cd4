// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.cm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.softrdma.simulator.SeedRanges;
import org.softrdma.simulator.SeedResult;

/** A failing seed says how to run it again alone. {@code -Dsoftrdma.seeds=FROM..TO} chooses those of the long run. */
class CmSeedsTest {
    @Test
    void shouldAgreeOnEveryConnectionInTheEnd() {
        Map<CmOutcome, Integer> outcomes = new EnumMap<>(CmOutcome.class);
        SeedRanges.run("cm", 1, 300, seed -> {
            CmSeedRun run = new CmSeedRun(seed, null);
            SeedResult result = run.result();
            synchronized (outcomes) {
                run.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
            }
            return result;
        });
        for (CmOutcome outcome : CmOutcome.values()) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > 0, outcome + " never happened: " + outcomes);
        }
    }

    @Test
    @Tag("soak")
    void shouldAgreeOnEveryConnectionInTheEndOfManyRuns() {
        SeedRanges.runChosen("cm", CmSeedRun::of);
    }

    @Test
    void shouldDoTheSameAgainForTheSameSeed() {
        SeedRanges.assertRepeatable(CmSeedRun::of);
    }
}
