// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Windows bound and keys invalidated by work requests. IBA vol 1 §10.6.7.2 */
class LocalOperationsTest {
    private static final int PD = 3;
    private static final int QPN = 0x11;
    private static final int READ = AccessFlags.REMOTE_READ;

    private final MemoryTable table = new MemoryTable(new SplittableRandom(1), 1 << 19, 1 << 19);
    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
    private final SendRing ring = new SendRing(1, 1, 0);
    private final LocalOperations operations = new LocalOperations(ring, table, PD, QPN);

    private Region register(int access, int pd) {
        return table.register(memory, 0x10000, access, pd);
    }

    private Failure run(SendRequest request) {
        ring.write(request);
        ring.publish();
        Failure why = operations.run(ring.head());
        ring.release(ring.tail());
        return why;
    }

    private Failure bind(int key, int lkey, long at, long length, int access) {
        return run(new SendRequest().bindWindow(key, lkey, at, length, access));
    }

    private Failure invalidate(int key) {
        return run(new SendRequest().localInvalidate(key));
    }

    @Test
    void shouldTellLocalOperationsFromThoseThatSend() {
        for (WrOpcode opcode : WrOpcode.values()) {
            assertEquals(opcode == WrOpcode.BIND_MW || opcode == WrOpcode.LOCAL_INV, LocalOperations.isLocal(opcode.value()),
                opcode.text());
        }
    }

    @Test
    void shouldBindAWindowToTheQueuePairAndInvalidateItOnce() {
        Region region = register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, PD);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2) & ~0xff | 0x5c;
        assertNull(bind(key, region.key(), 0x10040, 64, READ | AccessFlags.REMOTE_WRITE));
        Region window = table.lookup(key);
        assertTrue(window.covers(0x10040, 64));
        assertFalse(window.covers(0x10040, 65));
        assertTrue(window.grants(PD, QPN, READ | AccessFlags.REMOTE_WRITE));
        assertFalse(window.grants(PD, QPN + 1, READ));
        assertFalse(window.grants(PD, QPN, AccessFlags.REMOTE_ATOMIC));
        assertEquals(Failure.of(Reason.BIND_WINDOW, key), bind(key, region.key(), 0x10040, 64, READ), "bound already");
        assertNull(invalidate(key));
        assertNull(table.lookup(key));
        assertEquals(Failure.of(Reason.KEY_NOT_INVALIDATED, key), invalidate(key));
    }

    @Test
    void shouldInvalidateNoWindowOfAnotherQueuePair() {
        Region region = register(AccessFlags.MW_BIND, PD);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertNull(bind(key, region.key(), 0x10000, 64, READ));
        ring.write(new SendRequest().localInvalidate(key));
        ring.publish();
        assertEquals(Failure.of(Reason.KEY_NOT_INVALIDATED, key), new LocalOperations(ring, table, PD, QPN + 1).run(ring.head()));
        assertNotNull(table.lookup(key));
    }

    /** A window of type 1 is bound anew at any time; no length ends its binding. */
    @Test
    void shouldBindAWindowOfTypeOneForAllQueuePairs() {
        Region region = register(AccessFlags.MW_BIND, PD);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_1);
        assertNull(bind(key, region.key(), 0x10000, 64, READ));
        assertNull(bind(key, region.key(), 0x10080, 64, READ));
        assertTrue(table.lookup(key).covers(0x10080, 64));
        assertTrue(table.lookup(key).grants(PD, QPN + 1, READ));
        assertNull(bind(key, 0, 0, 0, 0));
        assertNull(table.lookup(key));
        int foreign = table.allocateWindow(PD + 1, MemoryWindow.Type.TYPE_1);
        assertEquals(Failure.of(Reason.BIND_WINDOW, foreign), bind(foreign, region.key(), 0x10000, 64, READ));
        assertEquals(Failure.of(Reason.BIND_WINDOW, foreign), bind(foreign, 0, 0, 0, 0));
    }

    /** Rights to write need LOCAL_WRITE of the region, any window MW_BIND. */
    @Test
    void shouldBindNothingThatTheRegionDoesNotGrant() {
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        int readOnly = register(AccessFlags.MW_BIND, PD).key();
        int closed = register(AccessFlags.LOCAL_WRITE, PD).key();
        int foreign = register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, PD + 1).key();
        int open = register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, PD).key();
        assertRefused(key, readOnly, 0x10000, 64, AccessFlags.REMOTE_WRITE);
        assertRefused(key, readOnly, 0x10000, 64, AccessFlags.REMOTE_ATOMIC);
        assertRefused(key, closed, 0x10000, 64, READ);
        assertRefused(key, foreign, 0x10000, 64, READ);
        assertRefused(key, open ^ 1, 0x10000, 64, READ);
        assertRefused(key, open, 0x10fc1, 64, READ);
        assertRefused(key, open, 0x10000, 0, READ);
        assertRefused(key, table.allocateWindow(PD, MemoryWindow.Type.TYPE_2), 0, 64, READ);
        assertNull(bind(key, open, 0x10fc0, 64, AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC));
    }

    private void assertRefused(int key, int lkey, long at, long length, int access) {
        assertEquals(Failure.of(Reason.BIND_REGION, key, at, length, lkey), bind(key, lkey, at, length, access));
        assertNull(table.lookup(key));
    }

    /** Neither does a window that is bound open the way to its region. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldBindNoWindowToAWindow(boolean typeOne) {
        Region region = register(AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, PD);
        int bound = table.allocateWindow(PD, typeOne ? MemoryWindow.Type.TYPE_1 : MemoryWindow.Type.TYPE_2);
        assertNull(bind(bound, region.key(), 0x10000, 64, READ | AccessFlags.MW_BIND));
        assertRefused(table.allocateWindow(PD, MemoryWindow.Type.TYPE_2), bound, 0x10000, 64, READ);
    }
}
