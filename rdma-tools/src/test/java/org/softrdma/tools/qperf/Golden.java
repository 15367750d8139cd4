// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;

/** Messages and output of qperf 0.4.11 of Debian 12. */
final class Golden {
    /** {@code qperf 127.0.0.1 -t 7 -cm1 -m 64K -to 9 -nr 4 -rca 0 rc_rdma_read_bw}. */
    static final String READ_OPTIONS = "-t 7 -cm1 -m 64K -to 9 -nr 4 -rca 0 rc_rdma_read_bw";
    static final byte[] READ_REQUEST = padded("000004000b001100000000000000000000000000000000000000010000000000000000000000"
        + "00000000000004000000000000000000000000000000070000000900000001", Request.BYTES);

    /** As {@link #READ_OPTIONS}. */
    static final String UC_OPTIONS = "-ri mlx5_0:2 -ar1 -cp1 -mt 1K -n 1000 -sl 3 -sb 128k -sp 1 -rsr 4xQDR -ap 2 -f1 -ip 7777 uc_bw";
    static final byte[] UC_REQUEST = padded("000004000b001700010000000000000002000000010000000000010000040000e803000001000000"
        + "611e0000000000000300000000f40100010000000000000005000000000000006d6c78355f303a32" + "00".repeat(56)
        + "34785144520000", Request.BYTES);

    /** Of a server after a thousand messages of five bytes each way in one second of tcp_lat. */
    static final byte[] STATISTICS = padded("020000006400000000000000f6958c6600000000dfac270000000000c9d0080000000000f4a50a0000000000"
        + "2078100000000000e9160000000000000000000000000000f6f700000000000064300000000000005a968c660000000087ad270000000000"
        + "c9d008000000000011a60a00000000002178100000000000e9160000000000000000000000000000f6f700000000000064300000000000008813"
        + "000000000000e80300000000000000000000000000008813000000000000e803000000000000", Statistics.BYTES);

    /** With what happened to be in memory behind each text. */
    static final byte[] CONFIGURATION = HexFormat.of().parseHex("766d" + "00".repeat(62)
        + "3220436f7265733a20414d44204550594320322e3647487a00ecd7e53e265948000000000000000001af585ff45500000000000000000000"
        + "0000000000000000"
        + "4c696e757820362e31382e34342d66632d763635370000000000000000000000000000000000000000000000000000000000000000000000"
        + "0000000000000000"
        + "302e342e3131000000000000000000003e5f00000000000000ecd7e53e26594800000000000000000000000000000000c086ba12fd7f0000"
        + "1e8a585ff4550000");

    private Golden() {
    }

    private static byte[] padded(String hex, int length) {
        return Arrays.copyOf(HexFormat.of().parseHex(hex), length);
    }

    static Stream<String> lines(String resource) {
        try (InputStream in = Golden.class.getResourceAsStream("/qperf/" + resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
