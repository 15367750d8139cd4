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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventReaderTest {
    private static final long SECOND_NS = 1_000_000_000;

    private EventPipe pipe;
    private EventReader reader;

    @BeforeEach
    void open() {
        Commands.assumeLinux();
        pipe = new EventPipe();
        reader = new EventReader(Descriptors.duplicate(pipe.reader(), 3));
        pipe.closeReader();
    }

    @AfterEach
    void close() {
        reader.close();
        pipe.close();
    }

    /** A thread that waits for a record. */
    private final class Waiter {
        private final CompletableFuture<Long> result = new CompletableFuture<>();
        private final Thread thread;

        Waiter() {
            thread = Thread.ofPlatform().daemon().start(this::read);
            // The thread is in a native call then, and has no state of its own.
            Commands.until("the thread waits", () -> asleep(thread));
        }

        private void read() {
            try {
                MemorySegment record = Arena.ofAuto().allocate(JAVA_LONG);
                result.complete(reader.read(record, -1, "test") ? record.get(JAVA_LONG, 0) : 0);
            } catch (VerbsException failed) {
                result.complete(-(long) failed.errno().value());
            }
        }

        long await() {
            return result.join();
        }
    }

    /** Whether a thread is in {@link EventReader#read}, in the call that waits. */
    private static boolean asleep(Thread thread) {
        for (StackTraceElement each : thread.getStackTrace()) {
            if (each.getMethodName().equals("poll") && each.getClassName().equals(EventReader.class.getName())) {
                return true;
            }
        }
        return false;
    }

    private static long switches() throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream().filter(line -> line.startsWith("voluntary_ctxt_switches:"))
            .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip())).sum();
    }

    /** As it did twenty times a second when it looked for interrupts. */
    @Test
    void shouldNotWakeWhileNothingHappens() throws IOException {
        assertFalse(reader.await(1_000_000, "test"), "everything is loaded");
        long before = switches();
        assertFalse(reader.await(SECOND_NS, "test"));
        long woken = switches() - before;
        assertTrue(woken >= 1 && woken <= 8, "context switches in a second: " + woken);
    }

    @Test
    void shouldReadWhatComesWhileItWaits() {
        Waiter waiter = new Waiter();
        pipe.write(5);
        assertEquals(5, waiter.await());
        assertFalse(reader.await(0, "test"));
        assertFalse(reader.await(1_000_000, "test"));
    }

    @Test
    void shouldEndTheWaitOfTheThreadThatIsInterrupted() {
        Waiter interrupted = new Waiter();
        Waiter other = new Waiter();
        interrupted.thread.interrupt();
        assertEquals(-Errno.EINTR.value(), interrupted.await());
        Waiter next = new Waiter();
        assertFalse(other.result.isDone() || next.result.isDone(), "theirs go on");
        pipe.write(7);
        pipe.write(7);
        assertEquals(7, other.await());
        assertEquals(7, next.await());
    }

    @Test
    void shouldNotWaitInAThreadThatIsInterrupted() {
        Thread.currentThread().interrupt();
        VerbsException refused = assertThrows(VerbsException.class, () -> reader.await(-1, "test"));
        assertTrue(Thread.interrupted(), "it still is");
        assertEquals(Errno.EINTR, refused.errno());
    }

    @Test
    void shouldEndAllWaitsWhenClosed() {
        Waiter one = new Waiter();
        Waiter other = new Waiter();
        reader.close();
        assertEquals(-Errno.EINVAL.value(), one.await());
        assertEquals(-Errno.EINVAL.value(), other.await());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> reader.await(-1, "test")).errno());
    }

    @Test
    void shouldEndWaitsWithTheOtherEnd() {
        Waiter waiter = new Waiter();
        pipe.close();
        assertEquals(-Errno.EIO.value(), waiter.await());
    }

    @Test
    void shouldNoticeTheOtherEndWithoutWaiting() {
        assertFalse(reader.hasEnded());
        pipe.write(5);
        assertFalse(reader.hasEnded());
        pipe.close();
        assertTrue(reader.hasEnded(), "although a record is left");
        reader.close();
        assertFalse(reader.hasEnded(), "this end is closed: there is nothing to look at");
    }

    /** As many as waits at once, however many waits there were. */
    @Test
    void shouldKeepTheDescriptorsOfWaits() throws IOException {
        for (int i = 0; i < 100; i++) {
            assertFalse(reader.await(1_000_000, "test"));
        }
        long open = descriptors();
        for (int i = 0; i < 100; i++) {
            assertFalse(reader.await(1_000_000, "test"));
        }
        assertEquals(open, descriptors());
        reader.close();
        assertEquals(open - 2, descriptors());
    }

    private static long descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}
