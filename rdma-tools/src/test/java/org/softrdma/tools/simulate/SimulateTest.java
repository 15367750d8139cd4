// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.ToolRun;

class SimulateTest {
    private static ToolRun simulate(String... arguments) {
        return ToolRun.of(console -> new Simulate().run("simulate", List.of(arguments), console));
    }

    @Test
    void shouldSumUpARange() {
        ToolRun run = simulate("--seeds", "3..12", "--jobs", "2");

        assertEquals(0, run.exitCode());
        assertEquals("", run.err());
        assertTrue(run.out().matches("seeds 3\\.\\.12: 10 passed, 0 failed; \\d+ work requests, \\d+ packets, queue pairs died in \\d+, "
            + "\\d+ s\\n"), run.out());
    }

    @Test
    void shouldTellOfEverySeedIfAsked() {
        ToolRun run = simulate("--seeds", "3..5", "--verbose");

        assertEquals(0, run.exitCode());
        for (int seed = 3; seed <= 5; seed++) {
            String begin = "seed " + seed + ": ";
            assertEquals(1, run.out().lines().filter(line -> line.startsWith(begin)).count(), run.out());
        }
    }

    @Test
    void shouldShowWhereEverythingStoodAtTheEndOfOneSeed() {
        ToolRun run = simulate("--seed", "3");

        assertEquals(0, run.exitCode());
        assertTrue(run.out().startsWith("seed 3 passed\n  Scenario[seed=3, "), run.out());
    }

    @Test
    void shouldShowEveryPacketOfOneSeedIfAsked() {
        ToolRun run = simulate("--seed", "3", "--verbose");

        assertEquals(0, run.exitCode());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" *[0-9,]+ ns {2}\\S+ > \\S+ {2}SENT +RC .* psn \\d+.*")), run.out());
        assertTrue(run.out().lines().anyMatch(line -> line.contains(" DELIVERED ")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--seeds 5..3", "--seeds a..b", "--seeds 1..", "--seeds 0..9223372036854775807", "--seed x", "--jobs 0",
        "--seed 1 --seeds 1..2", "--nonsense", "1..2"})
    void shouldRefuseWhatMakesNoSense(String arguments) {
        ToolRun run = simulate(arguments.split(" "));

        assertEquals(1, run.exitCode());
        assertEquals("", run.out());
        assertTrue(run.err().startsWith("softrdma simulate: "), run.err());
        assertTrue(run.err().contains("Usage: softrdma simulate"), run.err());
    }

    @Test
    void shouldExplainItself() {
        ToolRun run = simulate("--help");

        assertEquals(0, run.exitCode());
        assertTrue(run.out().contains("--seeds=A..B") && run.out().contains("--jobs=N"), run.out());
    }
}
