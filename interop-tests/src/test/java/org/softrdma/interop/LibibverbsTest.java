// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.softrdma.tools.Softrdma;
import org.softrdma.verbs.Transport;

/** The provider on the system's libibverbs, in a JVM that runs on our devices as C programs do. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LibibverbsTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "ibv_devinfo", "ibv_rc_pingpong");

    private static final Duration DEADLINE = Duration.ofMinutes(5);
    /** Packets with 4096 bytes of payload fit. */
    private static final int JUMBO = 9000;

    private VethPair wire;

    @BeforeAll
    void addDevices() throws IOException {
        wire = new VethPair("libibverbs", JUMBO);
        wire.a.ip("link add c1 type veth peer name c2");
        for (int i = 1; i <= 2; i++) {
            wire.a.ip("link set c" + i + " addrgenmode none");
            wire.a.ip("addr add 10.99." + i + ".1/24 dev c" + i);
            wire.a.ip("link set c" + i + " mtu " + JUMBO + " up");
        }
        wire.addDevices(wire.a, List.of(wire.a.netdev(), "c1", "c2"));
    }

    @AfterAll
    void disconnect() {
        wire.stopDaemons();
        wire.close();
    }

    /** Each test that fails is listed with the reason, and fails. */
    @Test
    void shouldKeepTheContract() throws IOException {
        try (RunningCommand run = wire.a.start("contract", "run", "--", java(), "--enable-native-access=ALL-UNNAMED", "-cp", classPath(),
                LibibverbsContractRun.class.getName(), ContractAdapter.SOFTRDMA.name())) {
            run.awaitExit(DEADLINE);
            AdapterRun.assertFailures(ContractAdapter.SOFTRDMA, run.output());
        }
    }

    /** Runs one program on a device of ours in its own process, and on the same device through the system's library. */
    @Test
    void shouldPrintTheSameOnDevicesOfEitherOrigin() throws IOException {
        wire.addDevices(wire.b, List.of(wire.b.netdev()));
        try (RunningCommand run = wire.b.startAny("ours", java(), "--enable-native-access=ALL-UNNAMED", "-cp", classPath(),
                OneProgram.class.getName(), "rxe0", wire.b.ipv4)) {
            assertEquals(OneProgram.output(Transport.INFINIBAND), run.awaitSuccess(DEADLINE));
        }
        List<String> words = new ArrayList<>(List.of("run", "--"));
        words.addAll(javaOnTheLibrary(OneProgram.class));
        words.addAll(List.of("rxe0", wire.b.ipv4));
        try (RunningCommand run = wire.b.start("theirs", words.toArray(String[]::new))) {
            assertEquals(OneProgram.output(Transport.INFINIBAND), run.awaitSuccess(DEADLINE));
        }
    }

    @Test
    void shouldAllocateNothingOnTheDataPath() {
        List<String> words = new ArrayList<>(List.of("run", "--"));
        words.addAll(javaOnTheLibrary(SteadyTraffic.class));
        words.add("rxe0");
        try (RunningCommand run = wire.a.start("allocations", words.toArray(String[]::new))) {
            assertEquals("0 bytes allocated", run.awaitSuccess(DEADLINE).strip());
        }
    }

    /** Four processes on one device and one address at once: C and Java, each as server and as client of the other. */
    @Test
    void shouldShareADeviceWithCPrograms() throws IOException {
        try (RunningCommand cServer = pingPong("c-server", List.of("ibv_rc_pingpong"), 18601);
            RunningCommand javaServer = pingPong("java-server", javaPingPong(), 18602)) {
            wire.a.awaitListener(cServer, 18601);
            wire.a.awaitListener(javaServer, 18602);
            try (RunningCommand javaClient = pingPong("java-client", javaPingPong(), 18601, wire.a.ipv4);
                RunningCommand cClient = pingPong("c-client", List.of("ibv_rc_pingpong"), 18602, wire.a.ipv4)) {
                for (RunningCommand each : List.of(cServer, javaServer, javaClient, cClient)) {
                    String output = each.awaitSuccess(DEADLINE);
                    assertTrue(output.contains("3000 iters in ") && !output.contains("invalid data"), output);
                }
            }
        }
    }

    /** Our tool, on the first device of the system's library. */
    private static List<String> javaPingPong() {
        List<String> words = new ArrayList<>(javaOnTheLibrary(Softrdma.class));
        words.add("ibv_rc_pingpong");
        return words;
    }

    /** Beginning of the command line of a JVM that prefers the system's libraries. */
    static List<String> javaOnTheLibrary(Class<?> main) {
        return List.of(java(), "--enable-native-access=ALL-UNNAMED", "-Dsoftrdma.providers=libibverbs", "-cp", classPath(), main.getName());
    }

    /** Compares the data at both ends ({@code -c}). */
    private RunningCommand pingPong(String file, List<String> program, int port, String... server) {
        List<String> words = new ArrayList<>(List.of("run", "--"));
        words.addAll(program);
        words.addAll(List.of("-c", "-n", "3000", "-d", "rxe0", "-g", "1", "-p", Integer.toString(port)));
        words.addAll(List.of(server));
        return wire.a.start(file, words.toArray(String[]::new));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
