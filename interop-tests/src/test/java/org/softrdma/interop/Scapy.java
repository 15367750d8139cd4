// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** ICRCs computed by Scapy, an independent implementation. Tests that use it need {@link ScapyExtension}. */
final class Scapy {
    /**
     * Script that reads a frame in hexadecimal per line and prints its correct ICRC per line. Scapy 2.5 has the complete computation for
     * IPv4 only; for the other formats its layers parse the fields and build them again masked. It does not know RoCE v1 in a VLAN.
     */
    private static final String SCRIPT = """
        import sys, zlib
        from scapy.layers.inet import IP, UDP
        from scapy.layers.inet6 import IPv6
        from scapy.layers.l2 import Dot1Q, Ether
        from scapy.contrib.roce import BTH, GRH
        from scapy.packet import bind_layers

        bind_layers(Dot1Q, GRH, type=0x8915)

        def masked(frame):
            if GRH in frame:
                top = frame[GRH].copy()
                top.tclass, top.flowlabel, top.hoplmt = 0xff, 0xfffff, 0xff
            else:
                top = frame[IPv6].copy()
                top.tc, top.fl, top.hlim, top[UDP].chksum = 0xff, 0xfffff, 0xff, 0xffff
            bth = top[BTH]
            bth.fecn, bth.becn, bth.resv6, bth.icrc = 1, 1, 0x3f, 0
            return b'\\xff' * 8 + bytes(top)[:-4]

        for line in sys.stdin:
            frame = Ether(bytes.fromhex(line.strip()))
            if IP in frame:
                print(frame[BTH].compute_icrc(None).hex())
            else:
                print(zlib.crc32(masked(frame)).to_bytes(4, 'little').hex())
        """;

    private Scapy() {
    }

    /**
     * Computes ICRCs.
     *
     * @param frames frames in hexadecimal, one per line
     * @return the correct ICRCs of these frames, one per line
     */
    static String icrcs(String frames) throws IOException, InterruptedException {
        Process python = new ProcessBuilder(ScapyExtension.PYTHON, "-c", SCRIPT).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread.ofVirtual().start(() -> {
            try (var in = python.getOutputStream()) {
                in.write(frames.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException gone) {
                // the process ended; its output contains the reason
            }
        });
        String output = new String(python.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertEquals(0, python.waitFor());
        return output;
    }
}
