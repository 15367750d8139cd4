// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstWriteTest {
    private static List<String> run(long seed) {
        List<String> lines = new ArrayList<>();
        FirstWrite.run(seed, lines::add);
        return lines;
    }

    /** Some of these seeds lose packets: the message arrives nevertheless. */
    @Test
    void shouldWriteIntoThePeersMemory() {
        boolean lost = false;
        for (long seed = 1; seed <= 50; seed++) {
            List<String> lines = run(seed);
            List<String> end = lines.subList(lines.size() - 3, lines.size());
            assertTrue(end.get(0).startsWith("completion: wr_id 7 SUCCESS RDMA_WRITE"), "seed " + seed + ": " + end);
            assertEquals("Bob's memory: Hello from Alice, written into Bob's memory", end.get(1));
            assertEquals("the rest is the same, 2701 bytes", end.get(2));
            lost |= lines.stream().anyMatch(line -> line.endsWith("LOST"));
        }
        assertTrue(lost, "a tenth of the packets is lost");
    }

    @Test
    void shouldRepeatARunFromItsSeed() {
        assertEquals(run(3), run(3));
    }

    /** The program printed in docs/hacking.md is this one, with this output. */
    @Test
    void shouldBeWhatTheGuideShows() throws IOException {
        Path root = Path.of(System.getProperty("basedir", "."), "..");
        String guide = Files.readString(root.resolve("docs/hacking.md"));
        String program = Files.readString(root.resolve("rxe-java/src/test/java/org/softrdma/rxe/examples/FirstWrite.java"));
        String run = program.substring(program.indexOf("        // A network that"), program.lastIndexOf("}"));
        run = run.substring(0, run.lastIndexOf("}")).stripTrailing().stripIndent();
        assertTrue(guide.contains(run), "docs/hacking.md shows another program");
        String output = String.join("\n", run(1));
        assertTrue(guide.contains(output), "docs/hacking.md shows another output; seed 1 gives\n" + output);
    }
}
