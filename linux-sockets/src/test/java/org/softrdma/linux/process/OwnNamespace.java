// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Runs a program in a network namespace of its own, whose interfaces it can change. Needs root, unshare and iproute2; elsewhere the test is
 * skipped with the reason, unless {@code SOFTRDMA_REQUIRE_LAB=true}.
 */
final class OwnNamespace {
    private static final String REQUIRE = "SOFTRDMA_REQUIRE_LAB";

    private OwnNamespace() {
    }

    /** Fails if the main method of a class of the tests prints anything, or does not end well. */
    static void assertPrintsNothing(Class<?> program) throws IOException, InterruptedException {
        Commands.assumeLinux();
        String refused = run("unshare", "-n", "ip", "link", "set", "lo", "up");
        if (!refused.isEmpty()) {
            if (Boolean.parseBoolean(System.getenv(REQUIRE))) {
                fail(REQUIRE + " is set, but no network namespace can be made: " + refused);
            }
            abort("no network namespace can be made: " + refused);
        }
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        assertEquals("", run("unshare", "-n", System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath, program.getName()));
    }

    /** Returns the output of a command, with the status of one that failed. */
    static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return process.waitFor() == 0 ? output : output + ", exit status " + process.exitValue();
    }
}
