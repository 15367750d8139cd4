// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.DeviceAttributes;

/** The device has the limits of kernel rxe 6.1, so that a program sized for one fits the other. */
class DeviceLimitsTest {
    private final DeviceAttributes limits = new SimulatedPair(1, new SimulatedPair.Setup()).a.context.queryDevice();

    @Test
    void shouldHaveTheKernelsLimits() {
        assertEquals(List.of(1_048_560, 1 << 20, 32, 512, 1 << 20, 32_767, (1 << 19) - 1, (1 << 19) - 1, 1 << 20),
            List.of(limits.maxQp(), limits.maxQpWr(), limits.maxSge(), limits.maxInlineData(), limits.maxCq(), limits.maxCqe(),
                limits.maxMr(), limits.maxMw(), limits.maxPd()));
        assertEquals(List.of(128, 128, 0x3f000, 1, 56, 32_767), List.of(limits.maxQpRdAtom(), limits.maxQpInitRdAtom(),
            limits.maxResRdAtom(), limits.atomicCap(), limits.maxMcastQpAttach(), limits.maxAh()));
        assertEquals(List.of(917_503, 1 << 20, 27), List.of(limits.maxSrq(), limits.maxSrqWr(), limits.maxSrqSge()));
    }

    @Test
    void shouldSayThatItHasWindowsOfTypeOneAndTwoB() {
        int memoryWindow = 1 << 17;
        int type2a = 1 << 23;
        int type2b = 1 << 24;
        assertEquals(memoryWindow | type2b, limits.deviceCapFlags() & (memoryWindow | type2a | type2b));
    }
}
