// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random workloads on a faulty fabric, checked against an oracle; see {@link FaultSimulation}. A failing seed says how to run it again
 * alone; {@code -Dsoftrdma.seed=N} does.
 */
class RcFaultSimulationTest {
    private static final String SEED = "softrdma.seed";
    private static final String SOAK_SEEDS = "softrdma.seeds";

    @Test
    void shouldDeliverEverythingExactlyOnceWhateverTheWireDoes() {
        String one = System.getProperty(SEED);
        if (one != null) {
            long seed = Long.parseLong(one);
            FaultSimulation simulation = new FaultSimulation(seed);
            String failure = failureOf(simulation, seed);
            System.out.println("seed " + seed + ": " + simulation.status());
            if (failure != null) {
                fail(failure);
            }
            return;
        }
        runAll(1, 1000);
    }

    /** Range by {@code -Dsoftrdma.seeds=FROM..TO}, both inclusive. */
    @Tag("soak")
    @Test
    void shouldDeliverEverythingExactlyOnceOverManySeeds() {
        String[] range = System.getProperty(SOAK_SEEDS, "1001..50000").split("\\.\\.");
        runAll(Long.parseLong(range[0]), Long.parseLong(range[1]));
    }

    @Test
    void shouldDoTheSameAgainForTheSameSeed() {
        for (long seed : List.of(3L, 17L, 255L)) {
            assertEquals(new FaultSimulation(seed).run(), new FaultSimulation(seed).run(), "seed " + seed);
        }
    }

    private static void runAll(long from, long to) {
        AtomicInteger died = new AtomicInteger();
        AtomicLong packets = new AtomicLong();
        AtomicLong requests = new AtomicLong();
        List<String> failures = LongStream.rangeClosed(from, to).parallel().mapToObj(seed -> {
            FaultSimulation simulation = new FaultSimulation(seed);
            String failure = failureOf(simulation, seed);
            died.addAndGet(simulation.anyDied() ? 1 : 0);
            packets.addAndGet(simulation.packets());
            requests.addAndGet(simulation.requestsDone());
            return failure == null ? "" : failure;
        }).filter(failure -> !failure.isEmpty()).toList();
        System.out.println("seeds " + from + ".." + to + ": " + requests + " work requests, " + packets + " packets, queue pairs died in "
            + died + " seeds, " + failures.size() + " failures");
        if (!failures.isEmpty()) {
            fail(failures.size() + " of " + (to - from + 1) + " seeds failed, the first:\n" + failures.getFirst());
        }
        assertTrue(died.get() < (to - from + 1) / 4 + 1, "the wire kills more connections than it should");
    }

    /** @return null if all went well */
    private static String failureOf(FaultSimulation simulation, long seed) {
        try {
            simulation.run();
            return null;
        } catch (AssertionError | RuntimeException e) {
            StringBuilder where = new StringBuilder(200);
            for (int i = 0; i < Math.min(6, e.getStackTrace().length); i++) {
                where.append("\n    at ").append(e.getStackTrace()[i]);
            }
            String text = "seed " + seed + " failed: " + e + "\n  again with: mvn verify -pl rxe-java -am -Dtest=RcFaultSimulationTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -D" + SEED + "=" + seed + where + "\n  " + simulation.status();
            System.out.println(text);
            return text;
        }
    }
}
