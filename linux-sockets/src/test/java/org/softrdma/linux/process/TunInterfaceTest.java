// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Runs itself in a network namespace of its own, in which it makes interfaces and plays the host behind one. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TunInterfaceTest {
    private static final String NAME = "ib0";
    private static final int MTU = 2044;
    private static final int ADDRESSES_AT = 12;
    private static final int UDP_AT = 20;

    @Test
    void shouldExchangePacketsWithTheHost() throws Exception {
        OwnNamespace.assertPrintsNothing(TunInterfaceTest.class);
    }

    @Test
    void shouldRefuseNamesThatNoInterfaceHas() {
        Commands.assumeLinux();
        for (String name : new String[] {"", "sixteen-bytes-it"}) {
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> new TunInterface(name)).errno());
        }
    }

    /** Prints whatever is not as it should be. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (TunInterface tun = new TunInterface(NAME); EpollSet ready = new EpollSet(); Arena arena = Arena.ofConfined()) {
            expect(tun.setLinkType(TunInterface.INFINIBAND), "the link type");
            expect(tun.setMtu(MTU), "the MTU");
            String shown = OwnNamespace.run("ip", "link", "show", NAME);
            expect(shown.contains("link/infiniband") && shown.contains("mtu " + MTU + " "), shown);
            for (String line : new String[] {"addr add 10.9.0.1/24 dev ib0", "link set ib0 up"}) {
                expect(OwnNamespace.run(("ip " + line).split(" ")).isEmpty(), line);
            }
            expect(!tun.setLinkType(TunInterface.INFINIBAND), "the link type of an interface that is up");
            try (TunInterface second = new TunInterface(NAME)) {
                System.out.println("two processes have " + second.name());
            } catch (VerbsException busy) {
                expect(busy.errno() == Errno.EBUSY, busy.getMessage());
            }
            ready.add(tun.fd(), EpollSet.READABLE, 0);
            echo(tun, ready, arena.allocate(MTU));
        }
        expect(OwnNamespace.run("ip", "link", "show", NAME).contains("does not exist"), "the interface stays");
    }

    /** Sends from the host to a neighbour, and lets the neighbour return it. */
    private static void echo(TunInterface tun, EpollSet ready, MemorySegment packet) throws IOException {
        byte[] text = "by the interface".getBytes(StandardCharsets.US_ASCII);
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName("10.9.0.1"))) {
            socket.setSoTimeout(10_000);
            socket.send(new DatagramPacket(text, text.length, InetAddress.getByName("10.9.0.2"), 4000));
            int length = read(tun, ready, packet);
            byte[] addresses = packet.asSlice(ADDRESSES_AT, 8).toArray(JAVA_BYTE);
            byte[] ports = packet.asSlice(UDP_AT, 4).toArray(JAVA_BYTE);
            for (int i = 0; i < 8; i++) {
                packet.set(JAVA_BYTE, ADDRESSES_AT + i, addresses[(i + 4) % 8]);
            }
            for (int i = 0; i < 4; i++) {
                packet.set(JAVA_BYTE, UDP_AT + i, ports[(i + 2) % 4]);
            }
            expect(tun.write(packet, length), "written");
            DatagramPacket back = new DatagramPacket(new byte[MTU], MTU);
            socket.receive(back);
            String said = new String(back.getData(), 0, back.getLength(), StandardCharsets.US_ASCII);
            expect(said.equals("by the interface"), said);
        }
    }

    /** The host also sends packets of its own, of IPv6. */
    private static int read(TunInterface tun, EpollSet ready, MemorySegment packet) {
        for (int i = 0; i < 100; i++) {
            int length = tun.read(packet);
            if (length > 0 && packet.get(JAVA_BYTE, 0) >>> 4 == 4) {
                return length;
            }
            if (length == 0) {
                ready.await(TimeUnit.SECONDS.toNanos(1));
            }
        }
        System.out.println("no packet came");
        return 0;
    }

    private static void expect(boolean condition, String what) {
        if (!condition) {
            System.out.println("not as expected: " + what);
        }
    }
}
