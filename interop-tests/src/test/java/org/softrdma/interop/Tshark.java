// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Wireshark's dissector. Tests that use it need {@link TsharkExtension}. */
final class Tshark {
    private Tshark() {
    }

    /**
     * Reads a capture. The UDP checksum 0 is permitted for RoCE over IPv6, and heuristic dissection of the payload, which would report
     * malformed data, is off.
     *
     * @return the output of tshark, by line
     */
    static List<String> read(Path capture, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", capture.toString(), "-o",
            "udp.ignore_ipv6_zero_checksum:TRUE", "--disable-protocol", "rpcordma", "--disable-protocol", "infiniband.eoib"));
        command.addAll(List.of(options));
        Path out = Files.createTempFile("tshark", ".out");
        Path err = Files.createTempFile("tshark", ".err");
        try {
            int exitCode = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
            assertEquals(0, exitCode, Files.readString(err));
            return Files.readAllLines(out);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    /**
     * Reads fields of a capture.
     *
     * @return for each frame the values of these fields, separated by tabs; empty where the frame lacks the field
     */
    static List<String> fields(Path capture, String... names) throws IOException, InterruptedException {
        return fields(capture, List.of(), names);
    }

    /**
     * Reads fields of a capture as {@link #fields}, of each packet by itself: tshark does not put TCP streams together, which takes minutes
     * where a fast stream lost segments.
     */
    static List<String> fieldsOfPackets(Path capture, String... names) throws IOException, InterruptedException {
        return fields(capture, List.of("-o", "tcp.desegment_tcp_streams:FALSE"), names);
    }

    private static List<String> fields(Path capture, List<String> preferences, String... names) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(preferences);
        options.addAll(List.of("-T", "fields"));
        for (String name : names) {
            options.addAll(List.of("-e", name));
        }
        return read(capture, options.toArray(String[]::new));
    }
}
