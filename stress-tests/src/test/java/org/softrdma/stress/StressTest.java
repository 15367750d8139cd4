// SPDX-License-Identifier: Apache-2.0
package org.softrdma.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Runs all jcstress tests on the class path, in JVMs of their own. Their report is in {@code target/jcstress}. */
class StressTest {
    private static final String MODE = System.getProperty("softrdma.jcstress.mode", "quick");

    @Test
    void shouldSeeAcceptableOutcomesOnly() throws IOException, InterruptedException {
        Path directory = Files.createDirectories(Path.of("target/jcstress"));
        Path output = directory.resolve("output.txt");
        Process run = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), "org.openjdk.jcstress.Main", "-m", MODE, "-r", directory.toString(), "-jvmArgs",
            "--enable-native-access=ALL-UNNAMED")
            .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertEquals(0, run.waitFor(), "see " + output.toAbsolutePath());
        String text = Files.readString(output);
        assertTrue(text.contains("Failed tests: No matches."), "see " + output.toAbsolutePath());
        assertTrue(text.contains("Error tests: No matches."), "see " + output.toAbsolutePath());
        assertFalse(text.contains("All remaining tests: No matches."), "no test ran; see " + output.toAbsolutePath());
    }
}
