// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.wire.pcap.PcapngReader;

/**
 * Checks with Wireshark's dissector, an independent implementation, every kind of packet we send. Of XRC, FLUSH and ATOMIC WRITE, Wireshark
 * 4.0 knows the opcodes but not the headers: for these, only the BTH and the absence of malformed frames are checked.
 */
@ExtendWith(TsharkExtension.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WiresharkTest {
    /** Opcodes that {@link EveryPacket} must send: RC, UC, UD, XRC. */
    private static final String OPCODES = """
        00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 16 17 1c 1d
        20 21 22 23 24 25 26 27 28 29 2a 2b
        64 65
        a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af b0 b1 b2 b3 b4 b6 b7""";
    /**
     * Opcodes with the given header after the BTH, hexadecimal; opcodes that are not listed have no such header, or Wireshark does not
     * decode it.
     */
    private static final Map<String, String> HEADERS = Map.ofEntries(
        Map.entry("reth", "06 0a 0b 0c 26 2a 2b"), Map.entry("aeth", "0d 0f 10 11 12"), Map.entry("atomiceth", "13 14"),
        Map.entry("atomicacketh", "12"), Map.entry("deth", "64 65"), Map.entry("immdt", "03 05 09 0b 23 25 29 2b 65"),
        Map.entry("ieth", "16 17"));
    private static final List<String> HEADER_FIELDS = List.of("infiniband.reth.dmalen", "infiniband.aeth.msn",
        "infiniband.atomiceth.swapdt", "infiniband.atomicacketh.origremdt", "infiniband.deth.srcqp", "infiniband.immdt", "infiniband.ieth");
    /**
     * AETHs of the answers, by kind and number: receiver not ready, and the NAKs for a sequence error and for a remote access error, within
     * the services that Wireshark decodes.
     */
    private static final String ANSWERS = "[0:, 1:, 3:0, 3:2]";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDecodeEveryKindOfPacketWeSend(boolean ipv6) throws Exception {
        Path capture = directory.resolve("all.pcapng");
        EveryPacket.captureTo(capture, ipv6);

        assertEquals(List.of(), Tshark.read(capture, "-Y", "_ws.malformed || _ws.expert"),
            "malformed frames, or frames with expert information");
        List<String> fields = new ArrayList<>(List.of("infiniband.bth.opcode", "infiniband.aeth.syndrome.opcode",
            "infiniband.aeth.syndrome.error_code"));
        fields.addAll(HEADER_FIELDS);
        List<String> frames = Tshark.fields(capture, fields.toArray(String[]::new));

        assertEquals(frames(capture), frames.size());
        TreeSet<String> opcodes = new TreeSet<>();
        TreeSet<String> answers = new TreeSet<>();
        for (String frame : frames) {
            String[] values = frame.split("\t", -1);
            String opcode = String.format("%02x", Integer.parseInt(values[0]));
            opcodes.add(opcode);
            if (!values[1].isEmpty()) {
                answers.add(values[1] + ":" + values[2]);
            }
            for (int i = 0; i < HEADER_FIELDS.size(); i++) {
                String header = HEADER_FIELDS.get(i).split("\\.")[1];
                assertEquals(HEADERS.get(header).contains(opcode), !values[3 + i].isEmpty(), header + " in a packet of opcode " + opcode);
            }
        }
        assertEquals(OPCODES.replace('\n', ' '), String.join(" ", opcodes));
        assertEquals(ANSWERS, answers.toString());
    }

    /** Number of packets in the file. */
    private static int frames(Path capture) throws IOException {
        PcapngReader reader = new PcapngReader(ByteBuffer.wrap(Files.readAllBytes(capture)));
        int count = 0;
        while (reader.next()) {
            count++;
        }
        return count;
    }
}
