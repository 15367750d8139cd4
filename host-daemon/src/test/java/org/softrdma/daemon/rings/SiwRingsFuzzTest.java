// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Arbitrary contents of a program's rings of libsiw, as {@link HostileRings} reads them from bytes, also while the device works on them.
 * The device serves other programs all the same, reads and writes no memory of theirs, and keeps nothing of the program. {@code mvn verify}
 * replays the seeds and tries some random bytes; see {@code WireFuzzTest} of wire-formats for how to run a search.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SiwRingsFuzzTest {
    private final RingsFuzz fuzz = new RingsFuzz(RingLibrary.SIW);

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        fuzz.attack(bytes);
    }

    @Test
    void shouldSurviveChance() {
        fuzz.attackByChance();
    }

    @Test
    void shouldSurviveChangesWhileTheDeviceWorks() {
        fuzz.race();
    }
}
