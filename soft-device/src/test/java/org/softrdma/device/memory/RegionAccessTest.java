// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;

/** Access to registered memory of every kind, whether it is there or not. */
class RegionAccessTest extends MemoryTableFixture {
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
}
