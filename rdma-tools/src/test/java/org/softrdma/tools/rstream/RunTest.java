// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.tools.cli.Console;

/** Expected lines are those of rstream 44 for these numbers. */
class RunTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "64, 64", "1000, 1000", "1023, 1023", "1024, 1k", "1100, 1k", "1536, 1.5k", "10239, 9.9k", "10240, 10k",
        "600000, 585k", "1572864, 1.5m", "6291456, 6m", "1073741824, 1g", "13107200000, 12g"})
    void shouldWriteSizes(long size, String text) {
        assertEquals(text, Run.sizeText(size));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "999, 999", "1000, 1k", "100000, 100k", "1999999, 1m", "2000000000, 2b"})
    void shouldWriteCounts(long count, String text) {
        assertEquals(text, Run.countText(count));
    }

    @Test
    void shouldPrintALine() {
        // 3 * 100 * 1000 * 2 bytes in 0.49 s.
        assertEquals("custom    1000    100     3       585k        0.49s      0.01     816.67\n",
            printed(new Run("custom", 1000, 100, 3), 490_000_000L));
        assertEquals("1.5k_lat  1.5k    1       10k     29m         2.00s      0.12     100.00\n",
            printed(Run.latency(1536), 2_000_000_999L));
        assertEquals("64k_bw    64k     1k      1       125m        1.50s      0.70     750.00\n",
            printed(Run.bandwidth(65536), 1_500_000_000L));
    }

    private static String printed(Run run, long elapsedNs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        run.print(new Console(new PrintStream(out, true, StandardCharsets.UTF_8), null), elapsedNs);
        return out.toString(StandardCharsets.UTF_8);
    }
}
