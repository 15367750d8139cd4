// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.contract.AllocatedBytes;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;

/** Sending and receiving on both UDP links. */
@Timeout(60)
class UdpLinkTest extends UdpLinkCase {
    @ParameterizedTest
    @EnumSource
    void shouldCarryPacketsBothWaysOverIpv4(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        TransmitBatch batch = new TransmitBatch(8, 4200);
        Path there = alice.resolve(PathRequest.v2(ALICE, BOB));
        Path back = bob.resolve(PathRequest.v2(BOB, ALICE));

        put(batch, there, pattern(1, 16));
        put(batch, there, pattern(2, 4180));
        assertEquals(2, alice.send(batch));
        assertTrue(batch.isEmpty());
        List<Received> atBob = receive(bob, 2);
        put(batch, back, pattern(3, 1072));
        assertEquals(1, bob.send(batch));
        List<Received> atAlice = receive(alice, 1);

        assertArrayEquals(pattern(1, 16), atBob.get(0).bytes());
        assertArrayEquals(pattern(2, 4180), atBob.get(1).bytes());
        assertArrayEquals(pattern(3, 1072), atAlice.get(0).bytes());
        assertEquals(ALICE, atBob.get(0).remote());
        assertEquals(BOB, atBob.get(0).local());
        assertEquals(there.sourcePort(), atBob.get(0).sourcePort());
        assertEquals(there.destPort(), atBob.get(0).destPort());
        assertEquals(ReceivedFrame.IP_ID_HIDDEN, atBob.get(0).ipId());
        assertEquals(BOB, atAlice.get(0).remote());
        assertFalse(alice.deliversIpHeader());
        assertEquals(0, alice.sendErrors());
    }

    @ParameterizedTest
    @EnumSource
    void shouldServeSeveralAddressesOfBothVersions(Kind kind) {
        Link link = open(kind, ALICE, BOB, LOOPBACK6);
        TransmitBatch batch = new TransmitBatch(30, 256);
        Path[] paths = {link.resolve(PathRequest.v2(ALICE, BOB)), link.resolve(PathRequest.v2(LOOPBACK6, LOOPBACK6)),
            link.resolve(PathRequest.v2(BOB, ALICE))};
        for (int i = 0; i < 30; i++) {
            put(batch, paths[i % 3], pattern(i, 40 + i));
        }
        assertEquals(30, link.send(batch));

        List<Received> received = receive(link, 30);
        for (int p = 0; p < 3; p++) {
            Path path = paths[p];
            List<Received> mine = received.stream().filter(r -> r.local().equals(path.remote())).toList();
            assertEquals(10, mine.size());
            for (int i = 0; i < 10; i++) {
                assertArrayEquals(pattern(3 * i + p, 40 + 3 * i + p), mine.get(i).bytes());
                assertEquals(path.local(), mine.get(i).remote());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepOrderInBatchesLongerThanOneSystemCall(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        int count = 300;
        TransmitBatch batch = new TransmitBatch(count, 256);
        Path path = alice.resolve(PathRequest.v2(ALICE, BOB));
        for (int i = 0; i < count; i++) {
            put(batch, path, pattern(i, 100));
        }
        assertEquals(count, alice.send(batch));
        List<Received> received = receive(bob, count);
        for (int i = 0; i < count; i++) {
            assertArrayEquals(pattern(i, 100), received.get(i).bytes(), "packet " + i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldPollNoMoreThanAsked(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        TransmitBatch batch = new TransmitBatch(5, 64);
        Path path = alice.resolve(PathRequest.v2(ALICE, BOB));
        for (int i = 0; i < 5; i++) {
            put(batch, path, pattern(i, 32));
        }
        alice.send(batch);
        receive(bob, 1);
        AtomicInteger seen = new AtomicInteger();
        assertEquals(3, bob.poll(frame -> seen.incrementAndGet(), 3));
        assertEquals(3, seen.get());
        assertEquals(0, bob.poll(frame -> seen.incrementAndGet(), 0));
        assertEquals(1, bob.poll(frame -> seen.incrementAndGet(), 64));
        assertEquals(0, bob.poll(frame -> seen.incrementAndGet(), 64));
    }

    @ParameterizedTest
    @EnumSource
    void shouldDropAndCountWhatTheHostRefuses(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        TransmitBatch batch = new TransmitBatch(3, 70_000);
        Path path = alice.resolve(PathRequest.v2(ALICE, BOB));
        put(batch, path, pattern(1, 20));
        put(batch, path, pattern(2, 70_000));
        put(batch, path, pattern(3, 20));
        assertEquals(3, alice.send(batch));
        assertTrue(batch.isEmpty());
        assertEquals(1, alice.sendErrors());
        List<Received> received = receive(bob, 2);
        assertArrayEquals(pattern(1, 20), received.get(0).bytes());
        assertArrayEquals(pattern(3, 20), received.get(1).bytes());
    }

    @ParameterizedTest
    @EnumSource
    void shouldDropPacketsLongerThanItsBuffers(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        TransmitBatch batch = new TransmitBatch(3, 9000);
        Path path = alice.resolve(PathRequest.v2(ALICE, BOB));
        put(batch, path, pattern(1, ReceivedFrame.MAX_PACKET_BYTES + 1));
        put(batch, path, pattern(2, 9000));
        put(batch, path, pattern(3, ReceivedFrame.MAX_PACKET_BYTES));
        alice.send(batch);
        AtomicReference<Received> only = new AtomicReference<>();
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (only.get() == null && System.nanoTime() - deadlineNs < 0) {
            bob.poll(frame -> {
                assertNull(only.get());
                only.set(copy(frame));
            }, 8);
        }
        assertArrayEquals(pattern(3, ReceivedFrame.MAX_PACKET_BYTES), only.get().bytes());
        assertEquals(Map.of("frame_too_long", 2L), bob.counters());
    }

    @ParameterizedTest
    @EnumSource
    void shouldSurviveAnInterruptedCaller(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        TransmitBatch batch = new TransmitBatch(1, 64);
        Path path = alice.resolve(PathRequest.v2(ALICE, BOB));
        Thread.currentThread().interrupt();
        put(batch, path, pattern(4, 64));
        assertEquals(1, alice.send(batch));
        assertEquals(1, receive(bob, 1).size());
        assertTrue(Thread.interrupted());
        put(batch, path, pattern(5, 64));
        assertEquals(1, alice.send(batch));
        assertArrayEquals(pattern(5, 64), receive(bob, 1).get(0).bytes());
        assertEquals(0, alice.sendErrors());
    }

    @ParameterizedTest
    @EnumSource
    void shouldAcceptCallsAfterClose(Kind kind) {
        Link alice = open(kind, ALICE);
        TransmitBatch batch = new TransmitBatch(2, 64);
        Path path = alice.resolve(PathRequest.v2(ALICE, ALICE));
        put(batch, path, pattern(1, 64));
        put(batch, path, pattern(2, 64));
        alice.close();
        alice.close();
        alice.wakeup();
        assertEquals(2, alice.send(batch));
        assertEquals(2, alice.sendErrors());
        assertEquals(0, alice.poll(frame -> { }, 64));
        alice.await(DEADLINE_NS);
        open(kind, ALICE);
    }

    @Test
    void shouldDeliverTheTrafficClassOnLinux() {
        Link alice = open(Kind.LINUX, ALICE, LOOPBACK6);
        TransmitBatch batch = new TransmitBatch(3, 64);
        put(batch, alice.resolve(PathRequest.v2(ALICE, ALICE).withTrafficClass(0x6a)), pattern(1, 32));
        put(batch, alice.resolve(PathRequest.v2(LOOPBACK6, LOOPBACK6).withTrafficClass(0xb1)), pattern(2, 32));
        put(batch, alice.resolve(PathRequest.v2(ALICE, ALICE)), pattern(3, 32));
        assertEquals(3, alice.send(batch));
        List<Received> received = receive(alice, 3);
        for (Received packet : received) {
            int expected = Arrays.equals(packet.bytes(), pattern(1, 32)) ? 0x6a : Arrays.equals(packet.bytes(), pattern(2, 32)) ? 0xb1 : 0;
            assertEquals(expected, packet.trafficClass());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotAllocatePerPacket(Kind kind) throws Throwable {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        TransmitBatch batch = new TransmitBatch(32, 1100);
        Path path = alice.resolve(PathRequest.v2(ALICE, BOB));
        AtomicInteger received = new AtomicInteger();
        FrameHandler count = frame -> received.incrementAndGet();
        AtomicInteger runs = new AtomicInteger();
        long allocated = AllocatedBytes.leastOf(() -> {
            runs.incrementAndGet();
            exchange(alice, bob, batch, path, count, 300);
        });
        assertEquals(runs.get() * 300 * 32, received.get());
        // The smallest object per packet would be 153,600 bytes. The JDK creates a slice of the errno buffer for every system call, unless
        // its compiler removes it: 40 bytes for a batch of 32.
        assertTrue(allocated < 50_000, allocated + " bytes for 9,600 packets");
    }

    private static void exchange(Link from, Link to, TransmitBatch batch, Path path, FrameHandler handler, int rounds) {
        for (int i = 0; i < rounds; i++) {
            while (!batch.isFull()) {
                batch.begin(path);
                batch.commit(1072);
            }
            from.send(batch);
            int left = 32;
            long deadlineNs = System.nanoTime() + DEADLINE_NS;
            while (left > 0) {
                left -= to.poll(handler, 64);
                assertTrue(System.nanoTime() - deadlineNs < 0);
            }
        }
    }
}
