// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls that need no device. */
class SmallCallsTest {
    /** By hand: bits 14..19 into the lowest six, and the two highest of sixteen set. */
    @ParameterizedTest
    @CsvSource({"0x00000, 0xc000", "0x00001, 0xc001", "0x03fff, 0xffff", "0x04000, 0xc001", "0x12345, 0xe341", "0xfffff, 0xffc0"})
    void shouldFoldFlowLabelsIntoDynamicPorts(String flowLabel, String port) {
        assertEquals(Integer.decode(port), AddressVector.udpSourcePort(Integer.decode(flowLabel)));
    }

    @Test
    void shouldFindServicesByTheirNumbers() {
        int rcAndRawPacket = 1 << 2 | 1 << 8;
        assertTrue(QpType.RC.isIn(rcAndRawPacket));
        assertFalse(QpType.UC.isIn(rcAndRawPacket));
        assertFalse(QpType.UD.isIn(rcAndRawPacket));
        assertTrue(QpType.XRC_RECV.isIn(1 << 10));
    }
}
