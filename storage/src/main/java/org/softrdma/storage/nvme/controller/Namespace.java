// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.softrdma.storage.nvme.store.BlockStore;

/**
 * A namespace: a store as logical blocks.
 *
 * @param number     from 1
 * @param store      its bytes
 * @param blockShift size of a logical block as a power of two: 9 or 12
 * @param identity   the same for each start of a target with this name, since hosts compare it when they reconnect
 */
record Namespace(int number, BlockStore store, int blockShift, UUID identity) {
    static Namespace of(String subsystem, int number, BlockStore store, int blockShift) {
        return new Namespace(number, store, blockShift,
            UUID.nameUUIDFromBytes((subsystem + '/' + number).getBytes(StandardCharsets.UTF_8)));
    }

    /** Size in logical blocks. */
    long blocks() {
        return store.bytes() >> blockShift;
    }
}
