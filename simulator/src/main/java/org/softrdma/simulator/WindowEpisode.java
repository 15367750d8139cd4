// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import org.softrdma.verbs.MemoryWindow;

/** One binding of a memory window, from BIND_MW to its invalidation. */
final class WindowEpisode {
    final WindowEpisode previous;
    /** In the memory of the side that binds. */
    final Slot range;
    PlannedRequest bind;
    private MemoryWindow window;
    private int rkey;

    WindowEpisode(WindowEpisode previous, Slot range) {
        this.previous = previous;
        this.range = range;
    }

    /** The binding is being posted: the key counts up with each. */
    int bind(Side side) {
        window = previous == null ? side.allocateWindow(MemoryWindow.Type.TYPE_2) : previous.window;
        rkey = MemoryWindow.nextRkey(previous == null ? window.rkey() : previous.rkey);
        return rkey;
    }

    int rkey() {
        return rkey;
    }
}
