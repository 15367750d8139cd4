// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Interfaces of partitions on a fabric of ours: those of one partition hear each other, those of two do not. Adapters h1 and h2 are members
 * of the default partition and of 0x8001; h1 is also one of 0x8002, and h2 of 0x8003.
 */
@Timeout(300)
class IpoibPartitionsTest {
    @RegisterExtension
    static final NamespaceExtension NAMESPACES = new NamespaceExtension("ip", "setpriv", "ping", "tshark");

    private static final Duration SHORTLY = FabricLab.SHORTLY;
    private static final String[] HEADERS = {"infiniband.bth.opcode", "infiniband.bth.p_key", "infiniband.bth.destqp", "infiniband.bth.psn",
        "infiniband.bth.a", "infiniband.lrh.slid", "infiniband.lrh.dlid", "infiniband.lrh.sl", "infiniband.lrh.pktlen",
        "infiniband.grh.sgid", "infiniband.grh.dgid", "infiniband.deth.srcqp", "infiniband.aeth.syndrome", "frame.packet_flags_direction"};
    private static final String OF_GROUP = "\t0xffffff\t";
    private static final String RECEIVED = "\t1";
    private static final String PARTITIONS = """
        Default=0x7fff, ipoib : ALL=full ;
        Blue=0x0001, ipoib, mtu=5 : 0x%1$s=full, 0x%2$s=full ;
        Red=0x0002, ipoib : 0x%1$s=full ;
        Green=0x0003, ipoib : 0x%2$s=full ;
        """;
    /** Port GUIDs of h1 and h2, as the fabric gives them to the second and third node of its file. */
    private static final String H1 = "0000000000100001";
    private static final String H2 = "0000000000100003";

    private FabricLab lab;
    private VethPair wire;

    @BeforeEach
    void begin() throws IOException {
        lab = new FabricLab("ipoib-partitions");
        wire = new VethPair("ipoibpkey", 1500);
        lab.runThreeHosts("-P", lab.file("partitions", PARTITIONS.formatted(H1, H2)).toString());
    }

    @AfterEach
    void end() {
        wire.close();
        lab.close();
    }

    private RunningCommand start(VethPair.End end, String device, String... options) {
        return start(Map.of(), end, device, options);
    }

    private HostTool start(Map<String, String> environment, VethPair.End end, String device, String... options) {
        List<String> words = new ArrayList<>(List.of("ipoib", device));
        words.addAll(List.of(options));
        return lab.softrdmaAt(end, environment, words.toArray(String[]::new));
    }

    private static void address(VethPair.End end, String name, String address) {
        end.ip("addr add " + address + "/24 dev " + name);
        end.ip("link set " + name + " up");
    }

    /** Pings the other end from an interface with long packets, which are not fragmented: all are answered, or none. */
    private void ping(boolean answered, String netdev, String address, int bytes) {
        try (RunningCommand ping = wire.a.startAny("ping", "ping", "-c", "2", "-i", "0.5", "-W", "5", "-M", "do", "-s",
                Integer.toString(bytes), "-I", netdev, address)) {
            assertEquals(answered ? 0 : 1, ping.awaitExit(SHORTLY), ping.output());
            assertTrue(ping.output().contains(answered ? " 2 received" : " 0 received"), ping.output());
        }
    }

    /** Names are those that Linux gives. Both ends use the same subnet in all partitions, so that only these keep packets apart. */
    @Test
    void shouldSeparateInterfacesOfPartitions() {
        RunningCommand one = start(wire.a, "ib0", "--pkey", "0xffff,0x8001,0x2", "--mode", "connected");
        RunningCommand two = start(wire.b, "ib1", "--pkey", "0xffff,8001,0x8003", "--mode", "connected");
        for (String name : List.of("ib0", "ib0.8001", "ib0.8002")) {
            one.awaitOutput(name + ": up, MTU 65520, connected mode", SHORTLY);
        }
        for (String name : List.of("ib1", "ib1.8001", "ib1.8003")) {
            two.awaitOutput(name + ": up, MTU 65520, connected mode", SHORTLY);
        }
        address(wire.a, "ib0", "10.9.0.1");
        address(wire.a, "ib0.8001", "10.9.1.1");
        address(wire.a, "ib0.8002", "10.9.2.1");
        address(wire.b, "ib1", "10.9.0.2");
        address(wire.b, "ib1.8001", "10.9.1.2");
        address(wire.b, "ib1.8003", "10.9.2.2");
        ping(true, "ib0", "10.9.0.2", 60_000);
        ping(true, "ib0.8001", "10.9.1.2", 60_000);
        ping(false, "ib0.8002", "10.9.2.2", 56);
    }

    /** The interface of a partition runs alone, too; the partition's broadcast group says its MTU. */
    @Test
    void shouldRunTheInterfaceOfOnePartition() {
        start(wire.a, "ib0", "--pkey", "0x8001").awaitOutput("ib0.8001: up, MTU 4092", SHORTLY);
        start(wire.b, "ib1", "--pkey", "0x8001").awaitOutput("ib1.8001: up, MTU 4092", SHORTLY);
        address(wire.a, "ib0.8001", "10.9.1.1");
        address(wire.b, "ib1.8001", "10.9.1.2");
        ping(true, "ib0.8001", "10.9.1.2", 4064);
    }

    /**
     * The capture has what was on the wire: all packets of the recording are there, with their LIDs, P_Keys and addresses. Only the group
     * of a received datagram is not recorded.
     */
    @Test
    void shouldRecordPacketsAsTheyWereOnTheSubnet() throws Exception {
        Path captures = Files.createDirectory(lab.directory().resolve("captures"));
        HostTool one = start(Map.of("SOFTRDMA_CAPTURE_DIR", captures.toString()), wire.a, "ib0", "--pkey", "0x8001", "--mode",
            "connected");
        RunningCommand two = start(wire.b, "ib1", "--pkey", "0x8001", "--mode", "connected");
        one.awaitOutput("ib0.8001: up", SHORTLY);
        two.awaitOutput("ib1.8001: up", SHORTLY);
        address(wire.a, "ib0.8001", "10.9.1.1");
        address(wire.b, "ib1.8001", "10.9.1.2");
        ping(true, "ib0.8001", "10.9.1.2", 60_000);
        Path recording = lab.directory().resolve("recording.pcapng");
        lab.softrdmaAt(wire.a, Map.of(), "rdma", "record", "link", "ib0", "file", recording.toString()).awaitSuccess(SHORTLY);
        one.terminate();
        one.awaitExit(SHORTLY);
        List<String> recorded = Tshark.fieldsOfPackets(recording, HEADERS).stream()
            .filter(line -> !line.endsWith(RECEIVED) || !line.contains(OF_GROUP)).map(IpoibPartitionsTest::withoutDirection).toList();
        Set<String> captured = new HashSet<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(captures, "ib0-*.pcapng")) {
            for (Path capture : found) {
                Tshark.fieldsOfPackets(capture, HEADERS).forEach(line -> captured.add(withoutDirection(line)));
            }
        }
        assertEquals(List.of(), recorded.stream().filter(line -> !captured.contains(line)).toList());
        assertEquals(List.of(), Tshark.read(recording, "-Y", "_ws.malformed"));
        // Opcodes 2, SEND Last of RC, and 100, SEND Only of UD, with P_Key 0x8001.
        for (int opcode : new int[] {2, 100}) {
            assertTrue(recorded.stream().anyMatch(line -> line.startsWith(opcode + "\t32769\t")), "opcode " + opcode + " of " + recorded);
        }
    }

    private static String withoutDirection(String line) {
        return line.substring(0, line.lastIndexOf('\t'));
    }

    @Test
    void shouldSayWhatIsMissingInThePartitionsFile() {
        RunningCommand refused = start(wire.a, "ib0", "--pkey", "0x8003");
        assertEquals(1, refused.awaitExit(SHORTLY), refused.output());
        assertTrue(refused.output().contains("port 1 of ib0 is not in partition 0x8003"), refused.output());
        assertTrue(refused.output().contains("NAME=0x0003, ipoib : 0x" + H1 + "=full ;"), refused.output());
    }
}
