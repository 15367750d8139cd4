// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * RoCE v1 and v2 in raw frames, between two network namespaces: runs the tools as a user does, and checks the frames on the wire with our
 * decoder and with Wireshark.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RoceVersionsTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "dumpcap", "tshark");

    private static final int PING_PONG_PORT = 18515;
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    /** 128 + SIGKILL. */
    private static final int KILLED = 137;
    private static final String ROCE_FRAMES = "ether proto 0x8915 or udp port 4791";
    /** Offload is off, because a capture on such a wire shows a train as one frame. */
    private static final Map<String, String> NO_OFFLOAD = Map.of("SOFTRDMA_JAVA_OPTS", "-Dsoftrdma.offload=off");

    /** As {@link #NO_OFFLOAD}, and no cache is trained in the background, by other programs on the same network. */
    private static final Map<String, String> QUIETLY = Map.of("SOFTRDMA_JAVA_OPTS", "-Dsoftrdma.offload=off", "SOFTRDMA_NO_AOT", "1");

    /** GID indexes of the raw link's table: link-local, IPv4, IPv6, each as v1 and as v2. */
    private enum Index {
        LINK_LOCAL_V1, LINK_LOCAL_V2, IPV4_V1, IPV4_V2, IPV6_V1, IPV6_V2;

        String option() {
            return Integer.toString(ordinal());
        }
    }

    private static void pingPong(VethPair pair, String tool, Index index, String... options) {
        pingPong(pair, Map.of(), tool, index.option(), options);
    }

    private static void pingPong(VethPair pair, Map<String, String> environment, String tool, String index, String... options) {
        List<String> server = new ArrayList<>(List.of(tool, "-g", index, "-c"));
        server.addAll(List.of(options));
        List<String> client = new ArrayList<>(server);
        client.add(pair.b.ipv4);
        try (RunningCommand serving = pair.b.start(environment, "server", server.toArray(String[]::new))) {
            pair.b.awaitListener(serving, PING_PONG_PORT);
            try (RunningCommand asking = pair.a.start(environment, "client", client.toArray(String[]::new))) {
                String output = asking.awaitSuccess(DEADLINE) + serving.awaitSuccess(DEADLINE);
                assertTrue(output.contains(" iters in ") && !output.contains("invalid data"), output);
            }
        }
    }

    /**
     * Stops a recording.
     *
     * @return the frames, all of which Wireshark decodes as well
     */
    private static WireFrames stop(VethPair.Recording recording) throws IOException, InterruptedException {
        Path capture = recording.stop();
        WireFrames frames = WireFrames.of(capture);
        assertEquals(List.of(), frames.defects());
        List<String> lines = Tshark.fields(capture, "infiniband.bth.opcode", "_ws.malformed");
        assertEquals(List.of(), lines.stream().filter(line -> !line.matches("\\d+\t")).toList(), "frames without BTH, or malformed ones");
        assertEquals(frames.v1() + frames.v2(), lines.size());
        return frames;
    }

    @ParameterizedTest
    @CsvSource({"ibv_rc_pingpong, IPV4_V1", "ibv_rc_pingpong, IPV6_V1", "ibv_rc_pingpong, LINK_LOCAL_V1", "ibv_uc_pingpong, IPV4_V1",
        "ibv_ud_pingpong, IPV4_V1"})
    void shouldPlayPingPongInVersionOne(String tool, Index index) throws Exception {
        try (VethPair pair = new VethPair(tool + "-" + index, 1500)) {
            pair.addDevices("link raw");
            try (VethPair.Recording recording = pair.a.record(pair.a.netdev(), ROCE_FRAMES)) {
                pingPong(pair, tool, index, "-n", "200");
                WireFrames frames = stop(recording);
                assertTrue(frames.v1() >= 400, frames.toString());
                assertEquals(0, frames.v2());
            }
        }
    }

    /** Runs an XRC ping-pong, whose exchange has no message size to check. */
    @Test
    void shouldPlayPingPongOverXrcInVersionOne() throws Exception {
        try (VethPair pair = new VethPair("xrc", 1500)) {
            pair.addDevices("link raw roce v1");
            try (VethPair.Recording recording = pair.a.record(pair.a.netdev(), ROCE_FRAMES);
                 RunningCommand server = pair.b.start("server", "ibv_xsrq_pingpong", "-g", "1", "-n", "100")) {
                pair.b.awaitListener(server, PING_PONG_PORT);
                pair.a.tool("ibv_xsrq_pingpong", "-g", "1", "-n", "100", pair.b.ipv4);
                server.awaitSuccess(DEADLINE);
                WireFrames frames = stop(recording);
                assertTrue(frames.v1() >= 200 && frames.v2() == 0, frames.toString());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"ibv_rc_pingpong, IPV4_V2", "ibv_rc_pingpong, IPV6_V2", "ibv_uc_pingpong, IPV6_V2", "ibv_ud_pingpong, IPV4_V2"})
    void shouldPlayPingPongInVersionTwo(String tool, Index index) throws Exception {
        try (VethPair pair = new VethPair(tool + "-" + index, 1500)) {
            pair.addDevices("link raw");
            try (VethPair.Recording recording = pair.a.record(pair.a.netdev(), ROCE_FRAMES)) {
                pingPong(pair, NO_OFFLOAD, tool, index.option(), "-n", "200");
                WireFrames frames = stop(recording);
                assertTrue(frames.v2() >= 400, frames.toString());
                assertEquals(0, frames.v1());
            }
        }
    }

    /** One end uses raw frames, the other UDP sockets: the wire format is the same. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2"})
    void shouldInteroperateWithUdpSocketsInVersionTwo(String udpIndex) throws Exception {
        String rawIndex = udpIndex.equals("1") ? Index.IPV4_V2.option() : Index.IPV6_V2.option();
        try (VethPair pair = new VethPair("udp-" + udpIndex, 9000)) {
            pair.addDevice(pair.a, pair.a.netdev(), "link raw");
            pair.addDevice(pair.b, pair.b.netdev(), "");
            try (RunningCommand server = pair.b.start("server", "ibv_rc_pingpong", "-g", udpIndex, "-s", "65536", "-n", "100", "-c")) {
                pair.b.awaitListener(server, PING_PONG_PORT);
                pair.a.tool("ibv_rc_pingpong", "-g", rawIndex, "-s", "65536", "-n", "100", "-c", pair.b.ipv4);
                server.awaitSuccess(DEADLINE);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1500, 1024", "9000, 4096"})
    void shouldUseThePathMtuOfTheInterface(int mtu, String pathMtu) throws Exception {
        try (VethPair pair = new VethPair("mtu-" + mtu, mtu)) {
            pair.addDevices("link raw");
            pingPong(pair, "ibv_rc_pingpong", Index.IPV4_V1, "-m", pathMtu, "-s", "65536", "-n", "100");
            pingPong(pair, "ibv_rc_pingpong", Index.IPV4_V2, "-m", pathMtu, "-s", "65536", "-n", "100");
        }
    }

    // ---- processes on one host ----

    /** Devices on the loopback interface with {@code wire shm}: the network carries how it begins, and notices of four bytes. */
    @Test
    void shouldKeepPacketsOfOneHostInSharedMemory() throws Exception {
        try (VethPair pair = new VethPair("shm", 1500)) {
            pair.addDevice(pair.a, "lo", "wire shm");
            try (VethPair.Recording recording = pair.a.record("lo", "udp port 4791")) {
                try (RunningCommand server = startQuietly(pair, "server", "ibv_rc_pingpong -g 1 -n 2000 -c")) {
                    pair.a.awaitListener(server, PING_PONG_PORT);
                    try (RunningCommand client = startQuietly(pair, "client", "ibv_rc_pingpong -g 1 -n 2000 -c 127.0.0.1")) {
                        client.awaitSuccess(DEADLINE);
                    }
                    server.awaitSuccess(DEADLINE);
                }
                try (RunningCommand server = startQuietly(pair, "rping-server", "rping -s -a 127.0.0.1 -C 100 -v")) {
                    String output = rping(pair, "127.0.0.1", server, "100");
                    assertEquals(100, output.lines().filter(line -> line.startsWith("ping data: ")).count(), output);
                    server.awaitSuccess(DEADLINE);
                }
                List<String> lengths = Tshark.fields(recording.stop(), "udp.length");
                long notices = lengths.stream().filter("12"::equals).count();
                // 4,000 messages of 4 KiB are at least 4,000 packets.
                assertTrue(notices > 0 && lengths.size() - notices < 1000, notices + " of " + lengths.size());
            }
        }
    }

    private static RunningCommand startQuietly(VethPair pair, String file, String words) {
        return pair.a.start(QUIETLY, file, words.split(" "));
    }

    // ---- connections by address ----

    private static RunningCommand rpingServer(VethPair pair) {
        RunningCommand server = pair.b.start(NO_OFFLOAD, "server", "rping", "-s", "-C", "3");
        pair.b.awaitDevice(server);
        return server;
    }

    /**
     * Runs an rping client; a client that is rejected because it connects before the server listens is started again, as a user would do.
     *
     * @return the output of the last run
     */
    private static String rping(VethPair pair, RunningCommand server) {
        return rping(pair, pair.b.ipv4, server, "3");
    }

    private static String rping(VethPair pair, String address, RunningCommand server, String count) {
        while (true) {
            try (RunningCommand client = pair.a.start(QUIETLY, "client", "rping", "-c", "-a", address, "-v", "-C", count)) {
                client.awaitExit(DEADLINE);
                if (!server.isRunning() || !client.output().contains("RDMA_CM_EVENT_REJECTED")) {
                    return client.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    /** Rows of the version matrix in which both ends connect: the version on the wire is the one that the client requests. */
    @ParameterizedTest
    @CsvSource({"1, 'roce v1', 'roce v1'", "1, '', 'roce v1,v2'", "2, '', 'roce v1,v2'", "2, '', 'roce v2'"})
    void shouldConnectInTheVersionRequestedByTheClient(String mode, String clients, String servers) throws Exception {
        try (VethPair pair = new VethPair("matrix-" + mode + "-" + servers.replaceAll("\\W", ""), 1500)) {
            pair.addDevice(pair.a, pair.a.netdev(), ("link raw " + clients).strip());
            pair.addDevice(pair.b, pair.b.netdev(), "link raw " + servers);
            assertEquals(mode.equals("1") ? "IB/RoCE v1\n" : "RoCE v2\n",
                pair.a.tool("cma_roce_mode", "-d", "rxe0", "-p", "1", "-m", mode));
            try (VethPair.Recording recording = pair.a.record(pair.a.netdev(), ROCE_FRAMES);
                 RunningCommand server = rpingServer(pair)) {
                String output = rping(pair, server);
                assertTrue(output.contains("ping data: rdma-ping-2: "), output);
                server.awaitExit(DEADLINE);
                WireFrames frames = stop(recording);
                assertTrue(mode.equals("1") ? frames.v1() > 0 && frames.v2() == 0 : frames.v2() > 0 && frames.v1() == 0, frames.toString());
            }
        }
    }

    /**
     * Row four of the version matrix: the server's host reports the RoCE v2 port as unreachable, and the client reports that at once, over
     * any link.
     */
    @ParameterizedTest
    @CsvSource({"raw, false", "raw, true", "udp, false", "udp, true"})
    void shouldReportThatVersionTwoCannotReachAServerOfVersionOne(String link, boolean ipv6) throws Exception {
        try (VethPair pair = new VethPair("matrix-refused-" + link + (ipv6 ? "-ipv6" : "-ipv4"), 1500)) {
            pair.addDevice(pair.a, pair.a.netdev(), "link " + link);
            pair.addDevice(pair.b, pair.b.netdev(), "link raw roce v1");
            try (RunningCommand serving = rpingServer(pair)) {
                assertTrue(serving.isRunning());
                String output = pair.a.failingTool("rping", "-c", "-a", ipv6 ? pair.b.ipv6 : pair.b.ipv4, "-v", "-C", "3");
                assertTrue(output.contains("RDMA_CM_EVENT_UNREACHABLE, error -111"), output);
                assertTrue(output.contains("cma_roce_mode -d DEV -p 1 -m 1"), output);
            }
        }
    }

    // ---- failures ----

    /** The next process with a device at that host sends the DREQ of the killed one, here a server that is started again. */
    @ParameterizedTest
    @CsvSource({"link raw roce v1, false", "link raw roce v1, true", "link udp, true"})
    void shouldNotifyThePeerOfAKilledServer(String options, boolean ipv6) throws Exception {
        try (VethPair pair = new VethPair("killed-" + options.replace(' ', '-') + (ipv6 ? "-ipv6" : "-ipv4"), 1500)) {
            pair.addDevices(options);
            String address = ipv6 ? pair.b.ipv6 : pair.b.ipv4;
            try (RunningCommand server = pair.b.start("server", "rping", "-s", "-a", address);
                 RunningCommand client = connected(pair, "rping", "-c", "-v", "-a", address)) {
                client.awaitOutput("ping data: rdma-ping-9: ", DEADLINE);
                server.kill();
                assertEquals(KILLED, server.awaitExit(DEADLINE));
                try (RunningCommand next = pair.b.start("next", "rping", "-s", "-a", address)) {
                    client.awaitExit(DEADLINE);
                    assertTrue(client.output().contains("client DISCONNECT EVENT..."), client.output() + next.output());
                }
            }
        }
    }

    /** Starts a client, again while the server does not listen yet. */
    private static RunningCommand connected(VethPair pair, String... words) {
        while (true) {
            RunningCommand client = pair.a.start("client", words);
            try {
                client.awaitOutput("ping data: ", DEADLINE);
                return client;
            } catch (AssertionError ended) {
                if (!client.output().contains("RDMA_CM_EVENT_REJECTED") && !client.output().contains("RDMA_CM_EVENT_UNREACHABLE")) {
                    throw ended;
                }
            }
        }
    }

    @Test
    void shouldContinueAfterTheWireWasCut() throws Exception {
        try (VethPair pair = new VethPair("cut", 1500)) {
            pair.addDevices("link raw");
            List<String> words = List.of("ibv_rc_pingpong", "-g", Index.IPV4_V1.option(), "-n", "2000", "-s", "65536", "-c");
            try (RunningCommand server = pair.b.start("server", words.toArray(String[]::new))) {
                pair.b.awaitListener(server, PING_PONG_PORT);
                List<String> asking = new ArrayList<>(words);
                asking.add(pair.b.ipv4);
                try (RunningCommand client = pair.a.start("client", asking.toArray(String[]::new))) {
                    client.awaitOutput("remote address", DEADLINE);
                    pair.b.cutTheWire();
                    client.awaitSuccess(DEADLINE);
                    server.awaitSuccess(DEADLINE);
                }
            }
        }
    }

    /** A path MTU that fitted when the connection was made: the reason is in the log, and EMSGSIZE in the vendor error. */
    @Test
    void shouldExplainAFailureByAShrunkenMtu() throws Exception {
        try (VethPair pair = new VethPair("shrunken", 9000)) {
            pair.addDevices("");
            try (RunningCommand server = pair.b.start("server", "ib_write_bw", "-x", "1", "-m", "4096", "-D", "60")) {
                pair.b.awaitListener(server, PING_PONG_PORT);
                try (RunningCommand client = pair.a.start("client", "ib_write_bw", "-x", "1", "-m", "4096", "-D", "60", pair.b.ipv4)) {
                    client.awaitOutput("BW average", DEADLINE);
                    pair.a.ip("link set " + pair.a.netdev() + " mtu 1500");
                    client.awaitExit(DEADLINE);
                    String output = client.output();
                    assertTrue(output.contains("Failed status 12: ") && output.contains(" syndrom 0x5a"), output);
                    assertTrue(output.contains("failed with RETRY_EXC_ERR: its path MTU of 4096 bytes no longer fits the interface, "
                        + "whose MTU is 1500 now (RoCE 1024)"), output);
                }
            }
        }
    }

    @Test
    void shouldReportANeighbourWithoutArpReply() throws Exception {
        try (VethPair pair = new VethPair("silent", 1500)) {
            pair.addDevices("link raw");
            String output = pair.a.failingTool("rping", "-c", "-a", "10.99.0.77", "-C", "1");
            assertTrue(output.contains("10.99.0.77 does not answer ARP on veth-a"), output);
        }
    }

    @Test
    void shouldRejectARouteOverARouterInVersionOne() throws Exception {
        try (VethPair pair = new VethPair("router", 1500)) {
            pair.addDevices("link raw roce v1");
            pair.a.ip("route add 192.0.2.0/24 via " + pair.b.ipv4);
            String output = pair.a.failingTool("rping", "-c", "-a", "192.0.2.1", "-C", "1");
            assertTrue(output.contains("192.0.2.1 is behind the router 10.99.0.2"), output);
        }
    }

    @Test
    void shouldSendDatagramsToAGroupInVersionOne() throws Exception {
        try (VethPair pair = new VethPair("multicast", 1500)) {
            pair.addDevices("link raw roce v1");
            try (VethPair.Recording recording = pair.a.record(pair.a.netdev(), "ether proto 0x8915 and ether dst 33:33:ef:01:02:03");
                 RunningCommand receiver = pair.b.start("server", "mckey", "-m", "239.1.2.3", "-b", pair.b.ipv4)) {
                receiver.awaitOutput("joined dgid", DEADLINE);
                pair.a.tool("mckey", "-m", "239.1.2.3", "-b", pair.a.ipv4, "-s");
                assertTrue(receiver.awaitSuccess(DEADLINE).contains("data transfers complete"), receiver.output());
                assertEquals(10, WireFrames.of(recording.stop()).v1());
            }
        }
    }

    @Test
    void shouldRestrictTheModeToVersionsOfTheDevice() throws Exception {
        try (VethPair pair = new VethPair("mode", 1500)) {
            pair.a.tool("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", pair.a.netdev());
            String refusal = pair.a.failingTool("cma_roce_mode", "-d", "rxe0", "-p", "1", "-m", "1");
            assertTrue(refusal.contains("rxe0 does not speak IB/RoCE v1") && refusal.contains("link raw"), refusal);
            pair.a.tool("rdma", "link", "set", "rxe0", "link", "raw");
            assertEquals("RoCE v2\n", pair.a.tool("cma_roce_mode", "-d", "rxe0", "-p", "1"));
            assertEquals("IB/RoCE v1\n", pair.a.tool("cma_roce_mode", "-d", "rxe0", "-p", "1", "-m", "1"));
            assertEquals("IB/RoCE v1\n", pair.a.tool("cma_roce_mode", "-d", "rxe0", "-p", "1"));
        }
    }
}
