// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.VerbsException;

/** Files in shared memory, and doorbells that are rung by writing to them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedFileTest {
    private static final long DOORBELLS = 1 << 20;
    private static final long BYTES = DOORBELLS + 65536;

    private final MemorySegment doorbell = Arena.ofAuto().allocate(32, 8);

    @BeforeAll
    static void assumeLinux() {
        Commands.assumeLinux();
    }

    private void ring(SharedFile file) {
        assertEquals(32, Descriptors.write(file.fd(), doorbell, 32));
    }

    @Test
    void shouldShareMemoryWithPrograms() throws IOException {
        try (SharedFile file = new SharedFile("shared", BYTES); Arena arena = Arena.ofConfined()) {
            MemorySegment ring = file.map(8192, 4096, arena);
            ring.set(JAVA_LONG, 0, 0x0102030405060708L);
            ProcessSpawn copy = ProcessSpawn.prepare(
                Commands.bytes("sh", "-c", "dd if=/dev/fd/" + file.fd() + " of=/dev/fd/" + file.fd()
                    + " bs=8 skip=1024 seek=1025 count=1 conv=notrunc status=none"), Map.of(), file.fd());
            assertEquals(new ChildStatus(ChildStatus.Kind.EXITED, 0), ChildStatus.await(copy.run()));
            assertEquals(0x0102030405060708L, ring.get(JAVA_LONG, 8), "the program copied 8 bytes to the next 8");
            assertEquals(0, ring.get(JAVA_LONG, 16));
        }
    }

    @Test
    void shouldLeaveNoNameAndTakeNoMemoryForSize() throws IOException {
        try (SharedFile file = new SharedFile("huge", 1L << 40)) {
            String path = file.linkText().replace(" (deleted)", "");
            assertFalse(Files.exists(Path.of(path)), path);
            assertEquals(1L << 40, Files.size(Path.of("/proc/self/fd/" + file.fd())));
            assertEquals(0L, blocks(file));
            file.reserve(4096 * 10, 4096 * 3);
            assertEquals(3 * 8L, blocks(file), "units of 512 bytes");
        }
    }

    /** st_blocks by stat(1), through this process's descriptor. */
    private static long blocks(SharedFile file) throws IOException {
        Path out = Files.createTempFile("blocks", null);
        String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + file.fd();
        assertEquals(0, ChildStatus.await(Commands.start("sh", "-c", "stat -L -c %b " + path + " > " + out)).number());
        String blocks = Files.readString(out).strip();
        Files.delete(out);
        return Long.parseLong(blocks);
    }

    @Test
    void shouldReportMemoryThatIsFull() {
        try (SharedFile file = new SharedFile("full", 1L << 50)) {
            assertThrows(VerbsException.class, () -> file.reserve(0, 1L << 50));
        }
    }

    @Test
    void shouldRefuseUseAfterClose() {
        SharedFile file = new SharedFile("closed", 4096);
        file.close();
        file.close();
        assertThrows(VerbsException.class, () -> file.map(0, 4096, Arena.ofAuto()));
        assertThrows(VerbsException.class, () -> file.reserve(0, 4096));
    }

    @Test
    void shouldMoveThePositionOfAllCopies() {
        try (SharedFile file = new SharedFile("position", BYTES)) {
            int copy = Descriptors.duplicate(file.fd(), 3);
            file.seek(DOORBELLS);
            assertEquals(32, Descriptors.write(copy, doorbell, 32));
            assertEquals("pos:\t" + (DOORBELLS + 32), position(file));
            file.seek(DOORBELLS);
            assertEquals("pos:\t" + DOORBELLS, position(file));
            LinuxSockets.close(copy);
        }
    }

    private static String position(SharedFile file) {
        try {
            return Files.readAllLines(Path.of("/proc/self/fdinfo/" + file.fd())).getFirst();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A program that shortens the file takes pages away: an error of the access, not of the JVM. */
    @Test
    void shouldSurviveAFileThatAProgramShortened() {
        try (SharedFile file = new SharedFile("short", BYTES); Arena arena = Arena.ofConfined()) {
            MemorySegment ring = file.map(0, BYTES, arena);
            ring.set(JAVA_LONG, DOORBELLS, 1);
            assertEquals(0, Descriptors.truncate(file.fd(), 0));
            assertThrows(InternalError.class, () -> {
                // The error may arrive a few instructions late.
                for (int i = 0; i < 1000; i++) {
                    if (ring.get(JAVA_LONG, DOORBELLS) == 1) {
                        throw new AssertionError("the page is still there");
                    }
                }
            });
        }
    }

    @Test
    void shouldReportWritesButNotStores() {
        try (SharedFile file = new SharedFile("doorbell", BYTES); DoorbellWatch watch = new DoorbellWatch(); EpollSet set = new EpollSet();
             Arena arena = Arena.ofConfined()) {
            int id = watch.add(file);
            set.add(watch.fd(), EpollSet.READABLE, 3);
            MemorySegment ring = file.map(0, 4096, arena);
            ring.set(JAVA_LONG, 0, 1);
            assertEquals(0, set.await(0));
            assertEquals(0, watch.read());
            ring(file);
            assertEquals(1, set.await(-1));
            assertEquals(3, set.key(0));
            assertEquals(1, watch.read());
            assertEquals(id, watch.fired(0));
            assertEquals(0, set.await(0), "all events were read");
        }
    }

    @Test
    void shouldCoalesceRepeatedWrites() {
        try (SharedFile one = new SharedFile("one", BYTES); SharedFile other = new SharedFile("other", BYTES);
             DoorbellWatch watch = new DoorbellWatch()) {
            int first = watch.add(one);
            int second = watch.add(other);
            for (int i = 0; i < 1000; i++) {
                ring(one);
            }
            assertEquals(1, watch.read());
            ring(one);
            ring(other);
            ring(other);
            ring(one);
            assertEquals(3, watch.read());
            assertEquals(first, watch.fired(0));
            assertEquals(second, watch.fired(1));
            assertEquals(first, watch.fired(2));
            assertFalse(watch.hasOverflowed());
        }
    }

    @Test
    void shouldReadMoreEventsThanFitAtOnce() {
        try (SharedFile one = new SharedFile("one", BYTES); SharedFile other = new SharedFile("other", BYTES);
             DoorbellWatch watch = new DoorbellWatch()) {
            watch.add(one);
            watch.add(other);
            for (int i = 0; i < 500; i++) {
                ring(one);
                ring(other);
            }
            int events = 0;
            for (int count = watch.read(); count > 0; count = watch.read()) {
                events += count;
            }
            assertEquals(1000, events);
        }
    }

    @Test
    void shouldReportLostEvents() throws IOException {
        // Read at once: the second read of such a file finds its end.
        int limit = Integer.parseInt(Files.readAllLines(Path.of("/proc/sys/fs/inotify/max_queued_events")).getFirst());
        try (SharedFile one = new SharedFile("one", BYTES); SharedFile other = new SharedFile("other", BYTES);
             DoorbellWatch watch = new DoorbellWatch()) {
            watch.add(one);
            watch.add(other);
            for (int i = 0; i <= limit / 2 + 1; i++) {
                one.seek(DOORBELLS);
                other.seek(DOORBELLS);
                ring(one);
                ring(other);
            }
            int events = 0;
            boolean overflowed = false;
            for (int count = watch.read(); count > 0 || watch.hasOverflowed(); count = watch.read()) {
                events += count;
                overflowed |= watch.hasOverflowed();
            }
            assertTrue(overflowed);
            assertEquals(limit, events);
        }
    }

    @Test
    void shouldForgetFiles() {
        try (SharedFile file = new SharedFile("forgotten", BYTES); SharedFile next = new SharedFile("next", BYTES);
             DoorbellWatch watch = new DoorbellWatch()) {
            int id = watch.add(file);
            watch.remove(id);
            ring(file);
            assertEquals(0, watch.read());
            assertTrue(watch.add(next) > id, "watches are not reused");
            watch.remove(id);
            ring(next);
            assertEquals(1, watch.read());
        }
    }

    @Test
    void shouldIgnoreUseOfAClosedWatch() {
        DoorbellWatch watch = new DoorbellWatch();
        watch.close();
        watch.close();
        watch.remove(1);
        assertEquals(0, watch.read());
    }
}
