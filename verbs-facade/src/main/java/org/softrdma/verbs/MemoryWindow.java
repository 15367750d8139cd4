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
        /** Bound by a verb. */
        TYPE_1(1),
        /** Bound by a work request. */
        TYPE_2(2);

        private final int value;

        Type(int value) {
            this.value = value;
        }

        /** {@return the number the C API uses} */
        public int value() {
            return value;
        }
    }

    /** {@return the protection domain} */
    ProtectionDomain pd();

    /** {@return the type} */
    Type type();

    /**
     * {@return the key: of type 1 that of the last {@link QueuePair#bind}, valid once that has completed; of type 2 the one it was
     * allocated with} A key grants no access before the window is bound under it.
     */
    int rkey();

    /**
     * Increments the low byte of a key, wrapping ({@code ibv_inc_rkey}).
     *
     * @param rkey of a type 2 window
     * @return a key for its next binding
     */
    static int nextRkey(int rkey) {
        return rkey & ~0xff | rkey + 1 & 0xff;
    }

    /** Ends the binding, if any, and frees the key. */
    @Override
    void close();
}
