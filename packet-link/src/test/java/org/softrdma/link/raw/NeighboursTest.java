// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/** Neighbours on the loopback interface, which the kernel never resolves. */
@EnabledOnOs(OS.LINUX)
class NeighboursTest {
    private static final int FIRST = 0x7f48_0001;
    private static final int STRANGERS = 200;

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void shouldDiscardUnreferencedNeighbours() throws Exception {
        int loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()).getIndex();
        try (Neighbours neighbours = new Neighbours(new LinuxSockets(Arena.ofAuto()), loopback)) {
            Neighbour kept = neighbours.of(Gid.ofIpv4(FIRST));
            for (int i = 1; i <= STRANGERS; i++) {
                neighbours.of(Gid.ofIpv4(FIRST + i));
            }
            // A collected value is enqueued a moment later, and removed by the next call.
            while (neighbours.size() > 1) {
                System.gc();
                assertSame(kept, neighbours.of(kept.address()));
            }
            assertEquals(1, neighbours.size());
        }
    }
}
