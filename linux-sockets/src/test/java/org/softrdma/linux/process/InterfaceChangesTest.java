// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs itself in a network namespace of its own, whose interfaces it changes. Needs root, unshare and iproute2; elsewhere it is skipped
 * with the reason, unless {@code SOFTRDMA_REQUIRE_LAB=true}.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class InterfaceChangesTest {
    private static final String REQUIRE = "SOFTRDMA_REQUIRE_LAB";
    private static final List<String> CHANGES = List.of("link add v0 type veth peer name v1", "addr add 10.99.0.1/24 dev v0",
        "addr add fd99::1/64 dev v0 nodad", "link set v0 up", "link set v0 mtu 1400", "addr del 10.99.0.1/24 dev v0", "link del v0");

    @Test
    void shouldNoticeEachChange() throws Exception {
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
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath, InterfaceChangesTest.class.getName()));
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return process.waitFor() == 0 ? output : output + ", exit status " + process.exitValue();
    }

    /** Prints each change that is not noticed. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (InterfaceChanges changes = new InterfaceChanges(); EpollSet ready = new EpollSet()) {
            ready.add(changes.fd(), EpollSet.READABLE, 0);
            for (String change : CHANGES) {
                // The last change may lead to later ones, such as a carrier.
                changes.drain();
                String refused = run(("ip " + change).split(" "));
                if (!refused.isEmpty() || ready.await(TimeUnit.SECONDS.toNanos(10)) == 0) {
                    System.out.println(change + ": not noticed " + refused);
                }
            }
            changes.drain();
            if (ready.await(0) != 0) {
                System.out.println("notices stay after they were drained");
            }
        }
    }
}
