// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Arbitrary contents of a program's rings of librxe, as {@link HostileRings} reads them from bytes, also while the device works on them.
 * The device serves other programs all the same, reads and writes no memory of theirs, and keeps nothing of the program. {@code mvn verify}
 * replays the seeds and tries some random bytes; see {@code WireFuzzTest} of wire-formats for how to run a search.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RxeRingsFuzzTest {
    private static final int CHANCES = 300;
    private static final int RACES = 60;
    private static final int LONGEST = 400;

    @FuzzTest(maxDuration = "5m")
    void shouldSurviveAnyBytes(byte[] bytes) {
        RingScene scene = new RingScene(RingLibrary.RXE);
        new HostileRings(scene).attack(bytes);
        end(scene);
    }

    private static void end(RingScene scene) {
        scene.exchange();
        scene.exchange();
        scene.checkFaults();
        scene.destroy();
    }

    @Test
    void shouldSurviveChance() {
        for (int seed = 1; seed <= CHANCES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[random.nextInt(LONGEST)];
            random.nextBytes(bytes);
            try {
                shouldSurviveAnyBytes(bytes);
            } catch (RuntimeException | AssertionError wrong) {
                throw new AssertionError("seed " + seed, wrong);
            }
        }
    }

    /** The threads' timing differs from run to run: a failure's seed may have to be tried many times. */
    @Test
    void shouldSurviveChangesWhileTheDeviceWorks() {
        for (int seed = 1; seed <= RACES; seed++) {
            try {
                RingScene scene = new RingScene(RingLibrary.RXE);
                new HostileRings(scene).race(seed);
                end(scene);
            } catch (RuntimeException | AssertionError wrong) {
                throw new AssertionError("seed " + seed, wrong);
            }
        }
    }
}
