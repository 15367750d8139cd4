// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import org.softrdma.verbs.MemoryWindow;

/** One binding of a memory window, from BIND_MW to its invalidation. */
final class WindowEpisode {
    final WindowEpisode previous;
    final int at;
    final int length;
    PlannedRequest bind;
    private MemoryWindow window;
    private int rkey;

    /** @param at slot in the memory of the side that binds */
    WindowEpisode(WindowEpisode previous, int at, int length) {
        this.previous = previous;
        this.at = at;
        this.length = length;
    }

    /** The binding is being posted: the key counts up with each. */
    int bind(Side side) {
        window = previous == null ? side.allocateWindow() : previous.window;
        rkey = MemoryWindow.nextRkey(previous == null ? window.rkey() : previous.rkey);
        return rkey;
    }

    int rkey() {
        return rkey;
    }
}
