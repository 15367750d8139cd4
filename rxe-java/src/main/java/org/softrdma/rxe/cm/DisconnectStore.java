// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.cm;

import java.nio.ByteBuffer;

/**
 * Keeps the DREQ of each connection that the peer may consider established, where another process finds it if this one is killed: the
 * peer's side ends then, as if a kernel had ended the connection.
 */
public interface DisconnectStore {
    /** No DREQ is kept. */
    int NONE = -1;

    /** Keeps nothing. */
    DisconnectStore NOWHERE = new DisconnectStore() {
        @Override
        public int keep(GidPair gids, ByteBuffer dreq) {
            return NONE;
        }

        @Override
        public void release(int key) {
        }
    };

    /**
     * Keeps a DREQ.
     *
     * @param dreq 256 bytes at offset 0, zero after the fields of a DREQ
     * @return key for {@link #release}, or {@link #NONE} if it cannot be kept
     */
    int keep(GidPair gids, ByteBuffer dreq);

    /** Forgets a DREQ: the connection has ended. Without effect for {@link #NONE}. */
    void release(int key);
}
