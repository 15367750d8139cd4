// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.util.BitSet;

/** Doorbells that a test rings. */
final class PlayedBells implements BellSource {
    private final BitSet rung = new BitSet();

    void ring(int program) {
        rung.set(program);
    }

    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public void report(RingDoor door) {
        for (int program = rung.nextSetBit(0); program >= 0; program = rung.nextSetBit(program + 1)) {
            rung.clear(program);
            door.onBell(program);
        }
    }
}
