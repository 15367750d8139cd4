// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

/** Reports the contexts whose programs have rung a bell since the last look. For the device's owner. */
public interface BellSource {
    /** Returns the descriptor that is readable while bells wait to be reported. */
    int descriptor();

    /** Rings {@link RingDoor#onBell} for each context whose bell was rung. Does not block. */
    void report(RingDoor door);
}
