// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.cm.CmListener;
import org.softrdma.cm.CmService;
import org.softrdma.siw.tcp.TcpLink;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** A listener of a TCP port, with a socket at each of its addresses. Guarded by {@link SiwCm}. */
final class SiwListener {
    private final SiwCm cm;
    private final TcpLink link;
    private final CmService service;
    private final CmListener handler;
    private final Map<InetAddress, TcpLink.Listening> sockets = new HashMap<>();
    private volatile boolean closed;

    SiwListener(SiwCm cm, TcpLink link, CmService service, CmListener handler) {
        this.cm = cm;
        this.link = link;
        this.service = service;
        this.handler = handler;
    }

    CmService service() {
        return service;
    }

    CmListener handler() {
        return handler;
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Closes the sockets at addresses that are not wanted any more, and then listens at the ones that are. An address that cannot be used
     * yet, such as a fresh IPv6 address, is tried again next time.
     *
     * @param ofDevice the addresses that the wildcard address stands for
     * @throws VerbsException EADDRINUSE: a program has the port at one of the addresses; no address was added then
     */
    void bind(List<InetAddress> ofDevice) {
        Set<InetAddress> wanted = handler.addresses(ofDevice);
        sockets.forEach((address, socket) -> {
            if (!wanted.contains(address)) {
                socket.close();
            }
        });
        sockets.keySet().retainAll(wanted);
        Map<InetAddress, TcpLink.Listening> added = new HashMap<>();
        try {
            for (InetAddress address : wanted) {
                if (!sockets.containsKey(address)) {
                    listen(address, added);
                }
            }
        } catch (VerbsException refused) {
            added.values().forEach(TcpLink.Listening::close);
            throw refused;
        }
        sockets.putAll(added);
    }

    private void listen(InetAddress address, Map<InetAddress, TcpLink.Listening> added) {
        try {
            added.put(address, link.listen(new InetSocketAddress(address, service.port()),
                (stream, local, remote) -> cm.onStream(this, stream, local, remote)));
        } catch (VerbsException refused) {
            if (refused.errno() != Errno.EADDRNOTAVAIL) {
                throw refused;
            }
        }
    }

    /** Closes all sockets; the listener receives no more requests. */
    void close() {
        cm.command(nowNs -> closed = true);
        sockets.values().forEach(TcpLink.Listening::close);
        sockets.clear();
    }
}
