// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Java programs that join the daemon, beside C programs: one device, one address, one table of ports. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JoinedProgramsTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "ibv_rc_pingpong", "rping");

    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final Map<String, String> JOIN = Map.of("SOFTRDMA_HOST", "daemon");
    /** Time for the peer to end, whose retries alone would take longer. */
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final int KILLED = 128 + 9;

    private VethPair wire;
    private String untouched;

    @BeforeAll
    void addDevice() throws IOException {
        wire = new VethPair("joined", 1500);
        wire.addDevices(wire.a, List.of(wire.a.netdev()));
        wire.a.tool("daemon", "start");
        // The device is opened for the first program, and stays open.
        wire.a.tool("run", "--", "ibv_devinfo");
        untouched = objects();
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    private String objects() {
        return wire.a.tool("rdma", "resource", "show").strip();
    }

    /** Starts a program in C under {@code run}, or in Java as one that joins. */
    private RunningCommand start(boolean java, String file, String... words) {
        if (java) {
            return wire.a.start(JOIN, file, words);
        }
        List<String> command = new ArrayList<>(List.of("run", "--"));
        command.addAll(List.of(words));
        return wire.a.start(file, command.toArray(String[]::new));
    }

    private RunningCommand pingPong(boolean java, String file, int port, String... server) {
        List<String> words =
            new ArrayList<>(List.of("ibv_rc_pingpong", "-c", "-n", "1000", "-d", "rxe0", "-g", "1", "-p", Integer.toString(port)));
        words.addAll(List.of(server));
        return start(java, file, words.toArray(String[]::new));
    }

    /** Four processes at once, data compared at both ends: C and Java, each as server and as client of the other. */
    @Test
    void shouldShareADeviceAndItsAddress() {
        try (RunningCommand cServer = pingPong(false, "c-server", 18601);
            RunningCommand javaServer = pingPong(true, "java-server", 18602)) {
            wire.a.awaitListener(cServer, 18601);
            wire.a.awaitListener(javaServer, 18602);
            assertTrue(wire.a.tool("daemon", "status").contains("programs: 2"));
            try (RunningCommand javaClient = pingPong(true, "java-client", 18601, wire.a.ipv4);
                RunningCommand cClient = pingPong(false, "c-client", 18602, wire.a.ipv4)) {
                for (RunningCommand each : List.of(cServer, javaServer, javaClient, cClient)) {
                    String output = each.awaitSuccess(DEADLINE);
                    assertTrue(output.contains("1000 iters in ") && !output.contains("invalid data"), output);
                    assertTrue(output.contains("GID ::ffff:" + wire.a.ipv4), output);
                }
            }
        }
        assertEquals(untouched, objects());
    }

    /**
     * The peer of a killed program ends: by DISCONNECTED, or by a failed access to memory that no longer exists. The daemon keeps nothing
     * of the program.
     */
    @Test
    void shouldEndTheObjectsOfAKilledProgram() throws Exception {
        try (RunningCommand server = start(false, "server", "rping", "-s", "-S", "65000", "-a", wire.a.ipv4)) {
            CProgramPairs.awaitListener(wire.a, server, 7174);
            String line = "rping -c -S 65000 -a " + wire.a.ipv4;
            try (RunningCommand client = start(true, "client", line.split(" "))) {
                await(() -> wire.a.tool("rdma", "resource", "show", "qp").split("state RTS ", -1).length > 2);
                assertTrue(client.isRunning() && server.isRunning(), () -> client.output() + server.output());
                process(line).destroyForcibly();
                assertEquals(KILLED, client.awaitExit(DEADLINE), client.output());
            }
            server.awaitExit(BOUND);
        }
        await(() -> untouched.equals(objects()));
    }

    @Test
    void shouldSayHowToStartTheDaemonWhereNoneRuns() {
        try (RunningCommand alone = wire.b.start(JOIN, "alone", "ibv_devices")) {
            assertTrue(alone.awaitExit(DEADLINE) != 0);
            assertTrue(alone.output().contains("softrdma daemon start"), alone.output());
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        long untilNs = System.nanoTime() + DEADLINE.toNanos();
        while (!condition.holds()) {
            assertTrue(System.nanoTime() - untilNs < 0, "time is over");
        }
    }

    /** Returns the process of a tool in Java, whose words are the last of its command line. */
    private static ProcessHandle process(String words) {
        return ProcessHandle.allProcesses().filter(each -> commandLine(each.pid()).endsWith(".jar " + words)).findFirst().orElseThrow();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")).replace('\0', ' ').strip();
        } catch (IOException ended) {
            return "";
        }
    }
}
