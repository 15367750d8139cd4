// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.softrdma.verbs.cm.PortSpace;

/** Ports that sockets of the host have taken. */
public final class HostPorts {
    private HostPorts() {
    }

    /** Answers {@link CmHost#isFree} for a host whose iWARP devices connect by sockets: tries to bind one. */
    public static boolean isFree(PortSpace space, InetSocketAddress address) {
        // The text of the failure depends on the language of the system. If no port at all can be bound, the port is not the reason.
        return space != PortSpace.TCP || canBind(address) || !canBind(new InetSocketAddress(address.getAddress(), 0));
    }

    /** Tries to bind a socket as for connecting or listening, with SO_REUSEADDR so that recently ended connections do not count. */
    private static boolean canBind(InetSocketAddress address) {
        try (SocketChannel socket = SocketChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(address);
            return true;
        } catch (IOException | UnsupportedAddressTypeException refused) {
            return false;
        }
    }
}
