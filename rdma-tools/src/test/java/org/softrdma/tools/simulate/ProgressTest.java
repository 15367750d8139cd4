// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final long S = 1_000_000_000;

    @Test
    void shouldEstimateTheRest() {
        assertEquals("", Progress.timeLeft(S, 49, 1000), "too early to say");
        assertEquals(", 5 % of all, about 19 s left", Progress.timeLeft(S, 50, 1000));
        assertEquals(", 25 % of all, about 89 s left", Progress.timeLeft(30 * S - S / 3, 250, 1000));
        assertEquals(", 25 % of all, about 2 min left", Progress.timeLeft(30 * S, 250, 1000));
        assertEquals(", 1 % of all, about 99 min left", Progress.timeLeft(60 * S, 5_000, 500_000));
        assertEquals(", 100 % of all, about 0 s left", Progress.timeLeft(S, 1000, 1000));
    }
}
