// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** A memory window: a narrower, revocable view on a region. */
public interface MemoryWindow extends AutoCloseable {
    /** {@code enum ibv_mw_type}: 1 is bound by {@code bind_mw}, 2 by a work request. */
    enum Type {
        TYPE_1, TYPE_2
    }

    ProtectionDomain pd();

    Type type();

    /** The key the window was allocated with; it opens nothing before the window is bound under it or a later one. */
    int rkey();

    /** The same key with its low byte counted up, wrapping ({@code ibv_inc_rkey}). */
    static int nextRkey(int rkey) {
        return rkey & ~0xff | rkey + 1 & 0xff;
    }

    @Override
    void close();
}
