// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected values are those of strtol(3) and strtoul(3) with base 0 and a long of 64 bits, truncated to 32 bits as by the tools. */
class CNumberTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0", "18515, 18515, 18515", "+7, 7, 7", "-1, -1, 4294967295", "0x10, 16, 16", "-0X1f, -31, 4294967265", "010, 8, 8",
        "08, 0, 0", "0x, 0, 0", "0xg, 0, 0", "12abc, 12, 12", "abc, 0, 0", "'  5', 5, 5", "'', 0, 0", "'-', 0, 0",
        "4294967295, -1, 4294967295",
        "4294967296, 0, 0", "9223372036854775808, -1, 0", "-9223372036854775809, 0, 4294967295", "99999999999999999999, -1, 4294967295"})
    void shouldReadWhatCReads(String text, int signed, long unsigned) {
        assertEquals(signed, CNumber.signed(text));
        assertEquals(unsigned, Integer.toUnsignedLong(CNumber.unsigned(text)));
    }
}
