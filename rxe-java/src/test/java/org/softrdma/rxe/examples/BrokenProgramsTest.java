// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The broken programs are told what docs/why.md shows. */
class BrokenProgramsTest {
    private static String run(BrokenPrograms.Mistake mistake) {
        List<String> lines = new ArrayList<>();
        BrokenPrograms.run(mistake, lines::add);
        return String.join("\n", lines);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeToldWhatThePageShows(BrokenPrograms.Mistake mistake) throws IOException {
        String told = run(mistake);
        assertEquals(told, run(mistake), "each run is the same");
        String page = Files.readString(Path.of(System.getProperty("basedir", "."), "..").resolve("docs/why.md"));
        String block = "BrokenPrograms.java " + mistake.word() + "\n" + told + "\n```";
        assertTrue(page.contains(block), "docs/why.md does not show\n" + block);
    }
}
