// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Applications that connect, answer, think, refuse, disconnect, die and come back, on a network that loses, repeats and reorders their
 * MADs. Then the network heals, and both ends of each connection must agree on whether there is one, and in the end nothing may be left.
 * {@code -Dsoftrdma.cm.seeds=FROM..TO} chooses those of the long run.
 */
class CmSimulationTest {
    private static final String SOAK_SEEDS = "softrdma.cm.seeds";

    @Test
    void shouldAgreeOnEveryConnectionInTheEnd() {
        Map<CmRun.Outcome, Integer> outcomes = run(1, 300);
        // A run in which nothing happens proves nothing.
        for (CmRun.Outcome outcome : CmRun.Outcome.values()) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > 0, outcome + " never happened: " + outcomes);
        }
    }

    @Test
    @Tag("soak")
    void shouldAgreeOnEveryConnectionInTheEndOfManyRuns() {
        String[] range = System.getProperty(SOAK_SEEDS, "1001..11000").split("\\.\\.");
        run(Long.parseLong(range[0]), Long.parseLong(range[1]));
    }

    private static Map<CmRun.Outcome, Integer> run(long from, long to) {
        Map<CmRun.Outcome, Integer> outcomes = new EnumMap<>(CmRun.Outcome.class);
        for (long seed = from; seed <= to; seed++) {
            new CmRun(seed).run().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
        }
        return outcomes;
    }
}
