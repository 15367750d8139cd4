// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.VerbsException;

class MemoryTableTest {
    private static final int ALL = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY | AccessFlags.MW_BIND;
    private static final int PD = 7;
    private static final int QPN = 0x11;

    private final MemoryTable table = new MemoryTable(new SplittableRandom(1), 1 << 19, 1 << 19);
    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);

    private Region register(MemorySegment segment, int access) {
        return table.register(segment, segment.address(), access, PD);
    }

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

    // ---- access to memory ----

    @Test
    void shouldMoveBytesAtTheRightPlace() {
        Region region = table.register(memory, 0x7000_0000_0000L, ALL, PD);
        byte[] data = {1, 2, 3, 4, 5};
        assertTrue(region.copyIn(0x7000_0000_0064L, MemorySegment.ofArray(data), 1, 3));
        assertArrayEquals(new byte[] {0, 2, 3, 4, 0}, memory.asSlice(99, 5).toArray(ValueLayout.JAVA_BYTE));
        byte[] out = new byte[4];
        assertTrue(region.copyOut(0x7000_0000_0064L, MemorySegment.ofArray(out), 1, 3));
        assertArrayEquals(new byte[] {0, 2, 3, 4}, out);
    }

    @Test
    void shouldCarryOutAtomics() {
        Region region = table.register(memory, 0, ALL, PD);
        long[] original = new long[1];
        memory.set(ValueLayout.JAVA_LONG, 8, 41);
        assertTrue(region.fetchAndAdd(8, 1, original));
        assertEquals(41, original[0]);
        assertTrue(region.compareAndSwap(8, 42, -1, original));
        assertEquals(42, original[0]);
        assertTrue(region.compareAndSwap(8, 42, 77, original));
        assertEquals(-1, original[0], "compare differs: nothing is swapped");
        assertEquals(-1, memory.get(ValueLayout.JAVA_LONG, 8));
        assertTrue(region.fetchAndAdd(8, 2, original));
        assertEquals(1, memory.get(ValueLayout.JAVA_LONG, 8), "wraps");
    }

    @Test
    void shouldCarryOutAtomicsAtTheRightPlace() {
        Region region = table.register(memory, 0x7000_0000_0000L, ALL, PD);
        long[] original = new long[1];
        memory.set(ValueLayout.JAVA_LONG, 64, 5);
        assertTrue(region.compareAndSwap(0x7000_0000_0040L, 5, 6, original));
        assertEquals(6, memory.get(ValueLayout.JAVA_LONG, 64));
        assertTrue(region.fetchAndAdd(0x7000_0000_0040L, 1, original));
        assertEquals(7, memory.get(ValueLayout.JAVA_LONG, 64));
        assertTrue(region.store(0x7000_0000_0040L, -2));
        assertEquals(-2, memory.get(ValueLayout.JAVA_LONG, 64));
        for (int at = 0; at < 4096; at += 8) {
            assertTrue(at == 64 || memory.get(ValueLayout.JAVA_LONG, at) == 0, "byte " + at);
        }
    }

    /** An ATOMIC WRITE is aligned for the peer; where memory is not, it cannot be atomic. */
    @Test
    void shouldStoreOnlyWhereMemoryIsAligned() {
        // Memory that begins two bytes after an aligned address: the regions' addresses 6 and 14 are aligned in memory.
        Region region = table.register(memory.asSlice(2, 64), 0, ALL & ~AccessFlags.REMOTE_ATOMIC, PD);
        for (int at = 0; at < 16; at++) {
            assertEquals(at % 8 == 6, region.store(at, -1), "address " + at);
        }
        assertEquals(0, memory.get(ValueLayout.JAVA_LONG, 0));
        assertEquals(-1, memory.get(ValueLayout.JAVA_LONG, 8));
        assertEquals(-1, memory.get(ValueLayout.JAVA_LONG, 16));
        assertEquals(0, memory.get(ValueLayout.JAVA_LONG, 24));
        assertEquals(0, table.goneAccesses());
    }

    @Test
    void shouldFlushMemoryThatDoesNotPersistToItsThreadsOnly() {
        Region region = register(memory, ALL);
        assertTrue(region.flush(region.start(), 64, false));
        assertFalse(region.flush(region.start(), 64, true));
    }

    /** A freed arena causes a protection error and does not end the device's thread. */
    @Test
    void shouldAnswerFalseWhenTheMemoryWasFreed() {
        Arena arena = Arena.ofShared();
        Region region = table.register(arena.allocate(64, 8), 0, ALL, PD);
        arena.close();
        assertSame(region, table.lookup(region.key()));
        MemorySegment packet = MemorySegment.ofArray(new byte[64]);
        long[] original = {99};
        assertFalse(region.copyIn(0, packet, 0, 64));
        assertFalse(region.copyOut(0, packet, 0, 64));
        assertFalse(region.compareAndSwap(0, 0, 1, original));
        assertFalse(region.fetchAndAdd(0, 1, original));
        assertFalse(region.store(0, 1));
        assertEquals(99, original[0]);
        assertEquals(5, table.goneAccesses());
    }

    @Test
    void shouldAccessAMappedFileAtTheRightPlace(@TempDir Path directory) throws IOException {
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(directory)) {
            int access = ALL | AccessFlags.FLUSH_ANY;
            Region region = table.register(channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena), 0x10000, access, PD);
            assertTrue(region.copyIn(0x10000 + 5000, MemorySegment.ofArray(new byte[] {1, 2, 3}), 0, 3));
            byte[] out = new byte[2];
            assertTrue(region.copyOut(0x10000 + 5001, MemorySegment.ofArray(out), 0, 2));
            assertArrayEquals(new byte[] {2, 3}, out);
            long[] original = new long[1];
            assertTrue(region.store(0x10000 + 4096, 41));
            assertTrue(region.fetchAndAdd(0x10000 + 4096, 1, original));
            assertEquals(41, original[0]);
            assertTrue(region.compareAndSwap(0x10000 + 4096, 42, 43, original));
            assertEquals(42, original[0]);
            assertTrue(region.flush(0x10000 + 4096, 4096, false));
            assertTrue(region.flush(0x10000 + 4096, 4096, true));
            ByteBuffer read = ByteBuffer.allocate(8192).order(ByteOrder.nativeOrder());
            channel.read(read, 0);
            assertEquals(43, read.getLong(4096));
            assertEquals(1, read.get(5000));
            assertEquals(0, table.goneAccesses());
        }
    }

    /** Unaligned stores and unmapped files are refused alike, whether the file was cut off or not. */
    @Test
    void shouldAnswerFalseWhenTheFileWasUnmapped(@TempDir Path directory) throws IOException {
        Region region;
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(directory)) {
            region = table.register(channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena), 0, ALL | AccessFlags.FLUSH_ANY, PD);
        }
        MemorySegment packet = MemorySegment.ofArray(new byte[64]);
        long[] original = {99};
        assertFalse(region.copyIn(0, packet, 0, 64));
        assertFalse(region.copyOut(0, packet, 0, 64));
        assertFalse(region.compareAndSwap(0, 0, 1, original));
        assertFalse(region.fetchAndAdd(0, 1, original));
        assertFalse(region.store(0, 1));
        assertFalse(region.flush(0, 64, true));
        assertEquals(99, original[0]);
        assertEquals(6, table.goneAccesses());
    }

    private static FileChannel file(Path directory) throws IOException {
        Path file = directory.resolve("memory");
        Files.write(file, new byte[8192]);
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Small copies are inlined, large ones call a routine of the JVM: both must handle the missing page of a truncated file. */
    @ParameterizedTest
    @ValueSource(ints = {8, 4096})
    @EnabledOnOs(OS.LINUX)
    void shouldAnswerFalseWhenTheFileWasCutOff(int bytes, @TempDir Path directory) throws IOException {
        try (Arena arena = Arena.ofShared(); FileChannel channel = file(directory)) {
            Region region = table.register(channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena), 0, ALL, PD);
            channel.truncate(4096);
            MemorySegment packet = Arena.ofAuto().allocate(4096);
            long[] original = new long[1];
            int tries = 4000;
            for (int i = 0; i < tries; i++) {
                assertTrue(region.copyIn(0, packet, 0, bytes));
                assertFalse(region.copyIn(4096, packet, 0, bytes));
                assertFalse(region.copyOut(4096, packet, 0, bytes));
                assertFalse(region.fetchAndAdd(4096, 1, original));
                assertFalse(region.compareAndSwap(4096, 0, 1, original));
                assertFalse(region.store(4096, 1));
            }
            assertEquals(5L * tries, table.goneAccesses());
        }
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

    // ---- windows ----

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
}
