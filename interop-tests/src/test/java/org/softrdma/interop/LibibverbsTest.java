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

    @Test
    void shouldKeepTheContract() {
        keepTheContract(wire.a, ContractAdapter.SOFTRDMA);
    }

    /** Runs the contract on the devices of a host; each test that fails is listed with the reason, and fails. */
    static void keepTheContract(VethPair.End end, ContractAdapter adapter) {
        List<String> words = new ArrayList<>(List.of("run", "--"));
        words.addAll(javaOnTheLibrary(LibibverbsContractRun.class));
        words.add(adapter.name());
        try (RunningCommand run = end.start("contract", words.toArray(String[]::new))) {
            run.awaitExit(DEADLINE);
            AdapterRun.assertFailures(adapter, run.output());
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

    /** Runs our tools in the default order, where the bare name is our own device. */
    @Test
    void shouldFindADeviceByItsOrigin() throws Exception {
        try (RunningCommand list = tool("list", "ibv_devices")) {
            List<String> names = list.awaitSuccess(DEADLINE).lines().skip(2).map(line -> line.strip().split("\\s")[0]).toList();
            assertTrue(names.containsAll(List.of("rxe0", "libibverbs:rxe0")), names::toString);
        }
        for (boolean byAddress : new boolean[] {false, true}) {
            String way = byAddress ? "-R" : "--ib-port=1";
            String port = byAddress ? "18612" : "18611";
            try (RunningCommand server = tool("origin-server", "ib_write_bw", "-d", "libibverbs:rxe0", "-n", "1000", way, "-p", port)) {
                if (byAddress) {
                    CProgramPairs.awaitListener(wire.a, server, Integer.parseInt(port));
                } else {
                    wire.a.awaitListener(server, Integer.parseInt(port));
                }
                try (RunningCommand client = wire.a.start("origin-client", "run", "--", "ib_write_bw", "-d", "rxe0", "-n", "1000", way,
                        "-p", port, wire.a.ipv4)) {
                    assertTrue(client.awaitSuccess(DEADLINE).contains(" 65536      1000 "), client::output);
                    server.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    private RunningCommand tool(String file, String... arguments) {
        List<String> words = new ArrayList<>(List.of("run", "--", java(), "--enable-native-access=ALL-UNNAMED", "-cp", classPath(),
            Softrdma.class.getName()));
        words.addAll(List.of(arguments));
        return wire.a.start(file, words.toArray(String[]::new));
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
