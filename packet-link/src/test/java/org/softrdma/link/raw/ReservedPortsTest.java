// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/** Ports and groups on the loopback interface, checked against the kernel's lists. */
@EnabledOnOs(OS.LINUX)
class ReservedPortsTest {
    private static final Gid FIRST = Gid.ofIpv4(0x7f48_0101);
    private static final Gid SECOND = Gid.ofIpv4(0x7f48_0102);
    /** A group of this process alone: 239.72 and two bytes of its process ID. */
    private static final int GROUP = 0xef48_0000 | (int) ProcessHandle.current().pid() & 0xffff;

    private static boolean isMember() throws IOException {
        // The kernel prints a word in network order.
        return Files.readString(Path.of("/proc/net/igmp")).contains(String.format("%08X", Integer.reverseBytes(GROUP)));
    }

    @Test
    void shouldKeepMembershipsWhenAddressesChange() throws IOException {
        int port;
        try (DatagramSocket any = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        int loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()).getIndex();
        ReservedPorts ports = new ReservedPorts(new LinuxSockets(Arena.ofAuto()), port, loopback);
        Gid group = Gid.ofIpv4(GROUP);
        ports.reserve(FIRST);
        ports.join(group);
        assertTrue(isMember());
        ports.reserve(SECOND);
        ports.release(FIRST);
        assertTrue(isMember());
        ports.release(SECOND);
        ports.leave(group);
        assertFalse(isMember());
        ports.reserve(FIRST);
        ports.join(group);
        assertTrue(isMember());
        ports.close();
        assertFalse(isMember());
    }
}
