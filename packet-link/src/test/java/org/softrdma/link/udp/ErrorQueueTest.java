// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.DatagramSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.raw.OwnNetwork;
import org.softrdma.verbs.Gid;

/** Two links, and an address without one, for which this host reports the port as unreachable. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class ErrorQueueTest {
    private static final int PACKETS = 40;
    private static final int PACKET_BYTES = 280;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    /** Counts the packets and returned packets of a link. */
    private static final class Received implements FrameHandler {
        final List<String> received = new ArrayList<>();
        final List<String> returned = new ArrayList<>();

        @Override
        public void onFrame(ReceivedFrame frame) {
            received.add(text(frame));
        }

        @Override
        public void onReturned(ReceivedFrame packet) {
            returned.add(text(packet));
        }

        private static String text(ReceivedFrame frame) {
            byte[] bytes = new byte[frame.length()];
            frame.buffer().get(frame.offset(), bytes);
            return frame.local() + " " + new Gid(frame.remoteHigh(), frame.remoteLow()) + " " + Arrays.toString(bytes);
        }

        void await(Link link, int receivedCount, int returnedCount) {
            long untilNs = System.nanoTime() + DEADLINE_NS;
            while (received.size() < receivedCount || returned.size() < returnedCount) {
                assertTrue(System.nanoTime() - untilNs < 0, received.size() + " came, " + returned.size() + " returned");
                if (link.poll(this, 64) == 0) {
                    link.await(TimeUnit.MILLISECONDS.toNanos(100));
                }
            }
        }
    }

    private static byte[] packet(int number) {
        byte[] bytes = new byte[PACKET_BYTES];
        Arrays.fill(bytes, (byte) number);
        return bytes;
    }

    private static String text(Gid local, Gid remote, int number) {
        return local + " " + remote + " " + Arrays.toString(packet(number));
    }

    /** With packets to both addresses in turns, those to the closed port are returned, and all others are received. */
    private static void shouldReturnPacketsToAClosedPort(Gid alice, Gid bob, Gid nobody) throws Exception {
        int port;
        try (DatagramSocket any = new DatagramSocket(0)) {
            port = any.getLocalPort();
        }
        UdpLinkOptions options = UdpLinkOptions.DEFAULT.withPort(port).withOffload(false);
        LinuxUdpLink from = new LinuxUdpLink(List.of(alice), options);
        LinuxUdpLink to = new LinuxUdpLink(List.of(bob), options);
        try {
            Path toBob = from.resolve(PathRequest.v2(alice, bob));
            // With a traffic class, the error has an additional control message.
            Path toNobody = from.resolve(PathRequest.v2(alice, nobody).withTrafficClass(8));
            TransmitBatch batch = new TransmitBatch(PACKETS, PACKET_BYTES);
            List<String> arriving = new ArrayList<>();
            List<String> returning = new ArrayList<>();
            for (int i = 0; i < PACKETS; i++) {
                boolean lost = i % 3 != 1;
                batch.buffer().put(batch.begin(lost ? toNobody : toBob), packet(i));
                batch.commit(PACKET_BYTES);
                (lost ? returning : arriving).add(lost ? text(alice, nobody, i) : text(bob, alice, i));
            }
            assertEquals(PACKETS, from.send(batch));
            Received receivedByBob = new Received();
            receivedByBob.await(to, arriving.size(), 0);
            assertEquals(arriving, receivedByBob.received);
            Received receivedByAlice = new Received();
            receivedByAlice.await(from, 0, returning.size());
            assertEquals(returning, receivedByAlice.returned);
            assertEquals(List.of(), receivedByAlice.received);
            assertEquals(0, from.sendErrors());
        } finally {
            from.close();
            to.close();
        }
    }

    @Test
    void shouldReturnPacketsToAClosedPortOverIpv4() throws Exception {
        shouldReturnPacketsToAClosedPort(Gid.ofIpv4(0x7f47_0101), Gid.ofIpv4(0x7f47_0102), Gid.ofIpv4(0x7f47_0103));
    }

    @Test
    void shouldReturnPacketsToAClosedPortOverIpv6() throws Throwable {
        long high = 0xfd00_0000_0000_0000L;
        OwnNetwork.run(() -> {
            OwnNetwork.sh("for i in 1 2 3; do ip addr add fd00::$i/128 dev lo nodad; done");
            shouldReturnPacketsToAClosedPort(new Gid(high, 1), new Gid(high, 2), new Gid(high, 3));
        });
    }

    /**
     * With IP_RECVERR, the system also reports full queues on the way out. Each packet is attempted once, except one that follows packets
     * sent successfully by the same call: the call ends there.
     */
    @Test
    void shouldCountPacketsDroppedByAFullQueue() throws Throwable {
        OwnNetwork.run(() -> {
            String shaped = OwnNetwork.sh("tc qdisc add dev lo root tbf rate 8kbit burst 2000 limit 3000 && echo yes || echo no");
            assumeTrue(shaped.endsWith("yes\n"), "the host's kernel has no queue that is slow: " + shaped);
            LinuxUdpLink link = new LinuxUdpLink(List.of(Gid.ofIpv4(0x7f47_0201)), UdpLinkOptions.DEFAULT.withOffload(false));
            try {
                Path path = link.resolve(PathRequest.v2(Gid.ofIpv4(0x7f47_0201), Gid.ofIpv4(0x7f47_0202)));
                TransmitBatch batch = new TransmitBatch(PACKETS, PACKET_BYTES);
                for (int i = 0; i < PACKETS; i++) {
                    batch.buffer().put(batch.begin(path), packet(i));
                    batch.commit(PACKET_BYTES);
                }
                assertEquals(PACKETS, link.send(batch));
                assertTrue(link.sendErrors() > 0 && link.sendErrors() < PACKETS, "dropped: " + link.sendErrors());
                String dropped = OwnNetwork.sh("tc -s qdisc show dev lo | sed -n 's/.*(dropped \\([0-9]*\\),.*/\\1/p'");
                long tries = Long.parseLong(dropped.strip());
                assertTrue(tries >= link.sendErrors() && tries <= PACKETS, tries + " tries, " + link.sendErrors() + " packets");
            } finally {
                link.close();
            }
        });
    }

    /** A send by an interface that is down fails at once; this is no unreachable port. */
    @Test
    void shouldReturnNothingWithoutARoute() throws Throwable {
        OwnNetwork.run(() -> {
            OwnNetwork.sh("ip link add wire type veth peer name far; ip link set far up");
            OwnNetwork.sh("ip addr add 10.1.0.1/24 dev wire; ip link set wire up");
            LinuxUdpLink link = new LinuxUdpLink(List.of(Gid.ofIpv4(0x0a01_0001)), UdpLinkOptions.DEFAULT.withOffload(false));
            try {
                Path path = link.resolve(PathRequest.v2(Gid.ofIpv4(0x0a01_0001), Gid.ofIpv4(0x0a01_0002)));
                OwnNetwork.sh("ip link set wire down");
                TransmitBatch batch = new TransmitBatch(1, PACKET_BYTES);
                batch.buffer().put(batch.begin(path), packet(1));
                batch.commit(PACKET_BYTES);
                assertEquals(1, link.send(batch));
                assertEquals(1, link.sendErrors());
                Received heard = new Received();
                assertEquals(0, link.poll(heard, 64));
                assertEquals(List.of(), heard.returned);
            } finally {
                link.close();
            }
        });
    }
}
