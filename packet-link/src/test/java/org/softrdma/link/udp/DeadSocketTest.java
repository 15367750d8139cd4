// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;

/** A link whose socket was closed by other code reports itself as broken. */
@EnabledOnOs(OS.LINUX)
class DeadSocketTest {
    private static final Gid DAVE = Gid.ofIpv4(0x7f47_0004);

    /** Lists the descriptors of this process that are sockets. */
    private static Set<Integer> sockets() throws IOException {
        Set<Integer> sockets = new TreeSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors) {
                try {
                    if (Files.readSymbolicLink(each).toString().startsWith("socket:")) {
                        sockets.add(Integer.valueOf(each.getFileName().toString()));
                    }
                } catch (NoSuchFileException closedMeanwhile) {
                    continue;
                }
            }
        }
        return sockets;
    }

    @Test
    void shouldReportItselfAsBroken() throws IOException {
        int port;
        try (DatagramSocket any = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        Set<Integer> before = sockets();
        LinuxUdpLink link = new LinuxUdpLink(List.of(DAVE), UdpLinkOptions.DEFAULT.withPort(port));
        Set<Integer> own = sockets();
        own.removeAll(before);
        assertEquals(1, own.size(), "sockets of the link");
        int descriptor = own.iterator().next();
        assertEquals(0, link.poll(frame -> { }, 1));
        assertFalse(link.isBroken());

        LinuxSockets.close(descriptor);
        assertEquals(0, link.poll(frame -> { }, 1));
        assertTrue(link.isBroken());
        // The link closes the number again: it must be a socket of this test then, not another file.
        LinuxSockets calls = new LinuxSockets(Arena.ofAuto());
        List<Integer> lower = new ArrayList<>();
        int taken = calls.udpSocket(LinuxSockets.AF_INET);
        while (taken < descriptor) {
            lower.add(taken);
            taken = calls.udpSocket(LinuxSockets.AF_INET);
        }
        lower.forEach(LinuxSockets::close);
        assertEquals(descriptor, taken);
        link.close();
    }
}
