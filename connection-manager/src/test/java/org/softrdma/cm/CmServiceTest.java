// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.softrdma.verbs.cm.PortSpace;

/** Numbers from packets of the Linux kernel. */
class CmServiceTest {
    @Test
    void shouldHaveTheNumbersOnTheWire() {
        assertEquals(0x0000000001061c06L, new CmService(PortSpace.TCP, 7174).serviceId());
        assertEquals(0x0000000001111c06L, new CmService(PortSpace.UDP, 7174).serviceId());
        assertEquals(new CmService(PortSpace.TCP, 65535), CmService.of(0x000000000106ffffL));
        assertNull(CmService.of(0x0000000101061c06L));
        assertNull(CmService.of(0x0000000001071c06L));
    }
}
