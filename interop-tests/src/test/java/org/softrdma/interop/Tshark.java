// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Wireshark's dissector. Tests that ask it need {@link TsharkExtension}. */
final class Tshark {
    private Tshark() {
    }

    /**
     * Reads a capture. RoCE over IPv6 may have the UDP checksum 0, and tshark is told so. Nor is it to guess what the payload might be of,
     * and to find that malformed.
     *
     * @return what it prints
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

    /** @return of each frame these fields, with tabs between them; empty where the frame has none */
    static List<String> fields(Path capture, String... names) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of("-T", "fields"));
        for (String name : names) {
            options.addAll(List.of("-e", name));
        }
        return read(capture, options.toArray(String[]::new));
    }
}
