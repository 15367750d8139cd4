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

    /** Valid once bound. */
    int rkey();

    @Override
    void close();
}
