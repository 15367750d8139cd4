// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.VirtualClock;
import org.softrdma.simulator.SeedRanges;
import org.softrdma.simulator.SeedResult;
import org.softrdma.simulator.Seeds;

/** A failing seed says how to run it again alone. {@code -Dsoftrdma.seeds=FROM..TO} chooses those of the long run. */
class IwarpSeedsTest {
    @Test
    void shouldDoEverythingExactlyOnceWhateverTheStreamAndTheApplicationsDo() {
        AtomicInteger resizing = new AtomicInteger();
        Seeds sum = SeedRanges.run("iwarp", 1, 1_000, seed -> {
            IwarpSeedRun run = new IwarpSeedRun(seed, new Simulation(new VirtualClock(seed)), null);
            SeedResult result = run.result();
            resizing.addAndGet(run.keptByResizes() > 0 ? 1 : 0);
            return result;
        });
        assertTrue(sum.died() > 200 && sum.died() < 600, "connections died in " + sum.died() + " seeds");
        assertTrue(resizing.get() > sum.count() / 10, "seeds that resize completion queues with completions in them: " + resizing);
    }

    @Tag("soak")
    @Test
    void shouldDoEverythingExactlyOnceOverManySeeds() {
        SeedRanges.runChosen("iwarp", IwarpSeedRun::of);
    }

    @Test
    void shouldDoTheSameAgainForTheSameSeed() {
        SeedRanges.assertRepeatable(IwarpSeedRun::of);
    }

    @Test
    void shouldEndEverySetUpOnceWhateverHappens() {
        Seeds sum = SeedRanges.run("mpa", 1, 500, SetupSeedRun::of);
        assertTrue(sum.died() > 100 && sum.died() < 350, "no connection in " + sum.died() + " seeds");
    }

    @Tag("soak")
    @Test
    void shouldEndEverySetUpOnceInManySeeds() {
        SeedRanges.runChosen("mpa", SetupSeedRun::of);
    }

    @Test
    void shouldRunRoceAndIwarpInOneSimulation() {
        SeedRanges.run("mixed", 1, 100, MixedSeedRun::of);
    }

    @Tag("soak")
    @Test
    void shouldRunRoceAndIwarpInOneSimulationWithManySeeds() {
        SeedRanges.runChosen("mixed", MixedSeedRun::of);
    }
}
