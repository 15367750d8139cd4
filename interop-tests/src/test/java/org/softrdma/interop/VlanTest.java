// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.softrdma.wire.pcap.PcapngReader;
import org.softrdma.wire.roce.Icrc;

/**
 * Raw frames on a VLAN: runs the tools in the lab's guest, and checks the frames on the wire below with our decoder, with Wireshark and
 * with Scapy. The peer is another tool of ours, or the guest's kernel.
 */
@ExtendWith({LabExtension.class, TsharkExtension.class, ScapyExtension.class})
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class VlanTest {
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final int PING_PONG_PORT = 18515;
    private static final String ROUNDS = "20";
    /** Size of a message, which takes two packets. */
    private static final String MESSAGE_BYTES = "1500";
    /**
     * GID index of the IPv4 address. RoCE v1 and v2 have different GIDs in a table of one version: 1 is the IPv4 address, 2 the IPv6 one.
     */
    private static final String IPV4 = "1";

    /**
     * Checks that all decoders accept every frame, that all frames have the given RoCE version, and the VLAN and priority of their tags.
     */
    private static void check(Path capture, String roce, Set<String> tags) throws IOException, InterruptedException {
        WireFrames frames = WireFrames.of(capture);
        assertEquals(List.of(), frames.defects());
        int count = frames.v1() + frames.v2();
        assertTrue(count > 0 && count == (roce.equals("v1") ? frames.v1() : frames.v2()), frames.toString());
        assertEquals(List.of(), Tshark.fields(capture, "infiniband.bth.opcode", "_ws.malformed").stream()
            .filter(line -> !line.matches("\\d+\t")).toList(), "frames without BTH, or malformed ones");
        assertEquals(tags, new TreeSet<>(Tshark.fields(capture, "vlan.priority", "vlan.id")));
        checkWithScapy(capture);
    }

    private static void checkWithScapy(Path capture) throws IOException, InterruptedException {
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(capture)));
        StringBuilder frames = new StringBuilder();
        StringBuilder icrcs = new StringBuilder();
        while (reader.next()) {
            byte[] frame = new byte[reader.length()];
            reader.buffer().get(reader.offset(), frame);
            frames.append(HexFormat.of().formatHex(frame)).append('\n');
            icrcs.append(HexFormat.of().formatHex(frame, frame.length - Icrc.LENGTH, frame.length)).append('\n');
        }
        assertEquals(icrcs.toString(), Scapy.icrcs(frames.toString()));
    }

    @Test
    void shouldTagFramesWithThePriorityOfTheServiceLevel(KernelLab lab) throws Exception {
        checkThePriority("ibv_rc_pingpong", "v1", "1", lab);
    }

    @Test
    @Tag("soak")
    void shouldTagDatagramsWithThePriorityOfTheServiceLevel(KernelLab lab) throws Exception {
        checkThePriority("ibv_ud_pingpong", "v2", "2", lab);
    }

    private static void checkThePriority(String tool, String roce, String gidIndex, KernelLab lab) throws Exception {
        String bytes = tool.contains("_ud_") ? "1000" : MESSAGE_BYTES;
        String[] words = {tool, "-g", gidIndex, "-l", "5", "-n", ROUNDS, "-s", bytes, "-e", "-c"};
        try (GuestVlan vlan = GuestVlan.between(lab, "vlan-" + tool);
             GuestVlan.Recording recording = vlan.record();
             RunningCommand server = vlan.b.startTool("link raw roce " + roce, words)) {
            vlan.b.awaitListener(PING_PONG_PORT);
            try (RunningCommand client = vlan.a.startTool("link raw roce " + roce, with(words, vlan.b.ipv4))) {
                String output = client.awaitSuccess(DEADLINE) + server.awaitSuccess(DEADLINE);
                assertTrue(output.contains(ROUNDS + " iters in "), output);
            }
            check(recording.stop(), roce, Set.of("5\t7"));
        }
    }

    @Test
    void shouldConnectByAddress(KernelLab lab) throws Exception {
        connectByAddress("v2", lab);
    }

    @Test
    @Tag("soak")
    void shouldConnectByAddressInVersionOne(KernelLab lab) throws Exception {
        connectByAddress("v1", lab);
    }

    private static void connectByAddress(String roce, KernelLab lab) throws Exception {
        try (GuestVlan vlan = GuestVlan.between(lab, "vlan-rping-" + roce);
             GuestVlan.Recording recording = vlan.record();
             RunningCommand server = vlan.b.startTool("link raw roce " + roce, "rping", "-s", "-C", "3")) {
            vlan.b.awaitRawDevice();
            try (RunningCommand client = vlan.a.startTool("link raw roce " + roce, "rping", "-c", "-a", vlan.b.ipv4, "-v", "-C", "3")) {
                String output = client.awaitSuccess(DEADLINE);
                assertTrue(output.contains("ping data: rdma-ping-2: "), output);
                server.awaitExit(DEADLINE);
            }
            check(recording.stop(), roce, Set.of("0\t7"));
        }
    }

    /** Kernel rxe is on the wire's interface, with the VLAN's addresses in its GID table. */
    @Test
    void shouldPlayPingPongWithTheKernel(KernelLab lab) throws Exception {
        try (GuestVlan vlan = GuestVlan.toTheKernel(lab, "vlan-kernel")) {
            vlan.run("rdma link add rxe1 type rxe netdev " + vlan.a.parent());
            vlan.a.await("grep -qx vlan7 /sys/class/infiniband/rxe1/ports/1/gid_attrs/ndevs/1");
            String[] words = {"ibv_rc_pingpong", "-g", IPV4, "-n", ROUNDS, "-s", MESSAGE_BYTES};
            try (GuestVlan.Recording recording = vlan.record();
                 RunningCommand server = vlan.a.startProgram(with(words, "-d", "rxe1"))) {
                vlan.a.awaitListener(PING_PONG_PORT);
                try (RunningCommand client = vlan.b.startTool("link raw roce v2", with(words, "-l", "5", "-e", vlan.a.ipv4))) {
                    String output = client.awaitSuccess(DEADLINE) + server.awaitSuccess(DEADLINE);
                    assertTrue(output.contains(ROUNDS + " iters in "), output);
                }
                check(recording.stop(), "v2", Set.of("0\t7", "5\t7"));
            } finally {
                vlan.run("rdma link del rxe1");
            }
        }
    }

    private static String[] with(String[] words, String... more) {
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return all;
    }
}
