// SPDX-License-Identifier: Apache-2.0
package org.softrdma.examples.keyvalue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.softrdma.junit.Seeds;
import org.softrdma.junit.SoftRdma;
import org.softrdma.testing.Counters;
import org.softrdma.testing.Fabric;
import org.softrdma.testing.RdmaEnd;
import org.softrdma.testing.RdmaPair;

/** Tests of the key-value store on a simulated network that loses and reorders packets. */
@SoftRdma(faults = "drop=5%,reorder=2%:20us")
class KeyValueStoreTest {
    private static final int SLOTS = 8;
    private static final int VALUE_CHARS = 4000;

    KeyValueClient connect(RdmaEnd end, KeyValueTable.Address table) {
        return new KeyValueClient(end.pd(), end.cq(), end.qp(), table);
    }

    @Seeds(100)
    void shouldReturnWhatWasStored(RdmaPair pair) {
        try (KeyValueTable table = new KeyValueTable(pair.right().pd(), SLOTS);
             KeyValueClient client = connect(pair.left(), table.address())) {
            for (int key = 0; key < SLOTS; key++) {
                client.put(key, "value " + key);
            }
            for (int key = 0; key < SLOTS; key++) {
                assertEquals("value " + key, client.get(key));
            }
        }
    }

    @Seeds(100)
    void shouldNeverShowAMixtureOfOldAndNew(RdmaPair pair, Fabric fabric) {
        try (KeyValueTable table = new KeyValueTable(pair.right().pd(), SLOTS);
             KeyValueClient client = connect(pair.left(), table.address())) {
            Fabric.Task writer = fabric.start("writer", () -> {
                for (char each = 'a'; each <= 'j'; each++) {
                    client.put(3, String.valueOf(each).repeat(VALUE_CHARS));
                }
            });
            // The condition is evaluated whenever something has happened.
            assertTrue(fabric.runUntil(() -> isWhole(table.read(3)) && writer.hasEnded(), Duration.ofMinutes(1)));
            assertEquals("j".repeat(VALUE_CHARS), table.read(3));
        }
    }

    private static boolean isWhole(String value) {
        if (value != null && !value.isEmpty()) {
            assertEquals(value.substring(0, 1).repeat(VALUE_CHARS), value);
        }
        return true;
    }

    @Test
    @SoftRdma
    void shouldReportADeadServer(RdmaPair pair, Fabric fabric, Counters counters) {
        try (KeyValueTable table = new KeyValueTable(pair.right().pd(), SLOTS);
             KeyValueClient client = connect(pair.left(), table.address())) {
            client.put(1, "one");
            fabric.kill(1);
            IllegalStateException reported = assertThrows(IllegalStateException.class, () -> client.put(1, "two"));
            assertTrue(reported.getMessage().contains("RETRY_EXC_ERR"), reported.getMessage());
            // Eight attempts of 67 ms each at least, on a clock that costs nothing.
            assertTrue(fabric.nowNs() > 500_000_000L && fabric.nowNs() < 10_000_000_000L, "after " + fabric.nowNs() + " ns");
            assertEquals(1, counters.moved(0, "retry_exceeded_err"));
        }
    }
}
