// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.VerbsException;

/** Windows, and the keys they are bound by. */
class WindowTableTest extends MemoryTableFixture {
    /** With the window of type 1, fifteen fill the table's first array exactly. */
    @ParameterizedTest
    @ValueSource(ints = {3, 15, 16, 17})
    void shouldUnbindTheWindowsOfADestroyedQueuePair(int windows) {
        Region region = register(memory, ALL);
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < windows; i++) {
            int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
            keys.add(key);
            if (i != 1) {
                assertTrue(table.bindWindow(key, region, region.start(), 8, AccessFlags.REMOTE_READ, i == 2 ? QPN + 1 : QPN));
            }
        }
        int typeOne = table.allocateWindow(PD, MemoryWindow.Type.TYPE_1);
        assertTrue(table.bindTypeOne(typeOne, PD, region, region.start(), 8, AccessFlags.REMOTE_READ));
        table.unbindWindowsOf(QPN);
        for (int i = 0; i < windows; i++) {
            assertEquals(i == 2, table.lookup(keys.get(i)) != null, "window " + i);
        }
        assertNotNull(table.lookup(typeOne));
        assertThrows(VerbsException.class, () -> table.remove(region.key()), "two windows are bound still");
        table.remove(keys.get(2));
        assertThrows(VerbsException.class, () -> table.remove(region.key()), "one window is bound still");
        table.remove(typeOne);
        table.remove(region.key());
        assertTrue(table.bindWindow(keys.getFirst(), register(memory, ALL), memory.address(), 8, AccessFlags.REMOTE_READ, QPN),
            "free for the next queue pair");
    }

    @Test
    void shouldTellTheTypesOfWindowsApart() {
        Region region = register(memory, ALL);
        int two = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertFalse(table.isTypeOne(two));
        assertTrue(table.bindWindow(two, region, region.start(), 8, AccessFlags.REMOTE_READ, QPN));
        assertFalse(table.isTypeOne(two));
        assertFalse(table.isTypeOne(region.key()));
        assertFalse(table.isTypeOne(two + 0x100), "no such window");
        assertFalse(table.bindTypeOne(two, PD, region, region.start(), 8, AccessFlags.REMOTE_READ), "a window of type 2");
        assertFalse(table.bindTypeOne(region.key(), PD, region, region.start(), 8, AccessFlags.REMOTE_READ), "a region");
    }

    @Test
    void shouldOpenNothingBeforeAWindowIsBound() {
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertTrue(MemoryTable.isWindow(key));
        assertNull(table.lookup(key));
        assertFalse(table.invalidate(key, PD, QPN));
    }

    @Test
    void shouldOpenTheBoundPartUnderTheNewKeyOnly() {
        Region region = register(memory, ALL);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        int bound = MemoryWindow.nextRkey(key);
        assertTrue(table.bindWindow(bound, region, region.start() + 100, 50, AccessFlags.REMOTE_READ, QPN));
        assertNull(table.lookup(key));
        Region window = table.lookup(bound);
        assertTrue(window.covers(region.start() + 100, 50));
        assertFalse(window.covers(region.start() + 99, 1));
        assertFalse(window.covers(region.start() + 100, 51));
        assertTrue(window.grants(PD, QPN, AccessFlags.REMOTE_READ));
        assertFalse(window.grants(PD, QPN + 1, AccessFlags.REMOTE_READ), "valid for its queue pair only");
        assertFalse(window.grants(PD, QPN, AccessFlags.REMOTE_WRITE));
        memory.set(ValueLayout.JAVA_BYTE, 100, (byte) 9);
        byte[] out = new byte[1];
        assertTrue(window.copyOut(region.start() + 100, MemorySegment.ofArray(out), 0, 1));
        assertEquals(9, out[0]);
    }

    @Test
    void shouldBindAFreeWindowOfTheSameDomainOnly() {
        Region region = register(memory, ALL);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertFalse(table.bindWindow(region.key(), region, region.start(), 8, 4, QPN), "a region's key does not name a window");
        assertFalse(table.bindWindow(key + 0x100, region, region.start(), 8, 4, QPN), "no such window");
        assertFalse(table.bindWindow(-1, region, region.start(), 8, 4, QPN));
        assertFalse(table.bindWindow(key, region, region.start(), 0, 4, QPN), "type 2 windows are never empty");
        int foreign = table.allocateWindow(PD + 1, MemoryWindow.Type.TYPE_2);
        assertFalse(table.bindWindow(foreign, region, region.start(), 8, 4, QPN), "another protection domain");
        assertTrue(table.bindWindow(key, region, region.start(), 8, 4, QPN));
        assertFalse(table.bindWindow(MemoryWindow.nextRkey(key), region, region.start(), 8, 4, QPN), "bound already");
        assertNotNull(table.lookup(key), "still bound as before");
    }

    @Test
    void shouldInvalidateByTheBoundKeyDomainAndQueuePair() {
        Region region = register(memory, ALL);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertTrue(table.bindWindow(key, region, region.start(), 8, 4, QPN));
        assertFalse(table.invalidate(MemoryWindow.nextRkey(key), PD, QPN), "another key byte");
        assertFalse(table.invalidate(key, PD + 1, QPN));
        assertFalse(table.invalidate(key, PD, QPN + 1));
        assertFalse(table.invalidate(region.key(), PD, QPN), "a region registered by the application");
        assertNotNull(table.lookup(key));
        assertTrue(table.invalidate(key, PD, QPN));
        assertNull(table.lookup(key));
        assertFalse(table.invalidate(key, PD, QPN), "twice");
        assertTrue(table.bindWindow(MemoryWindow.nextRkey(key), region, region.start(), 8, 4, QPN), "free again");
    }

    @Test
    void shouldKeepARegionWhileWindowsAreBoundToIt() {
        Region region = register(memory, ALL);
        int first = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        int second = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertTrue(table.bindWindow(first, region, region.start(), 8, 4, QPN));
        assertTrue(table.bindWindow(MemoryWindow.nextRkey(second), region, region.start(), 8, 4, QPN));
        for (Runnable end : List.<Runnable>of(() -> table.invalidate(first, PD, QPN), () -> table.remove(second))) {
            VerbsException refused = assertThrows(VerbsException.class, () -> table.remove(region.key()));
            assertEquals(Errno.EBUSY, refused.errno());
            assertEquals("dereg_mr", refused.verb());
            assertSame(region, table.lookup(region.key()));
            end.run();
        }
        table.remove(region.key());
        assertNull(table.lookup(region.key()));
    }

    @Test
    void shouldRebindATypeOneWindowAtAnyTime() {
        Region region = register(memory, ALL);
        Region second = register(memory, ALL);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_1);
        assertTrue(table.isTypeOne(key) && table.isTypeOne(MemoryWindow.nextRkey(key)));
        assertFalse(table.bindWindow(key, region, region.start(), 8, 4, QPN), "a type 2 bind does not bind a type 1 window");
        assertTrue(table.bindTypeOne(key, PD, region, region.start(), 8, 4));
        assertTrue(table.lookup(key).grants(PD, QPN + 5, 4), "type 1 windows are valid for all queue pairs");
        int next = MemoryWindow.nextRkey(key);
        assertTrue(table.bindTypeOne(next, PD, second, second.start() + 8, 8, 4));
        assertNull(table.lookup(key));
        assertEquals(second.start() + 8, table.lookup(next).start());
        table.remove(region.key());
        assertThrows(VerbsException.class, () -> table.remove(second.key()));
        assertFalse(table.invalidate(next, PD, QPN), "type 1 windows cannot be invalidated");
        assertFalse(table.bindTypeOne(next, PD + 1, null, 0, 0, 0), "another protection domain");
        assertTrue(table.bindTypeOne(MemoryWindow.nextRkey(next), PD, null, 0, 0, 0));
        assertNull(table.lookup(MemoryWindow.nextRkey(next)), "unbound");
        assertNull(table.lookup(next), "the key of the former binding");
        table.remove(second.key());
    }

    @Test
    void shouldStartAZeroBasedWindowAtZero() {
        Region region = register(memory, ALL);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        int access = AccessFlags.REMOTE_READ | AccessFlags.ZERO_BASED;
        assertTrue(table.bindWindow(key, region, region.start() + 100, 50, access, QPN));
        memory.set(ValueLayout.JAVA_BYTE, 149, (byte) 77);
        byte[] out = new byte[1];
        assertTrue(table.lookup(key).covers(49, 1) && !table.lookup(key).covers(50, 1));
        assertTrue(table.lookup(key).copyOut(49, MemorySegment.ofArray(out), 0, 1));
        assertEquals(77, out[0]);
    }

    @Test
    void shouldRefuseTheKeyOfAWindowThatIsGone() {
        Region region = register(memory, ALL);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        int bound = MemoryWindow.nextRkey(key);
        assertTrue(table.bindWindow(bound, region, region.start(), 8, 4, QPN));
        table.remove(key);
        assertNull(table.lookup(bound));
        assertFalse(table.bindWindow(bound, region, region.start(), 8, 4, QPN));
    }

    /** A peer that uses a window was given no right to the region itself. */
    @Test
    void shouldReportTheRightsUsedByTheRegionsOwnKeyOnly() {
        List<Integer> used = new ArrayList<>();
        Region region = table.register(memory, memory.address(), ALL, PD, used::add);
        int key = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertTrue(table.bindWindow(key, region, region.start(), 64, AccessFlags.REMOTE_READ, QPN));
        used.clear();
        assertTrue(region.grants(PD, QPN, AccessFlags.REMOTE_WRITE));
        assertTrue(table.lookup(key).grants(PD, QPN, AccessFlags.REMOTE_READ));
        assertEquals(List.of(AccessFlags.REMOTE_WRITE, 0), used);
    }
}
