// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong command lines of {@code softrdma ipoib}: refused before a device is looked for. */
class IpoibUsageTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--mode reliable                         | --mode is datagram or connected",
        "--pkey 0xffff,blue                      | 'blue' is no P_Key",
        "--pkey 0x8000                           | '0x8000' is no P_Key",
        "--pkey 0x8001,1                         | --pkey has a partition twice",
        "--pkey 1,2 --netdev ib9                 | --address and --netdev are for one --pkey",
        "--pkey 1,2 --address 10.9.0.1/24        | --address and --netdev are for one --pkey"})
    void shouldRefuseWithAReason(String options, String message) {
        ToolRun run = ToolRun.of(("ipoib ib0 " + options).split(" "));
        assertEquals(1, run.exitCode(), run.err());
        assertTrue(run.err().contains(message), run.err());
    }
}
