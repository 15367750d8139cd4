// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

class CompletionRingTest {
    private static final long PATIENCE_NS = 30_000_000_000L;

    private static boolean push(CompletionRing ring, long wrId) {
        return ring.push(wrId, WcStatus.SUCCESS, WcOpcode.SEND, 0, (int) wrId, 0, 0x11, 0, 0, -wrId);
    }

    @Test
    void shouldKeepEveryField() {
        CompletionRing ring = new CompletionRing(3);
        ring.push(-1, WcStatus.TM_RNDV_INCOMPLETE, WcOpcode.RECV_RDMA_WITH_IMM, 0x81, -2, 0xcafebabe, 0xffffff, 0x123456, 3, 99);
        WorkCompletion[] into = WorkCompletion.array(2);
        assertEquals(1, ring.take(into, 2));
        WorkCompletion got = into[0];
        assertEquals(-1, got.wrId());
        assertEquals(WcStatus.TM_RNDV_INCOMPLETE, got.status());
        assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, got.opcode());
        assertEquals(0x81, got.vendorError());
        assertEquals(-2, got.byteLength());
        assertEquals(0xcafebabe, got.immediate());
        assertEquals(0xffffff, got.qpNum());
        assertEquals(0x123456, got.sourceQp());
        assertEquals(3, got.flags());
    }

    /** The local route of a datagram has 4 bits of service level, 7 of path, and 16 of LID, as {@code ibv_wc} has them. */
    @Test
    void shouldKeepTheLocalRouteOfADatagram() {
        CompletionRing ring = new CompletionRing(2);
        WorkCompletion[] into = WorkCompletion.array(2);
        int route = 0x9 << CompletionSink.SL_SHIFT | 0x55 << CompletionSink.PATH_BITS_SHIFT | 0xbeef << CompletionSink.SLID_SHIFT;
        ring.push(1, WcStatus.SUCCESS, WcOpcode.RECV, 0, 40, 0, 0x11, 0x22, WcFlags.GRH | WcFlags.WITH_IMM | route, 0);
        ring.push(2, WcStatus.SUCCESS, WcOpcode.RECV, 0, 40, 0, 0x11, 0x22, WcFlags.GRH, 0);
        assertEquals(2, ring.take(into, 2));
        assertEquals(List.of(0x9, 0x55, 0xbeef, WcFlags.GRH | WcFlags.WITH_IMM),
            List.of(into[0].sl(), into[0].dlidPathBits(), into[0].slid(), into[0].flags()));
        assertEquals(List.of(0, 0, 0, WcFlags.GRH), List.of(into[1].sl(), into[1].dlidPathBits(), into[1].slid(), into[1].flags()));
    }

    @Test
    void shouldLetEveryFieldBeReadInPlace() {
        CompletionRing ring = new CompletionRing(3);
        CompletionRing.Cursor cursor = ring.new Cursor();
        assertFalse(cursor.begin());
        ring.push(-1, WcStatus.TM_RNDV_INCOMPLETE, WcOpcode.RECV_RDMA_WITH_IMM, 0x81, -2, 0xcafebabe, 0xffffff, 0x123456, 3, 99);
        assertTrue(cursor.begin());
        assertEquals(List.of(-1L, WcStatus.TM_RNDV_INCOMPLETE, WcOpcode.RECV_RDMA_WITH_IMM, 0x81, -2),
            List.of(cursor.wrId(), cursor.status(), cursor.opcode(), cursor.vendorError(), cursor.byteLength()));
        assertEquals(List.of(0xcafebabe, 0xffffff, 0x123456, 3, 99L),
            List.of(cursor.immediate(), cursor.qpNum(), cursor.sourceQp(), cursor.flags(), cursor.timestampNs()));
        assertFalse(cursor.next());
        assertEquals(-1, cursor.wrId(), "still there");
        assertTrue(push(ring, 5), "the owner can push while a reader holds the ring");
        assertTrue(cursor.next());
        assertEquals(5, cursor.wrId());
        cursor.end();
        assertEquals(0, ring.size());
        assertFalse(cursor.begin());
    }

    /** Each call of one thread leaves the ring free for another. */
    @Test
    void shouldLockNobodyOut() {
        CompletionRing ring = new CompletionRing(2);
        CompletionRing.Cursor cursor = ring.new Cursor();
        ring.capacity();
        assertFalse(ring.takers().isLocked());
        push(ring, 1);
        assertTrue(cursor.begin());
        assertThrows(VerbsException.class, () -> ring.new Cursor().begin());
        assertThrows(VerbsException.class, () -> ring.take(WorkCompletion.array(1), 1));
        assertEquals(1, ring.takers().getHoldCount(), "the reader's own");
        cursor.end();
        assertFalse(ring.takers().isLocked());
        push(ring, 2);
        ring.discard();
        assertFalse(ring.takers().isLocked());
        assertEquals(0, ring.size());
        assertEquals(0, ring.take(WorkCompletion.array(1), 1));
    }

    @Test
    void shouldLetAReaderFinishWhatWasDiscarded() {
        CompletionRing ring = new CompletionRing(2);
        CompletionRing.Cursor cursor = ring.new Cursor();
        push(ring, 1);
        push(ring, 2);
        assertTrue(cursor.begin());
        ring.discard();
        assertEquals(2, ring.size());
        assertTrue(cursor.next());
        assertEquals(2, cursor.wrId());
        cursor.end();
        assertEquals(0, ring.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 9, 100})
    void shouldKeepWhatItHoldsWhenResized(int capacity) {
        for (int taken = 0; taken < 5; taken++) {
            CompletionRing ring = new CompletionRing(5);
            WorkCompletion[] into = WorkCompletion.array(capacity);
            for (int i = 0; i < taken; i++) {
                push(ring, -1);
                ring.take(into, 1);
            }
            // From 1: a record that was not copied reads as 0.
            for (int i = 1; i <= 4; i++) {
                assertTrue(push(ring, i));
            }
            ring.resize(capacity);
            assertEquals(capacity, ring.capacity());
            for (int i = 5; i <= capacity; i++) {
                assertTrue(push(ring, i));
            }
            assertFalse(push(ring, 99));
            assertEquals(capacity, ring.take(into, capacity));
            for (int i = 1; i <= capacity; i++) {
                assertEquals(i, into[i - 1].wrId());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 100})
    void shouldHoldExactlyItsCapacity(int capacity) {
        CompletionRing ring = new CompletionRing(capacity);
        WorkCompletion[] into = WorkCompletion.array(capacity + 1);
        long next = 0;
        long expected = 0;
        for (int round = 0; round < 20; round++) {
            while (ring.size() < capacity) {
                assertTrue(push(ring, next++));
            }
            assertFalse(push(ring, -7), "a push to a full ring is refused");
            assertFalse(push(ring, -8));
            int ask = 1 + round % (capacity + 1);
            int count = ring.take(into, ask);
            assertEquals(Math.min(ask, capacity), count);
            for (int i = 0; i < count; i++) {
                assertEquals(expected++, into[i].wrId(), "in order, without the refused completions");
            }
        }
    }

    @Test
    void shouldTakeNoMoreThanThereIsRoomFor() {
        CompletionRing ring = new CompletionRing(8);
        for (int i = 0; i < 5; i++) {
            push(ring, i);
        }
        WorkCompletion[] two = WorkCompletion.array(2);
        assertEquals(0, ring.take(two, 0));
        assertEquals(2, ring.take(two, 8));
        assertEquals(1, two[1].wrId());
        assertEquals(1, ring.take(two, 1));
        assertEquals(2, two[0].wrId());
        assertEquals(1, two[1].wrId(), "untouched");
        assertEquals(2, ring.size());
        assertEquals(0, ring.take(new WorkCompletion[0], 5));
    }

    /** Four pollers and one device: each completion is taken once, and each poller sees its completions in order. */
    @Test
    void shouldDeliverEachCompletionToOnePoller() throws InterruptedException {
        final int total = 40_000;
        CompletionRing ring = new CompletionRing(57);
        AtomicInteger taken = new AtomicInteger();
        AtomicBoolean inOrder = new AtomicBoolean(true);
        List<BitSet> seen = new ArrayList<>();
        List<Thread> pollers = new ArrayList<>();
        long endNs = System.nanoTime() + PATIENCE_NS;
        for (int poller = 0; poller < 4; poller++) {
            BitSet mine = new BitSet(total);
            seen.add(mine);
            int batch = 1 + 5 * poller;
            pollers.add(Thread.ofPlatform().start(() -> {
                WorkCompletion[] into = WorkCompletion.array(batch);
                long last = -1;
                while (taken.get() < total && System.nanoTime() - endNs < 0) {
                    int count = ring.take(into, batch);
                    for (int i = 0; i < count; i++) {
                        if (into[i].wrId() <= last || into[i].byteLength() != (int) into[i].wrId()) {
                            inOrder.set(false);
                        }
                        last = into[i].wrId();
                        mine.set((int) last);
                    }
                    taken.addAndGet(count);
                    if (count == 0) {
                        Thread.yield();
                    }
                }
            }));
        }
        for (int i = 0; i < total && System.nanoTime() - endNs < 0; i++) {
            while (!push(ring, i) && System.nanoTime() - endNs < 0) {
                Thread.yield();
            }
        }
        for (Thread poller : pollers) {
            poller.join();
        }
        assertEquals(total, taken.get());
        assertTrue(inOrder.get());
        BitSet all = new BitSet(total);
        for (BitSet mine : seen) {
            assertFalse(all.intersects(mine), "no completion twice");
            all.or(mine);
        }
        assertEquals(total, all.cardinality());
        assertEquals(0, ring.size());
    }
}
