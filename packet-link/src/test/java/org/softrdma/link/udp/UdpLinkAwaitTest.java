// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;

/** Waiting on both UDP links: wakeups, packets, and polling after a long silence. */
@Timeout(60)
class UdpLinkAwaitTest extends UdpLinkCase {
    /** Time after which the threads stop taking turns: on a busy machine each turn takes a time slice. */
    private static final long ENOUGH_NS = TimeUnit.SECONDS.toNanos(10);

    @ParameterizedTest
    @EnumSource
    void shouldReturnFromAwaitAtOnceAfterAWakeup(Kind kind) {
        Link alice = open(kind, ALICE);
        alice.wakeup();
        alice.wakeup();
        long startNs = System.nanoTime();
        alice.await(DEADLINE_NS);
        assertTrue(System.nanoTime() - startNs < DEADLINE_NS / 2);
        startNs = System.nanoTime();
        alice.await(TimeUnit.MILLISECONDS.toNanos(3));
        assertTrue(System.nanoTime() - startNs >= TimeUnit.MILLISECONDS.toNanos(2), "two wakeups end one await");
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeverLoseAWakeup(Kind kind) throws InterruptedException {
        Link link = open(kind, ALICE);
        int rounds = 20_000;
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        AtomicLong slowestNs = new AtomicLong();
        Thread owner = Thread.ofPlatform().start(() -> {
            int done = 0;
            while (done != rounds) {
                int now = asked.get();
                if (now == done) {
                    long startNs = System.nanoTime();
                    link.await(DEADLINE_NS);
                    slowestNs.set(Math.max(slowestNs.get(), System.nanoTime() - startNs));
                } else {
                    done = now;
                    answered.set(done);
                }
            }
        });
        long enoughNs = System.nanoTime() + ENOUGH_NS;
        for (int i = 1; answered.get() != rounds && owner.isAlive(); i++) {
            int next = System.nanoTime() - enoughNs < 0 ? i : rounds;
            asked.set(next);
            link.wakeup();
            while (answered.get() != next && owner.isAlive()) {
                Thread.yield();
            }
        }
        owner.join();
        assertTrue(slowestNs.get() < DEADLINE_NS / 2, "one await took " + slowestNs.get() + " ns: a wakeup was lost");
    }

    @ParameterizedTest
    @EnumSource
    void shouldReturnFromAwaitWhenAPacketComes(Kind kind) throws InterruptedException {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        AtomicInteger rounds = new AtomicInteger(2_000);
        AtomicLong slowestNs = new AtomicLong();
        AtomicInteger received = new AtomicInteger();
        Thread owner = Thread.ofPlatform().start(() -> {
            while (received.get() < rounds.get()) {
                if (bob.poll(frame -> received.incrementAndGet(), 64) == 0) {
                    long startNs = System.nanoTime();
                    bob.await(DEADLINE_NS);
                    slowestNs.set(Math.max(slowestNs.get(), System.nanoTime() - startNs));
                }
            }
        });
        TransmitBatch batch = new TransmitBatch(1, 64);
        Path path = alice.resolve(PathRequest.v2(ALICE, BOB));
        long enoughNs = System.nanoTime() + ENOUGH_NS;
        for (int i = 1; i <= rounds.get(); i++) {
            if (System.nanoTime() - enoughNs > 0) {
                rounds.set(i);
            }
            put(batch, path, pattern(i, 64));
            alice.send(batch);
            while (received.get() < i && owner.isAlive()) {
                Thread.yield();
            }
        }
        owner.join();
        assertTrue(slowestNs.get() < DEADLINE_NS / 2, "one await took " + slowestNs.get() + " ns");
    }

    /** A thread that parked before the group was joined is woken by the group's packets. */
    @ParameterizedTest
    @EnumSource
    void shouldWakeUpForAGroupJoinedWhileParked(Kind kind) throws InterruptedException {
        Gid group = Gid.ofIpv4(0xef47_0002);
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        AtomicInteger wakeups = new AtomicInteger();
        Thread parked = Thread.ofPlatform().start(() -> {
            while (wakeups.get() < 2) {
                bob.await(TimeUnit.SECONDS.toNanos(50));
                wakeups.incrementAndGet();
            }
        });
        while (parked.getState() == Thread.State.NEW || parked.getStackTrace().length == 0) {
            Thread.onSpinWait();
        }
        bob.join(group);
        TransmitBatch batch = new TransmitBatch(1, 64);
        put(batch, alice.resolve(PathRequest.v2(ALICE, group).withHopLimit(1)), pattern(1, 16));
        alice.send(batch);
        assertTrue(parked.join(java.time.Duration.ofSeconds(20)), "woken " + wakeups + " times");
        assertEquals(group, receive(bob, 1).getFirst().local());
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindPacketsAfterALongSilence(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB, LOOPBACK6);
        for (int i = 0; i < 5_000; i++) {
            assertEquals(0, bob.poll(frame -> { }, 64));
        }
        TransmitBatch batch = new TransmitBatch(1, 64);
        put(batch, alice.resolve(PathRequest.v2(ALICE, BOB)), pattern(9, 64));
        alice.send(batch);
        bob.await(DEADLINE_NS);
        assertEquals(1, bob.poll(frame -> assertArrayEquals(pattern(9, 64), copy(frame).bytes()), 64));
    }
}
