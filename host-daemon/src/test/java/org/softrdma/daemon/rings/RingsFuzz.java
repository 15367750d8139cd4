// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/** Attacks on the device by programs of one library: after each, the device must serve the other program of the scene as before. */
final class RingsFuzz {
    private static final int CHANCES = 300;
    private static final int RACES = 60;
    private static final int LONGEST = 400;

    private final RingLibrary library;

    RingsFuzz(RingLibrary library) {
        this.library = library;
    }

    void attack(byte[] bytes) {
        RingScene scene = new RingScene(library);
        new HostileRings(scene).attack(bytes);
        end(scene);
    }

    void attackByChance() {
        forSeeds(CHANCES, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[random.nextInt(LONGEST)];
            random.nextBytes(bytes);
            attack(bytes);
        });
    }

    /** The threads' timing differs from run to run: a failure's seed may have to be tried many times. */
    void race() {
        forSeeds(RACES, seed -> {
            RingScene scene = new RingScene(library);
            new HostileRings(scene).race(seed);
            end(scene);
        });
    }

    private static void forSeeds(int count, IntConsumer run) {
        for (int seed = 1; seed <= count; seed++) {
            try {
                run.accept(seed);
            } catch (RuntimeException | AssertionError wrong) {
                throw new AssertionError("seed " + seed, wrong);
            }
        }
    }

    private static void end(RingScene scene) {
        scene.exchange();
        scene.exchange();
        scene.checkFaults();
        scene.destroy();
    }
}
