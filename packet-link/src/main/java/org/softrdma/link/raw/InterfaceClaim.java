// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Exclusive use of RoCE v1 on an interface, or on one address of the loopback interface, across processes. v1 has no ports that could be
 * taken, every packet socket receives every frame, and each management datagram would be answered twice. The claim is a socket bound to an
 * abstract name in the network namespace, which is released when the process ends. Source: unix(7), abstract names.
 */
final class InterfaceClaim implements AutoCloseable {
    private static final String PREFIX = "softrdma-roce-v1-";

    private final int fd;

    /**
     * Makes the claim.
     *
     * @param part suffix for a part of the interface; empty for all of it
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
            MemorySegment address = LinuxSockets.abstractAddress(call, name);
            error = calls.bind(fd, address, (int) address.byteSize());
        }
        if (error < 0) {
            close();
            throw refused(LinuxSockets.errno(-error), interfaceName);
        }
    }

    private static VerbsException refused(Errno errno, String interfaceName) {
        return new VerbsException(errno, "open_device", errno == Errno.EADDRINUSE
            ? "RoCE v1 on " + interfaceName + " is taken by another process: run one of the two in a network namespace of its own"
            : "RoCE v1 on " + interfaceName);
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
