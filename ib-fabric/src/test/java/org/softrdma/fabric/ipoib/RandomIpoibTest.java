// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fuzz target with random bytes, in each run. */
class RandomIpoibTest {
    private static final int BYTES = 200_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldSurviveRandomDatagrams(long seed) {
        byte[] bytes = new byte[BYTES];
        new SplittableRandom(seed).nextBytes(bytes);
        new IpoibFuzzTest().shouldSurviveAnyDatagrams(bytes);
    }
}
