// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Memory of a child: its arguments, whose address the kernel tells. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessMemoryTest {
    private static final int ARG_START = 47;
    private static final int PAGE = 4096;

    private final MemorySegment bytes = Arena.ofAuto().allocate(2 * PAGE);
    private int pid;
    private ProcessMemory memory;
    private long arguments;

    @BeforeEach
    void start() throws IOException {
        Commands.assumeLinux();
        pid = Commands.start("sleep", "1000");
        Commands.until("the program is sleep", () -> ProcessInfo.commandLine(pid).equals(List.of("sleep", "1000")));
        memory = ProcessMemory.open(pid);
        // Fields of /proc/PID/stat count from 1; the third one follows the name in parentheses.
        String status = Files.readString(Path.of("/proc/" + pid + "/stat"));
        arguments = Long.parseUnsignedLong(status.substring(status.lastIndexOf(')') + 2).split(" ")[ARG_START + 1 - 3]);
    }

    @AfterEach
    void end() {
        if (memory != null) {
            memory.close();
            Commands.kill(pid);
        }
    }

    private String text(int length) {
        return new String(bytes.asSlice(0, length).toArray(JAVA_BYTE));
    }

    @Test
    void shouldReadAndWrite() {
        bytes.fill((byte) 0xA5);
        assertTrue(memory.read(arguments, bytes, 10, 11));
        assertEquals("sleep\0" + "1000\0", new String(bytes.asSlice(10, 11).toArray(JAVA_BYTE)));
        assertEquals((byte) 0xA5, bytes.get(JAVA_BYTE, 9));
        assertEquals((byte) 0xA5, bytes.get(JAVA_BYTE, 21));
        bytes.setString(0, "2345");
        assertTrue(memory.write(arguments + 6, bytes, 0, 4));
        assertEquals(List.of("sleep", "2345"), ProcessInfo.commandLine(pid));
        assertTrue(memory.read(arguments, bytes, 0, 0));
    }

    @Test
    void shouldRefuseAddressesThatAreNotMapped() {
        assertFalse(memory.read(0, bytes, 0, 1));
        assertFalse(memory.write(8, bytes, 0, 8));
        assertFalse(memory.read(-1, bytes, 0, 1));
        assertFalse(memory.read(Long.MIN_VALUE, bytes, 0, 1));
        assertFalse(memory.read(Long.MAX_VALUE, bytes, 0, 8));
        assertFalse(memory.write(0xffff_8000_0000_0000L, bytes, 0, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.read(arguments, bytes, 2 * PAGE, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.write(arguments, bytes, -1, 1));
    }

    @Test
    void shouldFailAtTheEndOfAMapping() throws IOException {
        long end = stackEnd();
        assertTrue(memory.read(end - 100, bytes, 0, 100));
        assertFalse(memory.read(end - 100, bytes, 0, 101), "in part");
    }

    private long stackEnd() throws IOException {
        String line = Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream().filter(each -> each.endsWith("[stack]")).findAny()
            .orElseThrow();
        return Long.parseUnsignedLong(line.substring(line.indexOf('-') + 1, line.indexOf(' ')), 16);
    }

    @Test
    void shouldReadStringsUpToTheirBound() throws IOException {
        assertEquals(5, memory.readString(arguments, bytes));
        assertEquals("sleep", text(5));
        assertEquals("sleep", memory.readString(arguments, 6));
        assertNull(memory.readString(arguments, 5));
        assertEquals(ProcessMemory.TOO_LONG, memory.readString(arguments, bytes.asSlice(0, 5)));
        assertEquals(ProcessMemory.UNREADABLE, memory.readString(8, bytes));
        assertNull(memory.readString(8, 100));
        // The stack ends with the name of the program, a zero, and 8 zero bytes; nothing is mapped behind it.
        long end = stackEnd();
        assertEquals(0, memory.readString(end - 1, bytes));
        bytes.fill((byte) 'x');
        assertTrue(memory.write(end - 8, bytes, 0, 8));
        assertEquals(ProcessMemory.UNREADABLE, memory.readString(end - 8, bytes));
        assertTrue(memory.write(end - PAGE - 3, bytes, 0, 10), "across two pages");
        bytes.setString(0, "");
        assertTrue(memory.write(end - PAGE + 7, bytes, 0, 1));
        assertEquals(10, memory.readString(end - PAGE - 3, bytes));
    }

    @Test
    void shouldFindMappings() throws IOException {
        long end = stackEnd();
        assertTrue(memory.isMapped(end - 100, 100, true));
        assertFalse(memory.isMapped(end - 100, 101, true));
        assertFalse(memory.isMapped(0, 1, false));
        assertFalse(memory.isMapped(-8, 8, false));
        assertFalse(memory.isMapped(8, Long.MAX_VALUE, false));
        String code = Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream().filter(each -> each.contains(" r-xp ")).findFirst()
            .orElseThrow();
        long start = Long.parseUnsignedLong(code.substring(0, code.indexOf('-')), 16);
        assertTrue(memory.isMapped(start, 16, false));
        assertFalse(memory.isMapped(start, 16, true));
    }

    @Test
    void shouldFailAfterTheEndOfTheProcess() {
        Signals.send(pid, Signals.SIGKILL);
        Commands.until("its memory is gone", () -> !memory.read(arguments, bytes, 0, 1));
        assertFalse(memory.write(arguments, bytes, 0, 1));
        assertFalse(memory.isMapped(arguments, 1, false));
    }

    @Test
    void shouldFailAfterAnotherProgramIsExecuted() throws IOException {
        Path gate = Files.createTempDirectory("gate").resolve("fifo");
        assertEquals(0, ChildStatus.await(Commands.start("mkfifo", gate.toString())).number());
        int shell = Commands.start("sh", "-c", "read line < " + gate + "; exec sleep 1000");
        Commands.until("the program is sh", () -> ProcessInfo.commandLine(shell).contains("-c"));
        try (ProcessMemory before = ProcessMemory.open(shell)) {
            String status = Files.readString(Path.of("/proc/" + shell + "/stat"));
            long at = Long.parseUnsignedLong(status.substring(status.lastIndexOf(')') + 2).split(" ")[ARG_START + 1 - 3]);
            assertEquals("sh", before.readString(at, 10));
            Files.writeString(gate, "go\n");
            Commands.until("the program is sleep", () -> "sleep".equals(ProcessInfo.comm(shell)));
            assertFalse(before.read(at, bytes, 0, 1));
            assertFalse(before.isMapped(at, 1, false));
        } finally {
            Commands.kill(shell);
            Files.delete(gate);
            Files.delete(gate.getParent());
        }
    }

    @Test
    void shouldWorkThroughDescriptorsOfAnotherProcess() {
        int mem = Descriptors.duplicate(memory.memoryFd(), 3);
        int maps = Descriptors.duplicate(memory.mapsFd(), 3);
        try (ProcessMemory passed = new ProcessMemory(mem, maps)) {
            memory.close();
            assertFalse(memory.read(arguments, bytes, 0, 5), "closed");
            assertTrue(passed.read(arguments, bytes, 0, 5));
            assertArrayEquals("sleep".getBytes(), bytes.asSlice(0, 5).toArray(JAVA_BYTE));
            assertTrue(passed.isMapped(arguments, 5, true));
        }
    }

    /** A large mapping of this process, with a gap at its end; by its number, and through descriptors only. */
    @Test
    void shouldReadLargeRanges() {
        int self = (int) ProcessHandle.current().pid();
        long length = 1 << 18;
        try (SharedFile file = new SharedFile("large", length); Arena arena = Arena.ofConfined();
             ProcessMemory own = ProcessMemory.open(self);
             ProcessMemory passed = new ProcessMemory(Descriptors.duplicate(own.memoryFd(), 3), Descriptors.duplicate(own.mapsFd(), 3))) {
            MemorySegment mapped = file.map(0, length, arena);
            for (long at = 0; at < length; at += 8) {
                mapped.set(JAVA_LONG, at, at * 0x9E3779B97F4A7C15L);
            }
            MemorySegment copy = arena.allocate(length + 1);
            for (ProcessMemory each : new ProcessMemory[] {own, passed}) {
                for (long bytes : new long[] {1, 32767, 32768, 32769, 65536, length - 5}) {
                    copy.fill((byte) 0xA5);
                    assertTrue(each.read(mapped.address() + 5, copy, 1, bytes));
                    assertEquals(-1, copy.asSlice(1, bytes).mismatch(mapped.asSlice(5, bytes)));
                    assertEquals((byte) 0xA5, copy.get(JAVA_BYTE, 0));
                    assertEquals((byte) 0xA5, copy.get(JAVA_BYTE, bytes + 1));
                }
                // Pages behind the file's end are mapped, but there is nothing to read.
                assertEquals(0, Descriptors.truncate(file.fd(), length / 2));
                assertEquals(length / 2, each.readUpTo(mapped.address(), copy, 0, length));
                assertFalse(each.read(mapped.address(), copy, 0, length));
                assertEquals(0, each.readUpTo(mapped.address() + length / 2, copy, 0, length / 2));
                assertEquals(0, Descriptors.truncate(file.fd(), length));
                for (long at = length / 2; at < length; at += 8) {
                    mapped.set(JAVA_LONG, at, at * 0x9E3779B97F4A7C15L);
                }
            }
        }
    }

    /** Also with a process that the kernel does not name: then each range takes a call of its own. */
    @Test
    void shouldGatherAndScatterRanges() throws IOException {
        for (int named : new int[] {pid, Integer.MAX_VALUE}) {
            ProcessVectors vectors = new ProcessVectors(memory, named);
            assertEquals(named == pid, vectors.isPermitted(), "a child of this process");
            vectors.add(arguments + 6, 4);
            vectors.add(arguments, 5);
            assertEquals(9, vectors.bytes());
            bytes.fill((byte) 0xA5);
            assertTrue(vectors.read(bytes, 3));
            assertEquals("1000sleep", new String(bytes.asSlice(3, 9).toArray(JAVA_BYTE)));
            assertEquals((byte) 0xA5, bytes.get(JAVA_BYTE, 2));
            assertEquals((byte) 0xA5, bytes.get(JAVA_BYTE, 12));
            vectors.clear();
            vectors.add(arguments, 1);
            vectors.add(arguments + 8, 2);
            bytes.setString(0, "S77");
            assertTrue(vectors.write(bytes, 0));
            assertEquals(List.of("Sleep", "1077"), ProcessInfo.commandLine(pid));
            bytes.setString(0, "s00");
            assertTrue(vectors.write(bytes, 0));
            vectors.add(stackEnd() - 1, 2);
            assertFalse(vectors.read(bytes, 0), "in part");
            assertFalse(vectors.write(bytes, 0), "in part");
            vectors.clear();
            vectors.add(-8, 8);
            assertFalse(vectors.read(bytes, 0));
            vectors.clear();
            assertTrue(vectors.read(bytes, 0), "nothing");
            for (int i = 0; i < ProcessVectors.MAX_RANGES; i++) {
                assertTrue(vectors.add(arguments + i % 5, 1));
            }
            assertFalse(vectors.add(arguments, 1), "full");
            assertTrue(vectors.read(bytes, 0));
            assertEquals("sleepsleep", text(10));
            assertThrows(IndexOutOfBoundsException.class, () -> vectors.read(bytes, bytes.byteSize() - 63));
        }
    }

    @Test
    void shouldNotCopyVectorsAfterTheEndOfTheProcess() {
        ProcessVectors vectors = new ProcessVectors(memory, pid);
        vectors.add(arguments, 1);
        Signals.send(pid, Signals.SIGKILL);
        Commands.until("its memory is gone", () -> !vectors.read(bytes, 0));
        assertFalse(vectors.write(bytes, 0));
    }

    @Test
    void shouldNotAllocatePerCopy() {
        ProcessVectors vectors = new ProcessVectors(memory, pid);
        // One by one: together they may exceed what the compiler inlines, and native calls allocate where they are not inlined.
        Allocation.assertNone(() -> memory.read(arguments, bytes, 0, 11));
        Allocation.assertNone(() -> memory.write(arguments, bytes, 0, 11));
        Allocation.assertNone(() -> {
            vectors.clear();
            vectors.add(arguments, 5);
            vectors.add(arguments + 6, 4);
            vectors.read(bytes, 0);
        });
    }

    @Test
    void shouldReportProcessesThatDoNotExist() {
        VerbsException thrown = assertThrows(VerbsException.class, () -> ProcessMemory.open(Integer.MAX_VALUE));
        assertEquals(Errno.ENOENT, thrown.errno());
    }
}
