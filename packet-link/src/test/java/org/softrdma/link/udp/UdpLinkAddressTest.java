// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/** Addresses, groups and paths of both UDP links. */
@Timeout(60)
class UdpLinkAddressTest extends UdpLinkCase {
    /** Addresses of an interface change while the link is open. Resolved paths keep their socket: the address may return. */
    @ParameterizedTest
    @EnumSource
    void shouldAddAndRemoveAddressesWhileOpen(Kind kind) {
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

    /** Devices retry such an address twice a second while the interface has it. */
    @ParameterizedTest
    @EnumSource
    void shouldNotLeakMemoryForAddressesThatCannotBeBound(Kind kind) {
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
        // A selector releases closed channels in its next select; the first await returns at once because of the wakeup.
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

    /** Each link stands for a process: a packet to a group is delivered once to every member on the host, the sender included. */
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

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAGroupOfAnotherIpVersion(Kind kind) {
        Link alice = open(kind, ALICE);
        VerbsException refused = assertThrows(VerbsException.class, () -> alice.join(new Gid(0xff0eL << 48, 1)));
        assertEquals(List.of(Errno.EADDRNOTAVAIL, "attach_mcast"), List.of(refused.errno(), refused.verb()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameTheProcessThatHasThePort(Kind kind) {
        open(kind, ALICE);
        VerbsException taken = assertThrows(VerbsException.class, () -> open(kind, ALICE));
        assertEquals(Errno.EADDRINUSE, taken.errno());
        assertEquals("open_device", taken.verb());
        assertTrue(taken.getMessage().contains("127.71.0.1 port " + port), taken.getMessage());
        if (System.getProperty("os.name").equals("Linux")) {
            // Named by the program that Java runs, whatever that is for tests.
            assertTrue(taken.getMessage().contains("process " + ProcessHandle.current().pid() + " ("), taken.getMessage());
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

    @Test
    void shouldChooseTheImplementationByProperty() {
        String before = System.getProperty(UdpLinks.PROPERTY);
        try {
            System.setProperty(UdpLinks.PROPERTY, "nio");
            opened.add(UdpLinks.open(List.of(ALICE), port));
            assertTrue(opened.get(0) instanceof NioUdpLink);
            System.setProperty(UdpLinks.PROPERTY, "magic");
            VerbsException refused = assertThrows(VerbsException.class, () -> UdpLinks.open(List.of(BOB), port));
            assertEquals("open_device: Invalid argument (EINVAL): the system property softrdma.link is nio, linux or not set; "
                + "it is \"magic\"", refused.getMessage());
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
