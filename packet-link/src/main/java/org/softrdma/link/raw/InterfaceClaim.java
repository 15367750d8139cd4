// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * That RoCE v1 of an interface, or of one address of the loopback one, is one link's, whatever the process: v1 has no ports that could be
 * taken, every packet socket gets every frame, and each management datagram would be answered twice. What is taken is a name of the network
 * namespace, by a socket bound to it, which goes with the process. Source: unix(7), abstract names.
 */
final class InterfaceClaim implements AutoCloseable {
    private static final String PREFIX = "softrdma-roce-v1-";
    /** The family, and the zero byte that abstract names begin with. */
    private static final int NAME_AT = 3;

    private final int fd;

    /**
     * @param part what of the interface is claimed; empty for all of it
     * @throws VerbsException EADDRINUSE; others of the host
     */
    InterfaceClaim(LinuxSockets calls, String interfaceName, int interfaceIndex, String part) {
        fd = calls.localSocket();
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "open_device", "local socket");
        }
        byte[] name = (PREFIX + interfaceIndex + part).getBytes(StandardCharsets.US_ASCII);
        int error;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment address = call.allocate(NAME_AT + name.length, 8);
            address.set(JAVA_SHORT, 0, (short) LinuxSockets.AF_UNIX);
            MemorySegment.copy(name, 0, address, JAVA_BYTE, NAME_AT, name.length);
            error = calls.bind(fd, address, NAME_AT + name.length);
        }
        if (error < 0) {
            close();
            throw refused(LinuxSockets.errno(-error), interfaceName);
        }
    }

    private static VerbsException refused(Errno errno, String interfaceName) {
        return new VerbsException(errno, "open_device", errno == Errno.EADDRINUSE
            ? "RoCE v1 on " + interfaceName + " is taken by another process: give one of the two a network namespace of its own"
            : "RoCE v1 on " + interfaceName);
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
