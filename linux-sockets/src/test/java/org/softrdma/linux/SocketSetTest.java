// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events of many connections, on pairs of connected sockets. */
class SocketSetTest {
    private static final int STREAM = 1;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment bytes = arena.allocate(1 << 16);
    private final List<String> told = new ArrayList<>();
    private SocketSet set;
    private TcpSocket near;
    private TcpSocket far;

    @BeforeEach
    void open() throws Throwable {
        assumeTrue(SocketSet.isPossible());
        set = new SocketSet();
        MemorySegment pair = arena.allocate(JAVA_INT, 2);
        Linker linker = Linker.nativeLinker();
        int made = (int) linker.downcallHandle(linker.defaultLookup().findOrThrow("socketpair"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS)).invokeExact(LinuxSockets.AF_UNIX, STREAM, 0, pair);
        assertEquals(0, made);
        near = take(pair.getAtIndex(JAVA_INT, 0));
        far = take(pair.getAtIndex(JAVA_INT, 1));
        near.watch((readable, ended, writable) -> told.add((readable ? "read " : "") + (ended ? "end " : "") + (writable ? "write" : "")));
        assertEquals(1, set.poll());
        assertEquals(List.of("write"), news());
    }

    private TcpSocket take(int fd) {
        TcpSocket taken = set.take(fd);
        LinuxSockets.close(fd);
        return taken;
    }

    @AfterEach
    void close() {
        if (set != null) {
            far.close();
            set.close();
        }
    }

    private List<String> news() {
        set.poll();
        List<String> now = List.copyOf(told);
        told.clear();
        return now;
    }

    @Test
    void shouldReportEachEventOnce() {
        assertEquals(5, far.write(bytes.address(), 5));
        assertEquals(List.of("read write"), news());
        assertEquals(List.of(), news(), "though it was not read");
        assertEquals(5, near.read(bytes.address(), 100));
        assertEquals(TcpSocket.NOT_NOW, near.read(bytes.address(), 100));
        assertEquals(1, far.write(bytes.address(), 1));
        assertEquals(List.of("read write"), news());
    }

    @Test
    void shouldReadIntoTwoBuffers() {
        bytes.asSlice(0, 10).copyFrom(MemorySegment.ofArray("0123456789".getBytes()));
        far.write(bytes.address(), 10);
        MemorySegment first = arena.allocate(4);
        MemorySegment second = arena.allocate(10);
        assertEquals(10, near.read(first.address(), 4, second.address(), 10));
        assertEquals("0123", new String(first.toArray(JAVA_BYTE)));
        assertEquals("456789", new String(second.toArray(JAVA_BYTE)).substring(0, 6));
        assertEquals(TcpSocket.NOT_NOW, near.read(first.address(), 4, second.address(), 10));
    }

    @Test
    void shouldReportRoomAfterAFullBuffer() {
        long written = 0;
        for (int count = 0; count != TcpSocket.NOT_NOW; count = near.write(bytes.address(), (int) bytes.byteSize())) {
            written += count;
        }
        assertEquals(List.of(), news());
        while (written > 0) {
            written -= far.read(bytes.address(), (int) bytes.byteSize());
        }
        assertEquals(List.of("write"), news());
    }

    @Test
    void shouldReportTheEndOfTheStream() {
        far.write(bytes.address(), 3);
        far.endOutput();
        assertEquals(List.of("read end write"), news());
        assertEquals(3, near.read(bytes.address(), 100));
        assertEquals(TcpSocket.OVER, near.read(bytes.address(), 100));
    }

    @Test
    void shouldSleepUntilAnEventWithoutConsumingIt() {
        set.await(1);
        Thread.ofPlatform().start(() -> far.write(bytes.address(), 1));
        long beganNs = System.nanoTime();
        set.await(LONG_NS);
        set.await(LONG_NS);
        assertTrue(System.nanoTime() - beganNs < LONG_NS);
        assertEquals(List.of("read write"), news());
    }

    @Test
    void shouldWakeASleepingThread() {
        long beganNs = System.nanoTime();
        set.wakeup();
        set.await(LONG_NS);
        Thread.ofPlatform().start(set::wakeup);
        set.await(LONG_NS);
        assertTrue(System.nanoTime() - beganNs < LONG_NS);
        assertEquals(List.of(), news());
    }

    @Test
    void shouldIgnoreCallsAfterClose() {
        near.close();
        far.write(bytes.address(), 1);
        assertEquals(List.of(), news());
        assertEquals(TcpSocket.OVER, near.read(bytes.address(), 1));
        assertEquals(TcpSocket.OVER, near.write(bytes.address(), 1));
        assertEquals(0, near.segmentBytes());
        assertEquals(TcpSocket.OVER, far.read(bytes.address(), 1), "the other end hears of it");
    }

    @Test
    void shouldCloseAllWatchedConnections() {
        set.close();
        assertEquals(TcpSocket.OVER, near.read(bytes.address(), 1));
        assertEquals(TcpSocket.OVER, far.read(bytes.address(), 1));
    }

    /** The descriptors of the next set have the same numbers as those of the first. */
    @Test
    void shouldNotTouchDescriptorsOfALaterSet() throws Throwable {
        SocketSet first = set;
        far.close();
        first.close();
        open();
        far.write(bytes.address(), 1);
        assertEquals(0, first.poll());
        first.await(LONG_NS);
        assertEquals(List.of("read write"), news());
    }
}
