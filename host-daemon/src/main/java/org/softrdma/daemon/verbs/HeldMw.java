// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.softrdma.verbs.MemoryWindow;

/** A memory window. */
final class HeldMw extends HeldObject {
    private final MemoryWindow window;
    private final ContextObjects objects;

    HeldMw(MemoryWindow window, ContextObjects objects) {
        super(Kind.MW);
        this.window = window;
        this.objects = objects;
        objects.add(window);
    }

    MemoryWindow window() {
        return window;
    }

    @Override
    void destroy() {
        objects.remove(window);
        window.close();
    }
}
