// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * A memory window: a narrower, revocable view on a region. A peer that uses its key has the window's rights, in the window's range,
 * and no other access to the region. While a window is bound, its region cannot be deregistered.
 */
public interface MemoryWindow extends AutoCloseable {
    /**
     * {@code enum ibv_mw_type}.
     *
     * <p>Type 1 is bound by {@link QueuePair#bind}, which gives it a new key each time, and can be bound again while it is bound. Every
     * queue pair of the protection domain may be used by peers with it.
     *
     * <p>Type 2 is bound by a work request ({@link SendRequest#bindWindow}) under a key whose low byte the caller chooses, is tied to the
     * queue pair that bound it (2B of the specification's two kinds), and must be invalidated before it is bound again: by the peer's
     * {@link SendRequest#sendWithInvalidate} or by {@link SendRequest#localInvalidate}.
     */
    enum Type {
        TYPE_1(1), TYPE_2(2);

        private final int value;

        Type(int value) {
            this.value = value;
        }

        /** {@return the number the C API uses} */
        public int value() {
            return value;
        }
    }

    ProtectionDomain pd();

    Type type();

    /**
     * Type 1: the key of the last {@link QueuePair#bind}, valid once that has completed. Type 2: the key it was allocated with. A key
     * grants no access before the window is bound under it.
     */
    int rkey();

    /** Returns the key with its low byte incremented, wrapping ({@code ibv_inc_rkey}). */
    static int nextRkey(int rkey) {
        return rkey & ~0xff | rkey + 1 & 0xff;
    }

    /** Ends the binding, if any, and frees the key. */
    @Override
    void close();
}
