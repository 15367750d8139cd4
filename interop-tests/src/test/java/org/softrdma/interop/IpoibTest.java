// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * IP over InfiniBand on a fabric of ours: the IP stacks of two network namespaces talk by network interfaces of link type 32, and judge
 * what arrives. The subnet manager is at a third node.
 */
@Timeout(300)
class IpoibTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "ping", "iperf3", "nc", "tshark");

    private static final Duration SHORTLY = FabricLab.SHORTLY;
    private static final Duration LONG = Duration.ofSeconds(120);

    private FabricLab lab;
    private Path captures;
    private VethPair wire;

    @BeforeEach
    void begin() throws IOException {
        lab = new FabricLab("ipoib");
        captures = Files.createDirectory(lab.directory().resolve("captures"));
        wire = new VethPair("ipoib", 1500);
        lab.runThreeHosts();
    }

    @AfterEach
    void end() {
        wire.close();
        lab.close();
    }

    /** Starts the interface at an end, and gives it addresses. */
    private RunningCommand start(VethPair.End end, String device, int number) {
        return start(end, device, number, "datagram", ": up, MTU 2044");
    }

    private RunningCommand startConnected(VethPair.End end, String device, int number) {
        return start(end, device, number, "connected", ": up, MTU 65520, connected mode");
    }

    private RunningCommand start(VethPair.End end, String device, int number, String mode, String up) {
        RunningCommand interfaceOfEnd = lab.softrdmaAt(end, Map.of("SOFTRDMA_CAPTURE_DIR", captures.toString()), "ipoib", device,
            "-v", "--mode", mode);
        interfaceOfEnd.awaitOutput(device + up, SHORTLY);
        end.ip("addr add 10.9.0." + number + "/24 dev " + device);
        end.ip("-6 addr add fd09::" + number + "/64 dev " + device + " nodad");
        end.ip("link set " + device + " up");
        return interfaceOfEnd;
    }

    private static String run(VethPair.End end, String file, String line) {
        try (RunningCommand running = end.startAny(file, line.split(" "))) {
            return running.awaitSuccess(LONG);
        }
    }

    @Test
    void shouldConnectTheIpStacksOfTwoHosts() throws Exception {
        RunningCommand one = start(wire.a, "ib0", 1);
        start(wire.b, "ib1", 2);
        String shown = run(wire.a, "link", "ip link show ib0");
        assertTrue(shown.contains("link/infiniband") && shown.contains("mtu 2044"), shown);
        // The longest datagram, 2016 bytes of data behind 28 bytes of headers, is not fragmented.
        Ends.expect(run(wire.a, "ping", "ping -c 3 -W 10 -s 2016 -M do 10.9.0.2"), List.of(" 3 received, 0% packet loss"));
        Ends.expect(run(wire.b, "ping6", "ping -6 -c 3 -W 10 fd09::1"), List.of(" 3 received, 0% packet loss"));
        Ends.expect(run(wire.a, "ping-all", "ping -c 3 -W 10 -b 10.9.0.2"), List.of(" 3 received, 0% packet loss"));
        iperf("10.9.0.2", 3);
        ((HostTool) one).terminate();
        assertEquals(0, one.awaitExit(SHORTLY), one.output());
        assertTrue(one.output().contains("ipoib_solicitations "), one.output());
        checkWithTshark();
    }

    /** Packets of 64 KB are not fragmented, ARP and broadcasts are datagrams, and each end sends by a connection of its own. */
    @Test
    void shouldConnectTheIpStacksOfTwoHostsInConnectedMode() throws Exception {
        RunningCommand one = startConnected(wire.a, "ib0", 1);
        startConnected(wire.b, "ib1", 2);
        String shown = run(wire.a, "link", "ip link show ib0");
        assertTrue(shown.contains("link/infiniband") && shown.contains("mtu 65520"), shown);
        Ends.expect(run(wire.a, "ping", "ping -c 3 -W 10 -s 60000 -M do 10.9.0.2"), List.of(" 3 received, 0% packet loss"));
        Ends.expect(run(wire.b, "ping6", "ping -6 -c 3 -W 10 -s 60000 -M do fd09::1"), List.of(" 3 received, 0% packet loss"));
        iperf("10.9.0.2", 3);
        ((HostTool) one).terminate();
        assertEquals(0, one.awaitExit(SHORTLY), one.output());
        assertEquals(1, counter(one, "ipoib_connections"), one.output());
        assertEquals(0, counter(one, "ipoib_connections_failed"), one.output());
        assertTrue(counter(one, "ipoib_sent_connected") > 100, one.output());
        checkConnectionsWithTshark();
    }

    private static long counter(RunningCommand ended, String name) {
        return ended.output().lines().filter(line -> line.startsWith(name + " ")).mapToLong(line -> Long.parseLong(line.split(" ")[1]))
            .findFirst().orElseThrow();
    }

    /** Wireshark finds the values of RFC 4755 in the REQs of both ends, and nothing malformed. */
    private void checkConnectionsWithTshark() throws Exception {
        Path capture = capture();
        assertEquals(List.of(), Tshark.fieldsOfPackets(capture, "_ws.malformed").stream().filter(line -> !line.isBlank()).toList());
        List<String> requests = Tshark.fieldsOfPackets(capture, "infiniband.cm.req.serviceid", "infiniband.cm.req.private").stream()
            .filter(line -> !line.isBlank()).distinct().toList();
        assertEquals(2, requests.size(), requests.toString());
        List<String> opcodes = Tshark.fieldsOfPackets(capture, "infiniband.bth.opcode");
        // UD_SEND_ONLY, RC_SEND_FIRST, RC_SEND_ONLY and RC_ACKNOWLEDGE.
        for (String opcode : List.of("100", "0", "4", "17")) {
            assertTrue(opcodes.contains(opcode), opcode);
        }
        for (String request : requests) {
            assertTrue(request.matches("0x1000000000[0-9a-f]{6}\t00[0-9a-f]{6}0000fff4.*"), request);
        }
    }

    /** Data that a cable loses is repeated by the connection, and a file arrives as it was sent. */
    @Test
    void shouldKeepDataIntactInConnectedModeWhilePacketsAreLost() throws Exception {
        startConnected(wire.a, "ib0", 1);
        startConnected(wire.b, "ib1", 2);
        lab.fabric("loss", "h1", "1", "0.5");
        byte[] data = new byte[16 << 20];
        new SplittableRandom(1).nextBytes(data);
        Path from = Files.write(lab.directory().resolve("from"), data);
        Path to = lab.directory().resolve("to");
        try (RunningCommand server = wire.b.startAny("nc-server", "sh", "-c", "nc -l -p 7000 > " + to)) {
            wire.b.awaitListener(server, 7000);
            try (RunningCommand client = wire.a.startAny("nc-client", "sh", "-c", "nc -q 1 10.9.0.2 7000 < " + from)) {
                client.awaitSuccess(LONG);
            }
            server.awaitSuccess(SHORTLY);
        }
        assertEquals(-1, Files.mismatch(from, to));
    }

    /** The IP stack of the connected end learns that the other one receives datagrams only. */
    @Test
    void shouldReachAnInterfaceInDatagramModeFromOneInConnectedMode() {
        startConnected(wire.a, "ib0", 1);
        start(wire.b, "ib1", 2);
        try (RunningCommand ping = wire.a.startAny("ping", "ping", "-c", "2", "-W", "10", "-s", "60000", "-M", "do", "10.9.0.2")) {
            assertEquals(1, ping.awaitExit(SHORTLY), ping.output());
            assertTrue(Pattern.compile("mtu ?= ?2044").matcher(ping.output()).find(), ping.output());
        }
        Ends.expect(run(wire.a, "ping-long", "ping -c 3 -W 10 -s 4000 10.9.0.2"), List.of(" 3 received, 0% packet loss"));
        Ends.expect(run(wire.b, "ping-back", "ping -c 3 -W 10 -s 4000 10.9.0.1"), List.of(" 3 received, 0% packet loss"));
        iperf("10.9.0.2", 2);
        iperf("fd09::2", 2);
    }

    private Path capture() throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(captures, "ib0-*.pcapng")) {
            return found.iterator().next();
        }
    }

    /** Wireshark decodes all packets of the interface, from the local route header to ARP, ICMP and TCP. */
    private void checkWithTshark() throws Exception {
        Path capture = capture();
        List<String> lines = Tshark.fieldsOfPackets(capture, "infiniband.bth.opcode", "_ws.malformed");
        assertEquals(List.of(), lines.stream().filter(line -> !line.equals("100\t")).toList(), "malformed, or no datagram");
        for (String field : List.of("arp.dst.proto_ipv4", "icmp.type", "icmpv6.nd.ns.target_address", "tcp.port")) {
            assertTrue(Tshark.fieldsOfPackets(capture, field).stream().anyMatch(line -> !line.isBlank()), field);
        }
    }

    private void iperf(String address, int seconds) {
        try (RunningCommand server = wire.b.startAny("iperf-server", "iperf3", "-s", "-1", "-B", address)) {
            wire.b.awaitListener(server, 5201);
            Ends.expect(run(wire.a, "iperf-client", "iperf3 -c " + address + " -t " + seconds), List.of("iperf Done."));
            server.awaitSuccess(SHORTLY);
        }
    }

    /** TCP repeats what the cable loses. */
    @Test
    @Tag("soak")
    void shouldCarryTcpForLongWhilePacketsAreLost() {
        start(wire.a, "ib0", 1);
        start(wire.b, "ib1", 2);
        iperf("10.9.0.2", 30);
        lab.fabric("loss", "h1", "1", "0.5");
        iperf("10.9.0.2", 30);
        iperf("fd09::2", 10);
    }

    /** Without privileges: both stacks are small ones in the processes. A pulled cable takes the interface down. */
    @Test
    void shouldPingBetweenStacksInTheProcesses() {
        RunningCommand two = lab.softrdmaAt(wire.b, Map.of(), "ipoib", "ib1", "--address", "10.9.0.2/24");
        two.awaitOutput("ib1: up, MTU 2044", SHORTLY);
        try (RunningCommand ping = ping("10.9.0.2", "2")) {
            Ends.expect(ping.awaitSuccess(SHORTLY), List.of("64 bytes from 10.9.0.2: icmp_seq=1 ", "2 packets transmitted, 2 received"));
        }
        lab.fabric("pull", "h2", "1");
        two.awaitOutput("ib1: down", SHORTLY);
        lab.fabric("plug", "h2", "1");
        awaitUpAgain(two);
        try (RunningCommand ping = ping("10.9.0.77", "1")) {
            assertEquals(1, ping.awaitExit(SHORTLY), ping.output());
            assertTrue(ping.output().contains("100% packet loss"), ping.output());
        }
    }

    private RunningCommand ping(String address, String count) {
        return lab.softrdmaAt(wire.a, Map.of(), "ipoib", "ib0", "--address", "10.9.0.1/24", "--ping", address, "-c", count);
    }

    private static void awaitUpAgain(RunningCommand end) {
        long untilNs = System.nanoTime() + SHORTLY.toNanos();
        while (end.output().split("ib1: up", -1).length < 3) {
            assertTrue(end.isRunning() && System.nanoTime() - untilNs < 0, end.output());
            VethPair.pause();
        }
    }
}
