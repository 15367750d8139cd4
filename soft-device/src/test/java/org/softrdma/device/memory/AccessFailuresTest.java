// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Explanations of refused accesses, with values in the order of each {@link Reason}'s sentence. */
class AccessFailuresTest extends MemoryTableFixture {
    private static final int NO_KEY = 0x00ffff42;
    private static final int WRITE = WrOpcode.RDMA_WRITE.value();

    private Failure local(int lkey, int pd, int rights, long address, long bytes) {
        return AccessFailures.local(table, lkey, pd, rights, address, bytes);
    }

    private Failure remote(int rkey, int pd, int qpn, int rights, long address, long bytes) {
        return AccessFailures.remote(table, rkey, pd, qpn, rights, address, bytes, WRITE);
    }

    @Test
    void shouldExplainTheElementsOfAWorkRequest() {
        int access = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ;
        Region region = table.register(memory, 0x10000, access, PD);
        int key = region.key();
        int window = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertEquals(Failure.of(Reason.LKEY_OF_WINDOW, window), local(window, PD, 0, 0x10000, 1));
        assertEquals(Failure.of(Reason.LKEY_UNKNOWN, NO_KEY, 0x10000, 8), local(NO_KEY, PD, 0, 0x10000, 8));
        assertEquals(Failure.of(Reason.LKEY_OTHER_PD, key), local(key, PD + 1, 0, 0x10000, 8));
        assertEquals(Failure.of(Reason.LKEY_ACCESS, key, access, AccessFlags.MW_BIND),
            local(key, PD, AccessFlags.MW_BIND, 0x10000, 8));
        assertEquals(Failure.of(Reason.LKEY_RANGE, key, 0x10000, 4096, 0x10ff9, 8),
            local(key, PD, AccessFlags.LOCAL_WRITE, 0x10ff9, 8));
        assertEquals(Failure.of(Reason.LOCAL_MEMORY_GONE, key, 0x10ff8, 8),
            local(key, PD, AccessFlags.LOCAL_WRITE, 0x10ff8, 8), "nothing else is wrong");
    }

    @Test
    void shouldExplainTheRequestsOfAPeer() {
        int access = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;
        Region region = table.register(memory, 0x10000, access, PD);
        int key = region.key();
        assertEquals(Failure.of(Reason.RKEY_UNKNOWN, NO_KEY, WRITE, 0x10000, 8),
            remote(NO_KEY, PD, QPN, AccessFlags.REMOTE_WRITE, 0x10000, 8));
        assertEquals(Failure.of(Reason.RKEY_OTHER_PD, key, WRITE, 0x10000, 8),
            remote(key, PD + 1, QPN, AccessFlags.REMOTE_WRITE, 0x10000, 8));
        assertEquals(Failure.of(Reason.RKEY_ACCESS, key, access, WRITE, AccessFlags.REMOTE_READ),
            remote(key, PD, QPN, AccessFlags.REMOTE_READ, 0x10000, 8));
        assertEquals(Failure.of(Reason.RKEY_RANGE, key, 0x10000, 4096, WRITE, 0x10ff9, 8),
            remote(key, PD, QPN, AccessFlags.REMOTE_WRITE, 0x10ff9, 8));
        assertEquals(Failure.of(Reason.REMOTE_MEMORY_GONE, key, WRITE, 0x10ff8, 8),
            remote(key, PD, QPN, AccessFlags.REMOTE_WRITE, 0x10ff8, 8), "nothing else is wrong");
    }

    /** A window of type 2 belongs to the queue pair that it was bound on, one of type 1 to its protection domain. IBA vol 1 §10.6.7 */
    @Test
    void shouldExplainTheWindowOfAnotherQueuePair() {
        Region region = register(memory, ALL);
        int two = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertTrue(table.bindWindow(two, region, region.start(), 64, AccessFlags.REMOTE_WRITE, QPN));
        assertEquals(Failure.of(Reason.RKEY_OTHER_QP, two, WRITE, region.start(), 8),
            remote(two, PD, QPN + 1, AccessFlags.REMOTE_WRITE, region.start(), 8));
        assertEquals(Reason.RKEY_RANGE, remote(two, PD, QPN, AccessFlags.REMOTE_WRITE, region.start(), 65).reason());
        int one = table.allocateWindow(PD, MemoryWindow.Type.TYPE_1);
        assertTrue(table.bindTypeOne(one, PD, region, region.start(), 64, AccessFlags.REMOTE_WRITE));
        assertEquals(Reason.RKEY_RANGE, remote(one, PD, QPN + 1, AccessFlags.REMOTE_WRITE, region.start(), 65).reason());
    }
}
