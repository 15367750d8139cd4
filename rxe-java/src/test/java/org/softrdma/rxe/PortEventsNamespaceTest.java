// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device on one end of a veth pair, in a network namespace of its own, whose carrier and addresses change. Needs root and iproute2
 * on Linux; elsewhere it is skipped and says why, unless {@code SOFTRDMA_REQUIRE_LAB=true}.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PortEventsNamespaceTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final String namespace = "srdma-port-" + ProcessHandle.current().pid();
    private boolean made;

    /** @return what the command had to say, or null if it went well */
    private static String run(String... command) throws Exception {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? null : String.join(" ", command) + ": " + output.strip();
        } catch (IOException missing) {
            return missing.getMessage();
        }
    }

    /** Runs {@code ip} with these arguments in the namespace; it must succeed. */
    private void ip(String arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("ip", "-n", namespace));
        command.addAll(Arrays.asList(arguments.split(" ")));
        assertEquals(null, run(command.toArray(String[]::new)));
    }

    @BeforeEach
    void makeNamespace() throws Exception {
        String missing = run("ip", "netns", "add", namespace);
        made = missing == null;
        if (!made) {
            if (Boolean.parseBoolean(System.getProperty("SOFTRDMA_REQUIRE_LAB", System.getenv("SOFTRDMA_REQUIRE_LAB")))) {
                fail("SOFTRDMA_REQUIRE_LAB is set, but no network namespace can be made: " + missing);
            }
            abort("no network namespace can be made: " + missing);
        }
        ip("link add v0 type veth peer name v1");
        ip("addr add 10.99.0.1/24 dev v0");
        ip("link set v0 up");
        ip("link set v1 up");
        awaitCarrier();
    }

    /** The kernel finds the carrier a moment after both ends are up. */
    private void awaitCarrier() throws Exception {
        long untilNs = System.nanoTime() + PATIENCE_NS;
        while (run("ip", "netns", "exec", namespace, "grep", "-qx", "up", "/sys/class/net/v0/operstate") != null) {
            assertTrue(System.nanoTime() - untilNs < 0, "v0 has no carrier");
        }
    }

    @AfterEach
    void removeNamespace() throws Exception {
        if (made) {
            assertEquals(null, run("ip", "netns", "del", namespace));
        }
    }

    /** Skips earlier events: IPv6 addresses appear at any time. */
    private static void expect(BufferedReader events, String wanted) throws IOException {
        List<String> seen = new ArrayList<>();
        do {
            seen.add(events.readLine());
            assertNotNull(seen.getLast(), "the device ended; it said " + seen + ", not " + wanted);
        } while (!seen.getLast().equals(wanted));
    }

    private Process device(String carrier) throws IOException {
        return device(carrier, "v2");
    }

    private Process device(String carrier, String roce) throws IOException {
        return new ProcessBuilder("ip", "netns", "exec", namespace,
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"), PortEventsPeer.class.getName(), "v0", carrier,
            roce).redirectErrorStream(true).start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"udp", "raw"})
    void shouldFollowItsInterface(String carrier) throws Exception {
        Process process = device(carrier);
        try (BufferedReader events = process.inputReader()) {
            expect(events, "ready ACTIVE 5 [1=10.99.0.1]");
            ip("link set v1 down");
            expect(events, "PORT_ERR DOWN 2 [1=10.99.0.1]");
            ip("link set v1 up");
            expect(events, "PORT_ACTIVE ACTIVE 5 [1=10.99.0.1]");
            ip("link set v0 down");
            expect(events, "PORT_ERR DOWN 3 [1=10.99.0.1]");
            ip("link set v0 up");
            expect(events, "PORT_ACTIVE ACTIVE 5 [1=10.99.0.1]");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"udp", "raw"})
    void shouldFollowItsAddresses(String carrier) throws Exception {
        Process process = device(carrier);
        try (BufferedReader events = process.inputReader()) {
            expect(events, "ready ACTIVE 5 [1=10.99.0.1]");
            ip("addr add 10.99.0.2/32 dev v0");
            String index = indexOf(events, "10.99.0.2");
            ip("addr del 10.99.0.1/24 dev v0");
            expect(events, "GID_CHANGE ACTIVE 5 [" + index + "=10.99.0.2]");
            ip("link del v0");
            expect(events, "PORT_ERR DOWN 3 []");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** A packet socket stays bound to the old interface, even if a new one has its name, but survives down and up. One event is raised. */
    @Test
    void shouldSayThatADeletedInterfaceIsGoneForGood() throws Exception {
        Process process = device("raw");
        try (BufferedReader events = process.inputReader()) {
            expect(events, "ready ACTIVE 5 [1=10.99.0.1]");
            ip("link set v0 down");
            expect(events, "PORT_ERR DOWN 3 [1=10.99.0.1]");
            ip("link set v0 up");
            expect(events, "PORT_ACTIVE ACTIVE 5 [1=10.99.0.1]");
            ip("link del v0");
            ip("link add v0 type veth peer name v1");
            ip("addr add 10.99.0.1/24 dev v0");
            ip("link set v1 up");
            ip("link set v0 up");
            String line = events.readLine();
            while (!line.startsWith("DEVICE_FATAL ")) {
                line = events.readLine();
                assertNotNull(line, "the device ended");
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Two devices would both answer each management datagram. */
    @Test
    void shouldLeaveVersionOneOfAnInterfaceToOneProcess() throws Exception {
        Process first = device("raw", "v1");
        try (BufferedReader events = first.inputReader()) {
            assertTrue(events.readLine().startsWith("ready ACTIVE "));
            Process second = device("raw", "v1");
            String output = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(output.contains("RoCE v1 on v0 is taken by another process"), output);
        } finally {
            first.destroyForcibly().waitFor();
        }
        Process next = device("raw", "v1");
        try (BufferedReader events = next.inputReader()) {
            assertTrue(events.readLine().startsWith("ready ACTIVE "));
        } finally {
            next.destroyForcibly().waitFor();
        }
    }

    /** Index of an address, which depends on whether an IPv6 address was faster. */
    private static String indexOf(BufferedReader events, String address) throws IOException {
        while (true) {
            String line = events.readLine();
            assertNotNull(line);
            int at = line.indexOf("=" + address);
            if (at >= 0) {
                return line.substring(line.lastIndexOf(' ', at) + 1, at);
            }
        }
    }
}
