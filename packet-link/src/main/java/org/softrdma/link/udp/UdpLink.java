// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.link.Link;
import org.softrdma.verbs.Gid;

/** The common part of UDP links: addresses, groups and counters. Subclasses resolve paths, send and receive. */
abstract class UdpLink implements Link {
    private final UdpSockets<?> sockets;
    protected long sendErrors;
    protected final Counters<UdpCounter> counters = new Counters<>(UdpCounter.class);
    protected boolean broken;

    UdpLink(UdpSockets<?> sockets) {
        this.sockets = sockets;
    }

    @Override
    public final List<Gid> addresses() {
        return sockets.addresses();
    }

    @Override
    public final void addAddress(Gid address) {
        sockets.addAddress(address);
    }

    @Override
    public final void removeAddress(Gid address) {
        sockets.removeAddress(address);
    }

    @Override
    public final void join(Gid group) {
        sockets.join(group);
    }

    @Override
    public final void leave(Gid group) {
        sockets.leave(group);
    }

    @Override
    public final boolean refresh(int interfaceIndex) {
        sockets.refresh(interfaceIndex);
        return false;
    }

    @Override
    public final boolean isBroken() {
        return broken;
    }

    @Override
    public final boolean deliversIpHeader() {
        return false;
    }

    @Override
    public final void wakeup() {
        sockets.wakeup();
    }

    @Override
    public long sendErrors() {
        return sendErrors;
    }

    @Override
    public final Map<String, Long> counters() {
        return counters.toMap();
    }

    @Override
    public final void close() {
        sockets.close();
    }
}
