// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SoftrdmaTest {
    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help", ""})
    void shouldListTheToolsWithALineEach(String how) {
        ToolRun run = how.isEmpty() ? ToolRun.of() : ToolRun.of(how);

        assertEquals(0, run.exitCode());
        assertEquals("", run.err());
        for (Tools.Entry each : Tools.all()) {
            assertTrue(run.out().lines().anyMatch(line -> line.startsWith("  " + each.name() + " ")), each.name());
            assertNotNull(Tools.find(each.name()), each.name());
        }
    }

    @Test
    void shouldTellItsVersion() {
        assertTrue(ToolRun.of("--version").out().startsWith("softrdma "));
        assertEquals(0, ToolRun.of("--version").exitCode());
    }

    @ParameterizedTest
    @CsvSource({"ibv_device, ibv_devices", "rmda, rdma", "ibv_rc_pingpongs, ibv_rc_pingpong", "Demo, demo", "pingpong, ibv_rc_pingpong"})
    void shouldSuggestTheToolThatWasMeant(String typed, String meant) {
        ToolRun run = ToolRun.of(typed, "-x");

        assertEquals(127, run.exitCode());
        assertEquals("", run.out());
        assertTrue(run.err().contains("did you mean '" + meant + "'?"), run.err());
    }

    @Test
    void shouldSuggestNothingForSomethingElseAltogether() {
        ToolRun run = ToolRun.of("emacs");

        assertEquals(127, run.exitCode());
        assertTrue(run.err().startsWith("softrdma: there is no tool 'emacs'\n"), run.err());
    }

    /** Tools without an original are not in bin/: their names are too common. */
    @Test
    void shouldHaveEveryOriginalToolInBin() throws IOException {
        Path bin = Path.of("").toAbsolutePath().resolveSibling("bin");
        try (Stream<Path> entries = Files.list(bin)) {
            assertEquals(Tools.all().stream().map(Tools.Entry::name).filter(each -> !Tools.isOurs(each)).collect(Collectors.toSet()),
                entries.map(each -> each.getFileName().toString()).collect(Collectors.toSet()));
        }
    }

    @Test
    void shouldListToolsAlphabetically() {
        List<String> names = Tools.all().stream().map(Tools.Entry::name).toList();

        assertEquals(List.copyOf(new TreeSet<>(names)), names);
    }
}
