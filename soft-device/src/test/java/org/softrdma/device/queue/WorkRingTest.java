// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.FlushFlags;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WrOpcode;

class WorkRingTest {
    private static final long PATIENCE_NS = 30_000_000_000L;

    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();

    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "2,2", "3,4", "4,4", "5,8", "1000,1024", "1024,1024", "1025,2048"})
    void shouldHoldAPowerOfTwo(int asked, int granted) {
        assertEquals(granted, new SendRing(asked, 1, 0).capacity());
        ReceiveRing ring = new ReceiveRing(asked, 1);
        assertEquals(granted, ring.capacity());
        for (int i = 0; i < granted; i++) {
            assertFalse(ring.isFull());
            ring.write(recv.begin(i));
            ring.publish();
        }
        assertTrue(ring.isFull());
        ring.release(1);
        assertFalse(ring.isFull());
    }

    @Test
    void shouldShowARecordOnlyOncePublished() {
        SendRing ring = new SendRing(4, 1, 0);
        ring.write(wr.send().wrId(1));
        assertEquals(0, ring.tail());
        ring.publish();
        assertEquals(1, ring.tail());
        assertEquals(0, ring.head());
    }

    @Test
    void shouldKeepEveryFieldOfASend() {
        SendRing ring = new SendRing(2, 3, 16);
        ring.write(wr.compareAndSwap(-16, 0xfedcba98, Long.MIN_VALUE, -2).wrId(-3).flags(0x15)
            .element(-1, -1, -5).element(0x10, 0x7fffffff, 6).element(0, 0, 0));
        ring.publish();
        assertEquals(-3, ring.wrId(0));
        assertEquals(WrOpcode.ATOMIC_CMP_AND_SWP.value(), ring.opcode(0));
        assertEquals(0x15, ring.flags(0));
        assertEquals(-16, ring.remoteAddress(0));
        assertEquals(0xfedcba98, ring.rkey(0));
        assertEquals(Long.MIN_VALUE, ring.compareAdd(0));
        assertEquals(-2, ring.swap(0));
        assertEquals(3, ring.elements(0));
        assertEquals("-1 4294967295 -5", ring.elementAddress(0, 0) + " " + ring.elementLength(0, 0) + " " + ring.elementLkey(0, 0));
        assertEquals("16 2147483647 6", ring.elementAddress(0, 1) + " " + ring.elementLength(0, 1) + " " + ring.elementLkey(0, 1));
        assertEquals(0xffffffffL + 0x7fffffffL, ring.length(0), "lengths are unsigned");
        ring.setPsns(0, 0xffffff, 3);
        assertEquals("16777215 3", ring.firstPsn(0) + " " + ring.packets(0));
        assertEquals(-2, ring.swap(0), "PSN fields do not overlap other fields");
        assertEquals(-1, ring.elementAddress(0, 0));
    }

    @Test
    void shouldKeepTheFieldsOfFlushAndBind() {
        SendRing ring = new SendRing(2, 1, 0);
        ring.write(wr.compareAndSwap(0, 0, -1, -1));
        ring.publish();
        ring.write(wr.flush(0, 0, -1, FlushFlags.GLOBAL | FlushFlags.PERSISTENT, FlushFlags.REGION));
        ring.publish();
        assertEquals("3 1 4294967295", ring.flushPlacement(1) + " " + ring.flushSelectivity(1) + " " + ring.flushLength(1));
        ring.release(1);
        ring.write(wr.bindWindow(1, 2, 3, 1L << 40, AccessFlags.REMOTE_WRITE));
        ring.publish();
        assertEquals(AccessFlags.REMOTE_WRITE + " 1099511627776", ring.bindAccess(2) + " " + ring.bindLength(2),
            "nothing is left of the atomic before");
    }

    /** The requester notes in the record how it cuts a READ or WRITE. */
    @Test
    void shouldKeepThePacketsOfARequest() {
        SendRing ring = new SendRing(2, 1, 0);
        for (int record = 0; record < 2; record++) {
            ring.write(wr.read(0x1000 + record, 0x22 + record).element(0, 99, 0));
            ring.publish();
        }
        ring.setRequestPackets(0, Integer.MAX_VALUE);
        ring.setRequestPackets(1, 256);
        assertEquals(Integer.MAX_VALUE, ring.requestPackets(0));
        assertEquals(256, ring.requestPackets(1));
        assertEquals(0x1001, ring.remoteAddress(1));
        assertEquals(0x23, ring.rkey(1));
        assertEquals(99, ring.length(1));
    }

    @Test
    void shouldKeepInlineDataWithinItsRecord() {
        SendRing ring = new SendRing(2, 1, 21);
        assertEquals(21, ring.maxInline());
        assertEquals(64, new SendRing(2, 4, 21).maxInline(), "elements reserve this space in any case");
        for (int record = 0; record < 2; record++) {
            ring.write(wr.sendWithImmediate(100 + record).wrId(record).flags(SendFlags.INLINE).element(0, 99, 0));
            for (int i = 0; i < 21; i++) {
                ring.memory().set(ValueLayout.JAVA_BYTE, ring.inlineOffset(ring.next()) + i, (byte) (record * 50 + i));
            }
            ring.setInlineLength(21);
            ring.publish();
        }
        for (int record = 0; record < 2; record++) {
            assertEquals(record, ring.wrId(record));
            assertEquals(100 + record, ring.immediate(record));
            assertEquals(21, ring.length(record));
            for (int i = 0; i < 21; i++) {
                assertEquals((byte) (record * 50 + i), ring.memory().get(ValueLayout.JAVA_BYTE, ring.inlineOffset(record) + i));
            }
        }
    }

    @Test
    void shouldPublishABatchAtOnceOrNotAtAll() {
        ReceiveRing ring = new ReceiveRing(4, 1);
        assertTrue(ring.isEmpty());
        ring.write(recv.begin(10));
        ring.publish();
        assertFalse(ring.isEmpty());
        for (int i = 1; i <= 2; i++) {
            ring.write(recv.begin(10 + i));
            ring.stage();
            assertEquals(1 + i, ring.next());
            assertEquals(1, ring.tail(), "invisible to the owner");
        }
        ring.discardStaged();
        assertEquals(1, ring.next());
        for (int i = 1; i <= 3; i++) {
            assertFalse(ring.isFull());
            ring.write(recv.begin(20 + i));
            ring.stage();
        }
        assertTrue(ring.isFull(), "staged records have slots");
        ring.publishStaged();
        assertEquals(4, ring.tail());
        assertEquals(4, ring.next());
        assertEquals("10 21 22 23", ring.wrId(0) + " " + ring.wrId(1) + " " + ring.wrId(2) + " " + ring.wrId(3));
        ring.release(3);
        assertFalse(ring.isEmpty());
        ring.release(4);
        assertTrue(ring.isEmpty());
    }

    @Test
    void shouldMoveAWholeReceiveToAnotherRing() {
        ReceiveRing shared = new ReceiveRing(2, 3);
        ReceiveRing taken = new ReceiveRing(1, 3);
        for (int wrId = 1; wrId <= 2; wrId++) {
            shared.write(recv.begin(wrId).element(100 * wrId, 10, 1).element(100 * wrId + 1, 20, 2).element(100 * wrId + 2, 30, 3));
            shared.publish();
        }
        shared.moveOldestTo(taken);
        assertEquals("1 2 0 1", shared.head() + " " + shared.tail() + " " + taken.head() + " " + taken.tail());
        assertEquals("1 60 3", taken.wrId(0) + " " + taken.length(0) + " " + taken.elements(0));
        for (int i = 0; i < 3; i++) {
            assertEquals((100 + i) + " " + 10 * (i + 1) + " " + (i + 1), taken.elementAddress(0, i) + " " + taken.elementLength(0, i) + " "
                + taken.elementLkey(0, i));
        }
        assertEquals(2, shared.wrId(1));
    }

    @Test
    void shouldKeepTheDestinationsOfDatagramsAndOfXrc() {
        SendRing ring = new SendRing(2, 1, 0);
        Destination[] destinations = {new Destination() { }, new Destination() { }, new Destination() { }};
        for (int i = 0; i < 3; i++) {
            ring.write(wr.send().wrId(i));
            ring.setDestination(destinations[i], 0xabcdef - i, 0x8001_0000 + i);
            ring.publish();
            if (i == 1) {
                ring.release(1);
            }
        }
        for (int i = 1; i < 3; i++) {
            assertSame(destinations[i], ring.destination(i));
            assertEquals(0xabcdef - i, ring.remoteQpn(i));
            assertEquals(0x8001_0000 + i, ring.remoteQkey(i));
        }
        ring.release(3);
        ring.write(wr.send().toSrq(0x123456));
        ring.publish();
        assertEquals(0x123456, ring.remoteSrqn(3));
        ring.write(wr.send());
        ring.publish();
        ring.release(4);
        ring.write(wr.send());
        ring.publish();
        assertEquals(0, ring.remoteSrqn(5), "nothing is left of the request before in this slot");
    }

    /** Sequence numbers keep growing while slots are reused; every record in the ring can be read at any time. */
    @Test
    void shouldWrapAroundManyTimes() {
        ReceiveRing ring = new ReceiveRing(8, 2);
        Random random = new Random(4);
        long head = 0;
        long tail = 0;
        for (int step = 0; step < 20_000; step++) {
            if (random.nextBoolean() && !ring.isFull()) {
                ring.write(recv.begin(tail * 3).element(tail, (int) tail & 0xffff, (int) -tail).element(-tail, 1, 7));
                ring.publish();
                tail++;
            } else if (head < tail) {
                head += 1 + random.nextInt((int) (tail - head));
                ring.release(head);
            }
            assertEquals(tail - head == 8, ring.isFull());
            assertEquals(tail, ring.tail());
            assertEquals(head, ring.head());
            for (long s = head; s < tail; s++) {
                assertEquals(s * 3, ring.wrId(s));
                assertEquals((s & 0xffff) + 1, ring.length(s));
                assertEquals(s, ring.elementAddress(s, 0));
                assertEquals((int) -s, ring.elementLkey(s, 0));
                assertEquals(-s, ring.elementAddress(s, 1));
            }
        }
        assertTrue(tail > 1_000, "it did wrap");
    }

    /** A poster and the device's owner run concurrently at full speed: every record arrives whole and in order. */
    @Test
    void shouldHandRecordsFromOneThreadToAnother() throws InterruptedException {
        final long records = 50_000;
        SendRing ring = new SendRing(16, 2, 0);
        AtomicReference<String> wrong = new AtomicReference<>();
        long endNs = System.nanoTime() + PATIENCE_NS;
        Thread owner = Thread.ofPlatform().start(() -> {
            long seen = 0;
            while (seen < records && wrong.get() == null) {
                long tail = ring.tail();
                for (; seen < tail; seen++) {
                    if (ring.wrId(seen) != seen || ring.length(seen) != (seen & 0xfff) + 1 || ring.elementAddress(seen, 1) != ~seen
                        || ring.remoteAddress(seen) != seen << 20) {
                        wrong.set("record " + seen + " arrived as " + ring.wrId(seen));
                    }
                }
                ring.release(tail);
                if (System.nanoTime() - endNs > 0) {
                    wrong.set("owner: not finished within 30 s, at " + seen);
                }
            }
        });
        for (long i = 0; i < records && wrong.get() == null; i++) {
            while (ring.isFull() && wrong.get() == null) {
                Thread.yield();
            }
            ring.write(wr.write(i << 20, 1).wrId(i).element(i, (int) (i & 0xfff), 0).element(~i, 1, 0));
            ring.publish();
        }
        owner.join();
        assertNull(wrong.get());
        assertEquals(records, ring.head());
    }
}
