// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/** What both UDP links promise, over loopback. */
@Timeout(60)
public class UdpLinkTest {
    private static final Gid ALICE = Gid.ofIpv4(0x7f47_0001);
    private static final Gid BOB = Gid.ofIpv4(0x7f47_0002);
    private static final Gid CAROL = Gid.ofIpv4(0x7f47_0003);
    private static final Gid LOOPBACK6 = new Gid(0, 1);
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);
    /** When two threads have taken turns often enough: on a busy machine each turn takes a time slice. */
    private static final long ENOUGH_NS = TimeUnit.SECONDS.toNanos(10);

    private final List<Link> opened = new ArrayList<>();
    private int port;

    /** Both implementations; the Linux one on Linux only. */
    public enum Kind {
        NIO, LINUX;

        public Link open(UdpLinkOptions options, Gid... addresses) {
            if (this == NIO) {
                return new NioUdpLink(List.of(addresses), options);
            }
            assumeTrue(System.getProperty("os.name").equals("Linux"));
            // Trains change ICRCs, and these packets have none: TrainsTest is about them.
            return new LinuxUdpLink(List.of(addresses), options.withOffload(false));
        }
    }

    @BeforeEach
    void chooseFreePort() throws IOException {
        try (DatagramSocket any = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
    }

    @AfterEach
    void closeAll() {
        opened.forEach(Link::close);
    }

    private Link open(Kind kind, Gid... addresses) {
        Link link = kind.open(UdpLinkOptions.DEFAULT.withPort(port), addresses);
        opened.add(link);
        return link;
    }

    /** Packets as they came, copied. */
    private record Received(byte[] bytes, Gid local, Gid remote, int sourcePort, int destPort, int ipId, int trafficClass) {
    }

    private static Received copy(ReceivedFrame frame) {
        byte[] bytes = new byte[frame.length()];
        frame.buffer().get(frame.offset(), bytes);
        assertTrue(frame.offset() >= TransmitBatch.HEADROOM, "headroom");
        for (int i = frame.offset() - TransmitBatch.HEADROOM; i < frame.offset(); i++) {
            frame.buffer().put(i, (byte) 0xA5);
        }
        return new Received(bytes, frame.local(), new Gid(frame.remoteHigh(), frame.remoteLow()), frame.sourcePort(), frame.destPort(),
            frame.ipId(), frame.trafficClass());
    }

    private static List<Received> receive(Link link, int count) {
        List<Received> received = new ArrayList<>();
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (received.size() < count) {
            int before = received.size();
            int polled = link.poll(frame -> received.add(copy(frame)), count - before);
            assertEquals(received.size() - before, polled);
            if (polled == 0) {
                assertTrue(System.nanoTime() - deadlineNs < 0, "only " + received.size() + " of " + count + " packets came");
                link.await(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
        return received;
    }

    private static byte[] pattern(int seed, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed * 31 + i * 7 + (i >> 8));
        }
        return bytes;
    }

    private static void put(TransmitBatch batch, Path path, byte[] bytes) {
        batch.buffer().put(batch.begin(path), bytes);
        batch.commit(bytes.length);
    }

    /** As interfaces get and lose addresses. Paths that were resolved keep their socket: the address may come back. */
    @ParameterizedTest
    @EnumSource
    void shouldTakeAndGiveUpAddressesWhileOpen(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        TransmitBatch batch = new TransmitBatch(8, 4200);
        assertEquals(Errno.EADDRNOTAVAIL, assertThrows(VerbsException.class, () -> alice.resolve(PathRequest.v2(CAROL, BOB))).errno());
        alice.addAddress(CAROL);
        alice.addAddress(CAROL);
        assertEquals(List.of(ALICE, CAROL), alice.addresses());
        Path fromCarol = alice.resolve(PathRequest.v2(CAROL, BOB));
        put(batch, fromCarol, pattern(1, 100));
        assertEquals(1, alice.send(batch));
        assertEquals(CAROL, receive(bob, 1).getFirst().remote());
        put(batch, bob.resolve(PathRequest.v2(BOB, CAROL)), pattern(2, 100));
        assertEquals(1, bob.send(batch));
        assertEquals(CAROL, receive(alice, 1).getFirst().local());

        alice.removeAddress(CAROL);
        assertEquals(List.of(ALICE), alice.addresses());
        assertEquals(Errno.EADDRNOTAVAIL, assertThrows(VerbsException.class, () -> alice.resolve(PathRequest.v2(CAROL, BOB))).errno());
        put(batch, fromCarol, pattern(3, 100));
        assertEquals(1, alice.send(batch));
        assertEquals(CAROL, receive(bob, 1).getFirst().remote());
        assertEquals(Errno.EADDRINUSE, assertThrows(VerbsException.class, () -> bob.addAddress(CAROL)).errno());
        assertEquals(List.of(BOB), bob.addresses());
        alice.addAddress(CAROL);
        assertEquals(List.of(ALICE, CAROL), alice.addresses());
        assertFalse(alice.isBroken());
    }

    /** Devices try such an address twice a second, as long as the interface has it. */
    @ParameterizedTest
    @EnumSource
    void shouldKeepNoMemoryOfAddressesThatCouldNotBeUsed(Kind kind) {
        Link alice = open(kind, ALICE);
        open(kind, CAROL);
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
        long before = 0;
        for (int i = 0; i < 11; i++) {
            assertEquals(Errno.EADDRINUSE, assertThrows(VerbsException.class, () -> alice.addAddress(CAROL)).errno());
            before = i == 0 ? direct.getCount() : before;
        }
        assertTrue(direct.getCount() <= before, direct.getCount() + " pieces of native memory, after the first attempt " + before);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFreeAnAddressThatNoPathNeeds(Kind kind) {
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        alice.addAddress(CAROL);
        alice.removeAddress(CAROL);
        // A selector lets go of closed channels when it looks next; the first await ends at once, as the link was woken.
        alice.await(1);
        alice.await(1);
        bob.addAddress(CAROL);
        assertEquals(List.of(ALICE), alice.addresses());
        assertEquals(List.of(BOB, CAROL), bob.addresses());
        TransmitBatch batch = new TransmitBatch(1, 100);
        put(batch, bob.resolve(PathRequest.v2(CAROL, ALICE)), pattern(1, 16));
        assertEquals(1, bob.send(batch));
        assertEquals(CAROL, receive(alice, 1).getFirst().remote());
    }

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

    /** Each link here stands for a process: what is sent to a group comes to every member on the host, the sender included, once. */
    @ParameterizedTest
    @EnumSource
    void shouldDeliverToEveryMemberOfAGroupOnTheHost(Kind kind) {
        Gid group = Gid.ofIpv4(0xef47_0001);
        Link alice = open(kind, ALICE);
        Link bob = open(kind, BOB);
        Link carol = open(kind, CAROL);
        List<Link> members = List.of(alice, bob);
        members.forEach(link -> link.join(group));
        TransmitBatch batch = new TransmitBatch(8, 4200);
        Path toGroup = alice.resolve(PathRequest.v2(ALICE, group).withHopLimit(1));
        Path toBob = alice.resolve(PathRequest.v2(ALICE, BOB));
        put(batch, toGroup, pattern(1, 1072));
        put(batch, toBob, pattern(2, 16));
        assertEquals(2, alice.send(batch));

        List<Received> atBob = receive(bob, 2);
        List<Received> ofGroup = new ArrayList<>(receive(alice, 1));
        ofGroup.addAll(atBob.stream().filter(packet -> packet.local().equals(group)).toList());
        assertEquals(2, ofGroup.size());
        for (Received each : ofGroup) {
            assertEquals(group, each.local());
            assertEquals(ALICE, each.remote());
            assertEquals(port, each.sourcePort());
            assertArrayEquals(pattern(1, 1072), each.bytes());
        }
        assertTrue(atBob.stream().anyMatch(packet -> packet.local().equals(BOB)), "its own address is served as before");

        bob.leave(group);
        put(batch, toGroup, pattern(3, 16));
        put(batch, toBob, pattern(4, 16));
        put(batch, alice.resolve(PathRequest.v2(ALICE, CAROL)), pattern(5, 16));
        alice.send(batch);
        assertArrayEquals(pattern(3, 16), receive(alice, 1).getFirst().bytes());
        assertArrayEquals(pattern(4, 16), receive(bob, 1).getFirst().bytes(), "not what went to the group before");
        assertArrayEquals(pattern(5, 16), receive(carol, 1).getFirst().bytes(), "never joined");
        assertEquals(0, alice.sendErrors());
    }

    /** A thread that is parked when the group is joined is woken by the group's packets all the same. */
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
    void shouldRefuseAGroupOfAnotherIpVersion(Kind kind) {
        Link alice = open(kind, ALICE);
        VerbsException refused = assertThrows(VerbsException.class, () -> alice.join(new Gid(0xff0eL << 48, 1)));
        assertEquals(List.of(Errno.EADDRNOTAVAIL, "attach_mcast"), List.of(refused.errno(), refused.verb()));
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
        assertEquals(2, ((UdpLink) bob).oversized());
    }

    @ParameterizedTest
    @EnumSource
    void shouldSaySoWhenThePortIsTaken(Kind kind) {
        open(kind, ALICE);
        VerbsException taken = assertThrows(VerbsException.class, () -> open(kind, ALICE));
        assertEquals(Errno.EADDRINUSE, taken.errno());
        assertEquals("open_device", taken.verb());
        assertTrue(taken.getMessage().contains("127.71.0.1 port " + port), taken.getMessage());
        if (System.getProperty("os.name").equals("Linux")) {
            assertTrue(taken.getMessage().contains("process " + ProcessHandle.current().pid()), taken.getMessage());
            assertTrue(taken.getMessage().contains("java"), taken.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCloseWhatItOpenedWhenALaterAddressFails(Kind kind) {
        Link bob = open(kind, BOB);
        assertThrows(VerbsException.class, () -> open(kind, ALICE, BOB));
        bob.close();
        open(kind, ALICE, BOB);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAddressesTheHostDoesNotHave(Kind kind) {
        VerbsException absent = assertThrows(VerbsException.class, () -> open(kind, Gid.ofIpv4(0xcb00_7107)));
        assertEquals(Errno.EADDRNOTAVAIL, absent.errno());
        assertTrue(absent.getMessage().contains("203.0.113.7"), absent.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAddressesThatAreNotUnicast(Kind kind) {
        for (Gid wrong : List.of(Gid.ZERO, Gid.ofIpv4(0), Gid.ofIpv4(0xe000_0001), new Gid(0xff02L << 48, 1))) {
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> open(kind, wrong)).errno());
        }
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> open(kind)).errno());
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefusePathsThatLeadNowhere(Kind kind) {
        Link alice = open(kind, ALICE);
        Gid world = Gid.ofIpv4(0xcb00_7107);
        VerbsException fromLoopback = assertThrows(VerbsException.class, () -> alice.resolve(PathRequest.v2(ALICE, world)));
        assertEquals(Errno.ENETUNREACH, fromLoopback.errno());
        assertTrue(fromLoopback.getMessage().contains("203.0.113.7"), fromLoopback.getMessage());
        assertEquals(Errno.EADDRNOTAVAIL, assertThrows(VerbsException.class, () -> alice.resolve(PathRequest.v2(BOB, ALICE))).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> alice.resolve(PathRequest.v2(ALICE, LOOPBACK6))).errno());
    }

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
    void shouldTakeCallsAfterClose(Kind kind) {
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
        long allocated = AllocatedBytes.leastOf(() -> exchange(alice, bob, batch, path, count, 300));
        assertEquals(10 * 300 * 32, received.get());
        // The smallest object per packet would be 153,600 bytes. The JDK makes a slice of the errno buffer for every system call, unless
        // its compiler proves it away: 40 bytes for a batch of 32.
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

    @Test
    void shouldChooseTheImplementationByProperty() {
        String before = System.getProperty(UdpLinks.PROPERTY);
        try {
            System.setProperty(UdpLinks.PROPERTY, "nio");
            opened.add(UdpLinks.open(List.of(ALICE), port));
            assertTrue(opened.get(0) instanceof NioUdpLink);
            System.setProperty(UdpLinks.PROPERTY, "magic");
            assertThrows(IllegalArgumentException.class, () -> UdpLinks.open(List.of(BOB), port));
            System.clearProperty(UdpLinks.PROPERTY);
            opened.add(UdpLinks.open(List.of(BOB), port));
            assertEquals(System.getProperty("os.name").equals("Linux"), opened.get(1) instanceof LinuxUdpLink);
            assertTrue(opened.get(1).description().contains("127.71.0.2"), opened.get(1).description());
        } finally {
            if (before == null) {
                System.clearProperty(UdpLinks.PROPERTY);
            } else {
                System.setProperty(UdpLinks.PROPERTY, before);
            }
        }
    }
}
