// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.udp.UdpLinkCase;
import org.softrdma.link.udp.UdpLinkOptions;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Udp;

/** Checks the IPv4 headers the kernel writes, through a raw socket. Needs Linux and CAP_NET_RAW. */
@Timeout(60)
class WirePeekTest {
    private static final Gid ALICE = Gid.ofIpv4(0x7f47_0101);
    private static final Gid BOB = Gid.ofIpv4(0x7f47_0102);
    private static final int SOCK_RAW_NONBLOCK = 3 | 0x800;

    private static final Linker LINKER = Linker.nativeLinker();

    private static MethodHandle call(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
    }

    @ParameterizedTest
    @EnumSource(UdpLinkCase.Kind.class)
    void shouldSendIdentificationZeroAndDontFragment(UdpLinkCase.Kind kind) throws Throwable {
        assumeTrue(System.getProperty("os.name").equals("Linux"));
        MethodHandle socket = call("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
        MethodHandle recv = call("recv", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
        int raw = (int) socket.invokeExact(LinuxSockets.AF_INET, SOCK_RAW_NONBLOCK, Ipv4.PROTOCOL_UDP);
        assumeTrue(raw >= 0, "no CAP_NET_RAW");
        int port;
        try (DatagramSocket any = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        UdpLinkOptions options = UdpLinkOptions.DEFAULT.withPort(port);
        try (Arena arena = Arena.ofConfined(); Link alice = kind.open(options, ALICE); Link bob = kind.open(options, BOB)) {
            TransmitBatch batch = new TransmitBatch(100, 1100);
            List<Path> paths = List.of(alice.resolve(PathRequest.v2(ALICE, BOB)),
                alice.resolve(PathRequest.v2(ALICE, BOB).withTrafficClass(0x28)));
            // A single packet is sent by another system call than a batch.
            batch.begin(paths.get(0));
            batch.commit(16);
            assertEquals(1, alice.send(batch));
            for (int i = 1; i < 100; i++) {
                batch.begin(paths.get(i & 1));
                batch.commit(16 + i);
            }
            assertEquals(99, alice.send(batch));
            assertEquals(List.of(BOB), bob.addresses());

            MemorySegment packet = arena.allocate(2048);
            ByteBuffer bytes = packet.asByteBuffer();
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            int seen = 0;
            while (seen < 100) {
                assertTrue(System.nanoTime() - deadlineNs < 0, "only " + seen + " packets seen");
                long length = (long) recv.invokeExact(raw, packet, packet.byteSize(), 0);
                if (length < Ipv4.LENGTH + Udp.LENGTH || Ipv4.source(bytes, 0) != ALICE.ipv4()) {
                    continue;
                }
                assertEquals(0, Ipv4.id(bytes, 0), "packet " + seen);
                assertTrue(Ipv4.dontFragment(bytes, 0), "packet " + seen);
                assertEquals(paths.get(seen & 1).trafficClass(), Ipv4.tos(bytes, 0));
                assertEquals(paths.get(0).sourcePort(), Udp.sourcePort(bytes, Ipv4.LENGTH));
                assertEquals(Udp.LENGTH + 16 + seen, Udp.length(bytes, Ipv4.LENGTH));
                seen++;
            }
        } finally {
            LinuxSockets.close(raw);
        }
    }
}
