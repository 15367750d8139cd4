// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.softrdma.verbs.cm.PortSpace;

/** Real sockets on the loopback interface, with ports of the system's choice. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "with SO_REUSEADDR every port can be had there")
class SystemHostTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final SystemHost host = new SystemHost();

    @Test
    void shouldNotGiveAwayWhatAProgramWithoutRdmaHas() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK); Socket client = new Socket(LOOPBACK, server.getLocalPort())) {
            for (int port : new int[] {server.getLocalPort(), client.getLocalPort()}) {
                assertFalse(host.isFree(PortSpace.TCP, new InetSocketAddress(LOOPBACK, port)), "port " + port);
                assertFalse(host.isFree(PortSpace.TCP, new InetSocketAddress(port)), "port " + port + " at any address");
                assertTrue(host.isFree(PortSpace.UDP, new InetSocketAddress(LOOPBACK, port)), "port " + port + " of UDP");
            }
        }
    }

    /** An address that is not there does not make all ports look taken: whoever connects finds out. */
    @Test
    void shouldNotLookAtTheAddress() {
        assertTrue(host.isFree(PortSpace.TCP, new InetSocketAddress("192.0.2.1", 7471)));
    }
}
