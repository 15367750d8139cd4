// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.raw.OwnNetwork;
import org.softrdma.verbs.Gid;

/** The interface of a UDP link is deleted and created again with the same name and address. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RecreatedInterfaceTest {
    private static final Gid LOCAL = Gid.ofIpv4(0x0a63_0001);
    private static final Gid GROUP = Gid.ofIpv4(0xef01_0203);
    private static final Gid IPV6_LOCAL = new Gid(0xfd99_0000_0000_0000L, 1);
    /** A link-scope group: the address alone does not determine the interface. */
    private static final Gid IPV6_GROUP = new Gid(0xff12_0000_0000_0000L, 0x1234);
    private static final UdpLinkOptions OPTIONS = UdpLinkOptions.DEFAULT.withInterface("v0");
    private static final int PACKET_BYTES = 64;
    private static final long POLL_INTERVAL_NS = 5_000_000;
    private static final long DEADLINE_NS = 10_000_000_000L;

    /** Creates the interface. The route to IPv6 groups appears a moment after the carrier. */
    private static void makeInterface() throws Exception {
        OwnNetwork.sh("""
            ip link add v0 type veth peer name v1
            ip addr add 10.99.0.1/24 dev v0
            ip addr add fd99::1/64 dev v0 nodad
            ip link set v0 up
            ip link set v1 up
            timeout 20 sh -c 'until ip -6 route get ff12::1234 oif v0 >/dev/null 2>&1; do sleep 0.02; done'""");
    }

    /** Whether a packet to the group is delivered to its member on this host within the deadline. */
    private static boolean reaches(Link link, Path path) {
        TransmitBatch batch = new TransmitBatch(1, PACKET_BYTES);
        int[] received = new int[1];
        long untilNs = System.nanoTime() + DEADLINE_NS;
        while (received[0] == 0 && System.nanoTime() - untilNs < 0) {
            batch.begin(path);
            batch.commit(PACKET_BYTES);
            link.send(batch);
            LockSupport.parkNanos(POLL_INTERVAL_NS);
            link.poll(frame -> received[0] += frame.local().equals(path.remote()) ? 1 : 0, 16);
        }
        return received[0] > 0;
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void shouldStayMemberOfItsGroups(boolean portable, boolean ipv6) throws Throwable {
        Gid local = ipv6 ? IPV6_LOCAL : LOCAL;
        Gid group = ipv6 ? IPV6_GROUP : GROUP;
        OwnNetwork.run(() -> {
            makeInterface();
            try (Link link = portable ? new NioUdpLink(List.of(local), OPTIONS) : new LinuxUdpLink(List.of(local), OPTIONS)) {
                link.join(group);
                Path path = link.resolve(PathRequest.v2(local, group).withHopLimit(1));
                assertTrue(reaches(link, path));
                int before = OwnNetwork.indexOf("v0");
                OwnNetwork.sh("ip link del v0");
                link.removeAddress(local);
                link.refresh(before);
                makeInterface();
                link.addAddress(local);
                link.refresh(OwnNetwork.indexOf("v0"));
                assertTrue(reaches(link, path));
                link.leave(group);
            }
        });
    }
}
