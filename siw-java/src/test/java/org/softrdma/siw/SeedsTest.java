// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs many seeds; a failure reports its seed, and {@code SeedRun.run(seed)} repeats it. */
class SeedsTest {
    @Test
    void shouldDoEverythingOnceOverAnyStream() {
        int broken = 0;
        for (long seed = 1; seed <= 400; seed++) {
            broken += SeedRun.run(seed) ? 1 : 0;
        }
        assertTrue(broken > 50 && broken < 250, broken + " connections broke");
    }

    @Tag("soak")
    @Property(tries = 10_000, shrinking = ShrinkingMode.OFF)
    void shouldDoEverythingOnceOverManySeeds(@ForAll long seed) {
        SeedRun.run(seed);
    }
}
