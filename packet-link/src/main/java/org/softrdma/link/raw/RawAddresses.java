// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.host.config.NetDevice;
import org.softrdma.link.LocalAddresses;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * The addresses and groups of a raw link: which RoCE versions each has, and what they hold of the host while the link is open: UDP ports
 * ({@link ReservedPorts}), claims of RoCE v1 ({@link InterfaceClaim}) and memberships. For the link's owner, except {@link #addresses}.
 */
final class RawAddresses implements AutoCloseable {
    private final RawLinkOptions options;
    private final PacketSocket socket;
    private final RawFrameReader reader;
    private final ReservedPorts reserved;
    private final List<InterfaceClaim> claims = new ArrayList<>();
    /** Immutable, replaced as a whole. */
    private volatile List<Gid> addresses;
    private List<Gid> groups = List.of();

    /**
     * Takes the addresses.
     *
     * @param reader receives frames to the addresses and groups
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL; others of the host
     */
    RawAddresses(LinuxSockets calls, List<Gid> addresses, RawLinkOptions options, int interfaceIndex, PacketSocket socket,
                 RawFrameReader reader) {
        this.addresses = List.copyOf(addresses);
        this.options = options;
        this.socket = socket;
        this.reader = reader;
        reserved = new ReservedPorts(calls, options.port(), interfaceIndex);
        boolean complete = false;
        try {
            if (options.claims()) {
                claim(calls, interfaceIndex);
            }
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
        updateReader();
    }

    private void claim(LinuxSockets calls, int interfaceIndex) {
        if (options.v2()) {
            addresses.forEach(reserved::reserve);
        }
        if (options.v1()) {
            claimVersionOne(calls, interfaceIndex);
        }
    }

    /** Claims the interface, whose one v1 GID is made from its MAC address; of the loopback one, which devices share, each address. */
    private void claimVersionOne(LinuxSockets calls, int interfaceIndex) {
        List<String> parts = isLoopback(addresses) ? addresses.stream().map(address -> " " + address).toList() : List.of("");
        for (String part : parts) {
            claims.add(new InterfaceClaim(calls, options.interfaceName(), interfaceIndex, part));
        }
    }

    static boolean isLoopback(List<Gid> addresses) {
        return addresses.getFirst().toInetAddress().isLoopbackAddress();
    }

    /** Addresses of the interface. Any thread. */
    List<Gid> addresses() {
        return addresses;
    }

    /** Whether the link is a member of the group. */
    boolean isMember(Gid group) {
        return groups.contains(group);
    }

    /** Whether packets of that version can be sent from the address. RoCE v1 needs no IP address: the default GID is always there. */
    boolean has(GidType type, Gid address) {
        return options.types().contains(type) && isOwn(type, address);
    }

    /** Whether the address is one of this link, by which packets of that version are delivered to the link itself. */
    boolean isOwn(GidType type, Gid address) {
        return addresses.contains(address) || type == GidType.ROCE_V1 && address.equals(defaultGid());
    }

    private Gid defaultGid() {
        return NetDevice.defaultGid(options.mac());
    }

    void add(Gid address) {
        LocalAddresses.check(List.of(address));
        if (!addresses.contains(address)) {
            if (options.v2()) {
                reserved.reserve(address);
            }
            addresses = LocalAddresses.with(addresses, address);
            updateReader();
        }
    }

    void remove(Gid address) {
        addresses = LocalAddresses.without(addresses, address);
        reserved.release(address);
        updateReader();
    }

    private void updateReader() {
        boolean defaultToo = options.v1() && !addresses.contains(defaultGid());
        reader.setLocalAddresses(defaultToo ? LocalAddresses.with(addresses, defaultGid()) : addresses, groups);
    }

    void join(Gid group) {
        if (!options.v1()) {
            LocalAddresses.checkGroup(addresses, group);
        }
        List<Long> joined = new ArrayList<>();
        boolean complete = false;
        try {
            for (long mac : macsOf(group)) {
                socket.join(mac);
                joined.add(mac);
            }
            if (options.v2()) {
                reserved.join(group);
            }
            complete = true;
        } finally {
            if (!complete) {
                // Only what was joined: another group may have the same MAC address.
                joined.forEach(socket::leave);
            }
        }
        groups = LocalAddresses.with(groups, group);
        updateReader();
    }

    void leave(Gid group) {
        groups = LocalAddresses.without(groups, group);
        updateReader();
        if (options.v2()) {
            reserved.leave(group);
        }
        macsOf(group).forEach(socket::leave);
    }

    /** MAC addresses that frames to a group may have, by the versions of the link. */
    private List<Long> macsOf(Gid group) {
        return options.types().stream().map(type -> RawPaths.groupMac(type, group)).distinct().toList();
    }

    @Override
    public void close() {
        reserved.close();
        claims.forEach(InterfaceClaim::close);
    }
}
