// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.verbs.VerbsException;

/** Waiting for pipes. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EpollSetTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    private EpollSet set;
    private EventPipe pipe;

    @BeforeEach
    void open() {
        Commands.assumeLinux();
        set = new EpollSet();
        pipe = new EventPipe();
    }

    @AfterEach
    void close() {
        if (set != null) {
            set.close();
            pipe.close();
        }
    }

    @Test
    void shouldReportReadyDescriptorsByKey() {
        EventPipe other = new EventPipe();
        try {
            set.add(pipe.reader(), EpollSet.READABLE, Long.MAX_VALUE);
            set.add(other.reader(), EpollSet.READABLE, -1);
            set.add(other.writer(), EpollSet.WRITABLE, 3);
            pipe.write(1);
            other.write(1);
            assertEquals(3, set.await(LONG_NS));
            assertEquals(Set.of(-1L, 3L, Long.MAX_VALUE), new TreeSet<>(Set.of(set.key(0), set.key(1), set.key(2))));
            for (int i = 0; i < 3; i++) {
                assertEquals(set.key(i) == 3 ? EpollSet.WRITABLE : EpollSet.READABLE, set.events(i));
            }
            set.remove(other.writer());
            set.remove(pipe.reader());
            set.remove(pipe.reader());
            assertEquals(1, set.await(LONG_NS));
            assertEquals(-1, set.key(0));
        } finally {
            other.close();
        }
        assertEquals(0, set.await(0), "the closed descriptor has left");
    }

    @Test
    void shouldWaitForTheTimeout() {
        set.add(pipe.reader(), EpollSet.READABLE, 1);
        long beganNs = System.nanoTime();
        assertEquals(0, set.await(3_000_000));
        assertTrue(System.nanoTime() - beganNs >= 3_000_000);
        beganNs = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            assertEquals(0, set.await(100_000));
        }
        assertTrue(System.nanoTime() - beganNs >= 50 * 100_000);
    }

    @Test
    void shouldWake() {
        set.wakeUp();
        set.wakeUp();
        assertEquals(0, set.await(-1), "of the past");
        long beganNs = System.nanoTime();
        assertEquals(0, set.await(5_000_000), "once");
        assertTrue(System.nanoTime() - beganNs >= 5_000_000);
        Thread.ofPlatform().start(set::wakeUp);
        assertEquals(0, set.await(-1));
    }

    @Test
    void shouldReleaseAWaitingThreadWhenClosed() throws InterruptedException {
        Thread waiting = Thread.ofPlatform().start(() -> set.await(-1));
        Thread.sleep(20);
        set.close();
        waiting.join();
        assertEquals(0, set.await(-1));
        set.wakeUp();
        set.remove(pipe.reader());
        set.close();
    }

    @Test
    void shouldNestSets() {
        try (EpollSet inner = new EpollSet()) {
            inner.add(pipe.reader(), EpollSet.READABLE, 1);
            set.add(inner.fd(), EpollSet.READABLE, 2);
            assertEquals(0, set.await(0));
            pipe.write(1);
            assertEquals(1, set.await(LONG_NS));
            assertEquals(2, set.key(0));
        }
    }

    @Test
    void shouldRefuseDescriptorsTwiceOrClosed() {
        set.add(pipe.reader(), EpollSet.READABLE, 1);
        assertThrows(VerbsException.class, () -> set.add(pipe.reader(), EpollSet.READABLE, 2));
        assertThrows(VerbsException.class, () -> set.add(-1, EpollSet.READABLE, 2));
    }

    @Test
    void shouldNotAllocatePerWait() {
        set.add(pipe.reader(), EpollSet.READABLE, 1);
        pipe.write(1);
        Allocation.assertNone(() -> {
            assertEquals(1, set.await(1000));
            set.wakeUp();
        });
    }
}
