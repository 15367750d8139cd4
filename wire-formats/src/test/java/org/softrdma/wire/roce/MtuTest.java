// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class MtuTest {
    @Test
    void shouldConvertBothWays() {
        int[] bytes = {256, 512, 1024, 2048, 4096};
        for (int i = 0; i < bytes.length; i++) {
            assertEquals(bytes[i], Mtu.toBytes(i + 1));
            assertEquals(i + 1, Mtu.fromBytes(bytes[i]));
            assertEquals(0, Mtu.fromBytes(bytes[i] + 1));
            assertEquals(0, Mtu.fromBytes(bytes[i] - 1));
        }
        assertEquals(0, Mtu.fromBytes(8192));
        assertEquals(0, Mtu.fromBytes(-256));
        assertThrows(IllegalArgumentException.class, () -> Mtu.toBytes(0));
        assertThrows(IllegalArgumentException.class, () -> Mtu.toBytes(6));
    }

    /** Values kernel rxe 6.1 reports. */
    @Test
    void shouldDeriveActiveMtuAsRxeDoes() {
        assertEquals(Mtu.MTU_1024, Mtu.activeMtu(1500));
        assertEquals(Mtu.MTU_4096, Mtu.activeMtu(4176));
        assertEquals(Mtu.MTU_2048, Mtu.activeMtu(4175));
        assertEquals(Mtu.MTU_4096, Mtu.activeMtu(9000));
        assertEquals(Mtu.MTU_4096, Mtu.activeMtu(65536));
        assertEquals(Mtu.MTU_512, Mtu.activeMtu(592));
        assertEquals(Mtu.MTU_256, Mtu.activeMtu(591));
        assertEquals(Mtu.MTU_256, Mtu.activeMtu(68));
        assertEquals(Mtu.MTU_256, Mtu.activeMtu(0));
    }
}
