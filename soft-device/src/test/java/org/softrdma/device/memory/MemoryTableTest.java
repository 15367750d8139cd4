// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.VerbsException;

/** Registration and keys. */
class MemoryTableTest extends MemoryTableFixture {
    private void assertRefused(String why, MemorySegment segment, long iova, int access) {
        int before = table.regionCount();
        VerbsException refused = assertThrows(VerbsException.class, () -> table.register(segment, iova, access, PD));
        assertEquals(Errno.EINVAL, refused.errno());
        assertEquals("reg_mr", refused.verb());
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
        assertEquals(before, table.regionCount(), "no key is lost");
    }

    // ---- registration ----

    @Test
    void shouldOpenWhatWasRegistered() {
        Region region = register(memory, ALL);
        assertSame(region, table.lookup(region.key()));
        assertEquals(1, table.regionCount());
        assertTrue(region.key() >>> 8 >= 1, "index 0 is unused: key 0 means none");
        assertEquals(memory.address(), region.start());
        assertEquals(4096, region.length());
        assertFalse(MemoryTable.isWindow(region.key()));
    }

    @Test
    void shouldRefuseMemoryThatTheDeviceCannotReach() {
        assertRefused("heap memory moves", MemorySegment.ofArray(new byte[64]), 0, 1);
        try (Arena confined = Arena.ofConfined()) {
            assertRefused("confined to one thread", confined.allocate(64), 0, 1);
        }
        MemorySegment readOnly = memory.asReadOnly();
        assertRefused("read-only", readOnly, readOnly.address(), AccessFlags.LOCAL_WRITE);
        assertNotNull(register(readOnly, AccessFlags.REMOTE_READ), "read access is allowed");
    }

    @Test
    void shouldRefuseRightsThatContradictEachOther() {
        assertRefused("need LOCAL_WRITE", memory, memory.address(), AccessFlags.REMOTE_WRITE);
        assertRefused("need LOCAL_WRITE", memory, memory.address(), AccessFlags.REMOTE_ATOMIC | AccessFlags.REMOTE_READ);
        assertNotNull(register(memory, AccessFlags.REMOTE_READ));
        assertNotNull(register(memory, 0));
    }

    @Test
    void shouldRefuseUnknownRightsButIgnoreOptionalOnes() {
        for (int bit = 0; bit < 32; bit++) {
            int access = 1 << bit | AccessFlags.LOCAL_WRITE;
            boolean known = bit <= 5 || bit == 7 || bit == 8 || bit >= 20 && bit <= 29;
            if (access == (AccessFlags.FLUSH_PERSISTENT | AccessFlags.LOCAL_WRITE)) {
                assertRefused("mapped file", memory, memory.address(), access);
            } else if (known) {
                assertNotNull(register(memory, access), "bit " + bit);
            } else {
                assertRefused("0x" + Integer.toHexString(1 << bit), memory, memory.address(), access);
            }
        }
    }

    @Test
    void shouldRefuseARegionThatWrapsAroundTheAddressSpace() {
        Region last = table.register(memory, -4096, ALL, PD);
        assertTrue(last.covers(-4096, 4096));
        assertRefused("2^64", memory, -4088, ALL);
        assertRefused("2^64", memory, -1, AccessFlags.LOCAL_WRITE);
        assertTrue(table.register(memory, 0, ALL, PD).covers(0, 4096));
        Region middle = table.register(memory, Long.MAX_VALUE - 7, ALL, PD);
        assertTrue(middle.covers(Long.MAX_VALUE - 7, 4096));
    }

    /** Peers align remote addresses. Memory with another alignment could not execute their atomics. */
    @Test
    void shouldRefuseAtomicsWhereAlignedAddressesAreNotAlignedInMemory() {
        MemorySegment odd = memory.asSlice(4, 64);
        assertRefused("REMOTE_ATOMIC", odd, 0, ALL | AccessFlags.ZERO_BASED);
        assertRefused("REMOTE_ATOMIC", memory, 0x1004, ALL);
        assertNotNull(table.register(odd, 0, ALL & ~AccessFlags.REMOTE_ATOMIC, PD));
        Region region = table.register(odd, 0x1004, ALL, PD);
        long[] original = new long[1];
        assertTrue(region.fetchAndAdd(0x1008, 5, original));
        assertEquals(5, memory.get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    void shouldRegisterNoBytes() {
        Region empty = register(memory.asSlice(100, 0), ALL & ~AccessFlags.REMOTE_ATOMIC);
        assertTrue(empty.covers(empty.start(), 0));
        assertFalse(empty.covers(empty.start(), 1));
        assertSame(empty, table.lookup(empty.key()));
    }

    /** Memory of another process, say: the table knows its addresses only. */
    @Test
    void shouldReachMemoryOfAnotherAddressSpaceAtItsOwnAddresses() {
        OtherSpace space = new OtherSpace();
        Region region = table.register(space, 0x7000, 0x10000, 4096, ALL | AccessFlags.ON_DEMAND, PD, null);
        assertSame(region, table.lookup(region.key()));
        assertEquals(0x10000, region.start());
        assertEquals(4096, region.length());
        assertTrue(region.store(0x10008, 1));
        assertEquals(0x7008, space.storedAt);
        assertNotNull(table.register(space, -4096, 0, 4096, ALL, PD, null), "ends at 2^64");
        assertNotNull(table.register(space, 0, 0x1000, 4096, ALL, PD, null), "from address 0 on");
    }

    @Test
    void shouldRefuseMemoryOfAnotherAddressSpaceThatCannotBe() {
        assertSpaceRefused("past 2^64", 0x7000, -4095, 4096, ALL & ~AccessFlags.REMOTE_ATOMIC);
        assertSpaceRefused("past 2^64", -4095, 0, 4096, ALL & ~AccessFlags.REMOTE_ATOMIC);
        assertSpaceRefused("REMOTE_ATOMIC", 0x7004, 0x10000, 4096, ALL);
        assertSpaceRefused("need LOCAL_WRITE", 0x7000, 0x10000, 4096, AccessFlags.REMOTE_WRITE);
        assertSpaceRefused("0x40000000", 0x7000, 0x10000, 4096, 1 << 30);
    }

    private void assertSpaceRefused(String why, long address, long start, long length, int access) {
        VerbsException refused = assertThrows(VerbsException.class,
            () -> table.register(new OtherSpace(), address, start, length, access, PD, null));
        assertEquals(Errno.EINVAL, refused.errno());
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
        assertEquals(0, table.regionCount(), "no key is lost");
    }

    /** Notes where it stores, and does nothing else. */
    private static final class OtherSpace implements AddressSpace {
        private long storedAt;

        @Override
        public boolean copyOut(long address, MemorySegment to, long toOffset, long length) {
            return false;
        }

        @Override
        public boolean copyIn(long address, MemorySegment from, long fromOffset, long length) {
            return false;
        }

        @Override
        public boolean compareAndSwap(long address, long compare, long swap, long[] original) {
            return false;
        }

        @Override
        public boolean fetchAndAdd(long address, long add, long[] original) {
            return false;
        }

        @Override
        public boolean store(long address, long value) {
            storedAt = address;
            return true;
        }

        @Override
        public boolean flush(long address, long length, boolean persistent) {
            return false;
        }
    }

    // ---- keys ----

    @Test
    void shouldRefuseEveryKeyButTheOne() {
        Region region = register(memory, ALL);
        for (int low = 0; low < 256; low++) {
            int key = region.key() & ~0xff | low;
            assertSame(key == region.key() ? region : null, table.lookup(key), "key byte " + low);
        }
        int window = MemoryTable.FIRST_WINDOW << 8;
        for (int key : new int[] {0, 1, 0xff, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, window, region.key() + 0x100}) {
            assertNull(table.lookup(key), Integer.toHexString(key));
        }
        // Around every size that the table can have: the first index beyond its array must not be looked at.
        for (int index = 2; index < 1 << 10; index++) {
            assertNull(table.lookup(index << 8), "index " + index);
            assertNull(table.lookup(MemoryTable.FIRST_WINDOW + index << 8), "window " + index);
        }
    }

    @Test
    void shouldRefuseTheKeyOfARegionThatIsGone() {
        Region region = register(memory, ALL);
        table.remove(region.key());
        assertNull(table.lookup(region.key()));
        assertEquals(0, table.regionCount());
    }

    /** A reused index always gets another key byte, so that the previous key stays refused. */
    @Test
    void shouldNeverGiveAnIndexTheSameKeyTwiceInARow() {
        MemoryTable small = new MemoryTable(new SplittableRandom(5), 1, 1);
        int last = small.register(memory, 0, 1, PD).key();
        Set<Integer> bytes = new HashSet<>();
        for (int i = 0; i < 3_000; i++) {
            small.remove(last);
            int key = small.register(memory, 0, 1, PD).key();
            assertEquals(last >>> 8, key >>> 8);
            assertNotEquals(last, key);
            assertNull(small.lookup(last));
            bytes.add(key & 0xff);
            last = key;
        }
        assertEquals(256, bytes.size(), "all key bytes are in use");
    }

    @Test
    void shouldLetAnIndexRest() {
        Region first = register(memory, ALL);
        table.remove(first.key());
        for (int i = 0; i < 64; i++) {
            Region next = register(memory, ALL);
            assertNotEquals(first.key() >>> 8, next.key() >>> 8);
            table.remove(next.key());
        }
    }

    /**
     * Indices are given out as documented while the list of free ones grows: new ones first, then, once more than 64 are free, the one
     * released longest ago. An index is never given out while it is in use.
     */
    @Test
    void shouldGiveOutTheIndexReleasedLongestAgo() {
        Region kept = register(memory, ALL);
        Deque<Region> held = new ArrayDeque<>();
        Deque<Integer> free = new ArrayDeque<>();
        int unused = (kept.key() >>> 8) + 1;
        int[] releasesAndRegistrations = {70, 70, 3, 200, 203, 120, 40, 300, 420, 500};
        for (int i = 0; i < releasesAndRegistrations.length; i++) {
            for (int n = 0; n < releasesAndRegistrations[i]; n++) {
                int expected = free.size() > 64 ? free.remove() : unused++;
                Region region = register(memory, ALL);
                assertEquals(expected, region.key() >>> 8, "registration " + n + " of step " + i);
                held.add(region);
            }
            for (int n = 0; n < releasesAndRegistrations[i] && i % 2 == 0; n++) {
                Region region = held.remove();
                free.add(region.key() >>> 8);
                table.remove(region.key());
            }
        }
        assertSame(kept, table.lookup(kept.key()));
        held.forEach(region -> assertSame(region, table.lookup(region.key())));
    }

    @Test
    void shouldGrowToAHundredThousandRegions() {
        List<Region> regions = new ArrayList<>();
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            Region region = table.register(memory, 8L * i, ALL, PD);
            regions.add(region);
            assertTrue(keys.add(region.key() >>> 8));
        }
        assertEquals(100_000, table.regionCount());
        for (Region region : regions) {
            assertSame(region, table.lookup(region.key()));
        }
        for (int i = 0; i < regions.size(); i += 2) {
            table.remove(regions.get(i).key());
        }
        assertEquals(50_000, table.regionCount());
        for (int i = 0; i < regions.size(); i++) {
            assertSame(i % 2 == 0 ? null : regions.get(i), table.lookup(regions.get(i).key()));
        }
        for (int i = 0; i < 50_000; i++) {
            assertNotNull(table.lookup(table.register(memory, 0, ALL, PD).key()));
        }
        assertEquals(100_000, table.regionCount());
    }

    @Test
    void shouldAnswerEnomemWhenAllKeysAreInUse() {
        MemoryTable small = new MemoryTable(new SplittableRandom(3), 5, 2);
        List<Integer> keys = new ArrayList<>();
        for (int round = 0; round < 100; round++) {
            while (keys.size() < 5) {
                keys.add(small.register(memory, 0, 1, PD).key());
            }
            VerbsException refused = assertThrows(VerbsException.class, () -> small.register(memory, 0, 1, PD));
            assertEquals(Errno.ENOMEM, refused.errno());
            assertEquals("reg_mr", refused.verb());
            assertTrue(refused.getMessage().contains("all 5 keys"), refused.getMessage());
            for (int freed = 0; freed <= round % 5; freed++) {
                small.remove(keys.remove(0));
            }
        }
        small.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        small.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        VerbsException refused = assertThrows(VerbsException.class, () -> small.allocateWindow(PD, MemoryWindow.Type.TYPE_2));
        assertEquals("alloc_mw", refused.verb());
        assertEquals(Errno.ENOMEM, refused.errno());
    }

    @Test
    void shouldLookUpWhileTheTableGrows() throws InterruptedException {
        AtomicReference<Region> newest = new AtomicReference<>(register(memory, ALL));
        Region oldest = newest.get();
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<String> wrong = new AtomicReference<>();
        CountDownLatch running = new CountDownLatch(1);
        Thread reader = Thread.ofPlatform().start(() -> {
            do {
                Region region = newest.get();
                if (table.lookup(region.key()) != region || table.lookup(oldest.key()) != oldest) {
                    wrong.set("lost key 0x" + Integer.toHexString(region.key()));
                }
                running.countDown();
            } while (!done.get());
        });
        running.await();
        for (int i = 0; i < 20_000; i++) {
            newest.set(register(memory, ALL));
        }
        done.set(true);
        reader.join();
        assertNull(wrong.get());
    }

    // ---- re-registration ----

    @Test
    void shouldKeepTheKeyUnderOtherTerms() {
        Region before = register(memory, ALL);
        MemorySegment other = Arena.ofAuto().allocate(100);
        Region after = table.reregister(before, other, 0x5000, AccessFlags.LOCAL_WRITE, PD + 1);
        assertSame(after, table.lookup(before.key()));
        assertEquals(List.of(0x5000L, 100L, AccessFlags.LOCAL_WRITE, PD + 1), List.of(after.start(), after.length(), after.access(),
            after.pd()));
        assertTrue(after.copyIn(0x5001, MemorySegment.ofArray(new byte[] {7}), 0, 1));
        assertEquals(7, other.get(ValueLayout.JAVA_BYTE, 1));
        Region again = table.reregister(after, other, 0x6000, 0, PD);
        assertTrue(again.copyIn(0x6002, MemorySegment.ofArray(new byte[] {8}), 0, 1), "the same memory");
        assertEquals(8, other.get(ValueLayout.JAVA_BYTE, 2));
        table.remove(again.key());
        assertNull(table.lookup(again.key()));
    }

    @Test
    void shouldRefuseTermsThatRegistrationRefuses() {
        Region region = register(memory, ALL);
        VerbsException refused = assertThrows(VerbsException.class,
            () -> table.reregister(region, memory, 0, AccessFlags.REMOTE_WRITE, PD));
        assertEquals(Errno.EINVAL, refused.errno());
        assertEquals("rereg_mr", refused.verb());
        int window = table.allocateWindow(PD, MemoryWindow.Type.TYPE_2);
        assertTrue(table.bindWindow(window, region, region.start(), 8, AccessFlags.REMOTE_READ, QPN));
        refused = assertThrows(VerbsException.class, () -> table.reregister(region, memory, 0, ALL, PD));
        assertEquals(Errno.EBUSY, refused.errno());
        assertEquals("rereg_mr", refused.verb());
        assertSame(region, table.lookup(region.key()), "nothing has changed");
    }
}
