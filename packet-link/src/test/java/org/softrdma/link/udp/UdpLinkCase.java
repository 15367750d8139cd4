// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;

/** Base of tests that both UDP links must pass, over loopback. */
@Timeout(60)
public abstract class UdpLinkCase {
    static final Gid ALICE = Gid.ofIpv4(0x7f47_0001);
    static final Gid BOB = Gid.ofIpv4(0x7f47_0002);
    static final Gid CAROL = Gid.ofIpv4(0x7f47_0003);
    static final Gid LOOPBACK6 = new Gid(0, 1);
    static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

    final List<Link> opened = new ArrayList<>();
    int port;

    /** The implementations; the Linux one on Linux only. */
    public enum Kind {
        NIO, LINUX;

        public Link open(UdpLinkOptions options, Gid... addresses) {
            if (this == NIO) {
                return new NioUdpLink(List.of(addresses), options);
            }
            assumeTrue(System.getProperty("os.name").equals("Linux"));
            // Without trains, which change ICRCs: these packets have none. TrainsTest tests trains.
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

    final Link open(Kind kind, Gid... addresses) {
        Link link = kind.open(UdpLinkOptions.DEFAULT.withPort(port), addresses);
        opened.add(link);
        return link;
    }

    /** A copy of a received packet. */
    record Received(byte[] bytes, Gid local, Gid remote, int sourcePort, int destPort, int ipId, int trafficClass) {
    }

    static Received copy(ReceivedFrame frame) {
        byte[] bytes = new byte[frame.length()];
        frame.buffer().get(frame.offset(), bytes);
        assertTrue(frame.offset() >= TransmitBatch.HEADROOM, "headroom");
        for (int i = frame.offset() - TransmitBatch.HEADROOM; i < frame.offset(); i++) {
            frame.buffer().put(i, (byte) 0xA5);
        }
        return new Received(bytes, frame.local(), new Gid(frame.remoteHigh(), frame.remoteLow()), frame.sourcePort(), frame.destPort(),
            frame.ipId(), frame.trafficClass());
    }

    static List<Received> receive(Link link, int count) {
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

    static byte[] pattern(int seed, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed * 31 + i * 7 + (i >> 8));
        }
        return bytes;
    }

    static void put(TransmitBatch batch, Path path, byte[] bytes) {
        batch.buffer().put(batch.begin(path), bytes);
        batch.commit(bytes.length);
    }
}
