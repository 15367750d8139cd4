// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sa;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fuzz target with random bytes, in each run. */
class RandomAdministrationTest {
    private static final int DATAGRAMS = 2000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldSurviveRandomDatagrams(long seed) {
        byte[] bytes = new byte[DATAGRAMS * 80];
        new SplittableRandom(seed).nextBytes(bytes);
        new AdministrationFuzzTest().shouldSurviveAnyDatagrams(bytes);
    }
}
