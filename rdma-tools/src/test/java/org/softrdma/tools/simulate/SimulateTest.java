// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.tools.ToolRun;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

class SimulateTest {
    private static ToolRun simulate(String... arguments) {
        return ToolRun.of(console -> new Simulate().run("simulate", List.of(arguments), console));
    }

    @Test
    void shouldSumUpARange() {
        ToolRun run = simulate("--seeds", "3..12", "--jobs", "2", "--type", "roce");

        assertEquals(0, run.exitCode());
        assertEquals("", run.err());
        assertTrue(run.out().matches("roce seeds 3\\.\\.12: 10 passed, 0 failed; \\d+ work requests, \\d+ packets, queue pairs died "
            + "in \\d+, \\d+ s\\n"), run.out());
    }

    @Test
    void shouldRunAllTypesUnlessOneIsChosen() {
        ToolRun run = simulate("--seeds", "3..4");

        assertEquals(0, run.exitCode());
        assertEquals(List.of(SeedType.values()).stream().map(type -> type + " seeds 3..4: 2 passed, 0 failed").toList(),
            run.out().lines().map(line -> line.substring(0, line.indexOf(';'))).toList());
    }

    @ParameterizedTest
    @EnumSource(SeedType.class)
    void shouldShowTheWireOfOneSeedOfEveryType(SeedType type) {
        ToolRun run = simulate("--seed", "5", "--verbose", "--type", type.toString());

        assertEquals(0, run.exitCode());
        assertTrue(run.out().lines().limit(5).allMatch(line -> line.matches(" *-?[0-9,]+ ns .*")), run.out());
        assertTrue(run.out().contains("\n" + type + " seed 5 passed\n  "), run.out());
    }

    @Test
    void shouldTellOfEverySeedIfAsked() {
        ToolRun run = simulate("--seeds", "3..5", "--verbose", "--type", "iwarp");

        assertEquals(0, run.exitCode());
        for (int seed = 3; seed <= 5; seed++) {
            String begin = "iwarp seed " + seed + ": ";
            assertEquals(1, run.out().lines().filter(line -> line.startsWith(begin)).count(), run.out());
        }
    }

    @Test
    void shouldShowWhereEverythingStoodAtTheEndOfOneSeed() {
        ToolRun run = simulate("--seed", "3", "--type", "roce");

        assertEquals(0, run.exitCode());
        assertTrue(run.out().startsWith("roce seed 3 passed\n  Scenario[seed=3, "), run.out());
    }

    @Test
    void shouldShowEveryPacketOfOneSeedIfAsked() {
        ToolRun run = simulate("--seed", "3", "--verbose", "--type", "roce");

        assertEquals(0, run.exitCode());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" *[0-9,]+ ns {2}\\S+ > \\S+ {2}SENT +RC .* psn \\d+.*")), run.out());
        assertTrue(run.out().lines().anyMatch(line -> line.contains(" DELIVERED ")));
    }

    @ParameterizedTest
    @EnumSource(SeedType.class)
    void shouldDrawASeedOfEveryType(SeedType type, @TempDir Path directory) throws Exception {
        Path file = directory.resolve("seed.svg");
        ToolRun run = simulate("--seed", "5", "--type", type.toString(), "--svg", file.toString(), "--packets", "20");

        assertEquals(0, run.exitCode(), run.err());
        Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        int arrows = 0;
        NodeList lines = svg.getElementsByTagName("line");
        for (int i = 0; i < lines.getLength(); i++) {
            arrows += lines.item(i).getAttributes().getNamedItem("marker-end") == null ? 0 : 1;
        }
        assertTrue(arrows >= 3 && arrows <= 40, type + " has " + arrows + " arrows");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--seeds 5..3", "--seeds a..b", "--seeds 1..", "--seeds 0..9223372036854775807", "--seed x", "--jobs 0",
        "--seed 1 --seeds 1..2", "--nonsense",
        "--svg x.svg --seeds 1..2 --type cm", "--svg x.svg --seed 1", "--packets 0", "--type ib", "--type", "1..2"})
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
        assertTrue(run.out().contains("--seeds=A..B") && run.out().contains("--jobs=N") && run.out().contains("--type=TYPE"), run.out());
    }
}
