// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.softrdma.device.cm.CmListener;
import org.softrdma.device.cm.CmService;
import org.softrdma.siw.tcp.TcpLink;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Somebody who listens for a TCP port, with a socket at each of the addresses. Guarded by {@link SiwCm}. */
final class SiwListener {
    private final SiwCm cm;
    private final TcpLink link;
    private final CmService service;
    private final CmListener told;
    private final Map<InetAddress, TcpLink.Listening> sockets = new HashMap<>();
    private volatile boolean closed;

    SiwListener(SiwCm cm, TcpLink link, CmService service, CmListener told) {
        this.cm = cm;
        this.link = link;
        this.service = service;
        this.told = told;
    }

    CmService service() {
        return service;
    }

    CmListener told() {
        return told;
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Listens nowhere any more where it is not wanted now, and then wherever it is wanted. An address that cannot be used yet, as a fresh
     * IPv6 one, is tried again next time.
     *
     * @param ofDevice what the wildcard address stands for
     * @throws VerbsException EADDRINUSE: a program has the port at one of the addresses; none was added then
     */
    void bind(List<InetAddress> ofDevice) {
        Set<InetAddress> wanted = told.addresses(ofDevice);
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

    /** No more connections, and nobody is told any more. */
    void close() {
        cm.command(nowNs -> closed = true);
        sockets.values().forEach(TcpLink.Listening::close);
        sockets.clear();
    }
}
