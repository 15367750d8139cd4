// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.Comparator;
import java.util.List;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;

/** Path to a peer: the device and its GID, chosen by the host's routing table unless the user names a device. */
final class PingPath {
    /** Arbitrary port: nothing is sent to it. */
    private static final int SOME_PORT = 4791;

    private final InetAddress to;
    /** Source address on the route to the peer; null if there is no route. */
    private final InetAddress from;

    private PingPath(InetAddress to, InetAddress from) {
        this.to = to;
        this.from = from;
    }

    /**
     * Path to the peer of a command line.
     *
     * @param text a GID, an IP address, or a name; a number would be a LID
     * @throws ToolFailure the peer is a LID, or unknown
     */
    static PingPath to(String text) {
        InetAddress address = text.matches("(0[xX])?[0-9a-fA-F]+") ? null : HostName.find(text);
        if (address == null) {
            throw new ToolFailure("ibping: iberror: failed: can't resolve destination port " + text
                + "\nEthernet has no LIDs and no subnet manager: name a GID or an IP address");
        }
        return new PingPath(address, sourceTo(address));
    }

    /** Looks up the route with a connected socket that sends nothing. */
    private static InetAddress sourceTo(InetAddress address) {
        try (DatagramChannel probe = DatagramChannel.open().connect(new InetSocketAddress(address, SOME_PORT))) {
            return ((InetSocketAddress) probe.getLocalAddress()).getAddress();
        } catch (IOException noRoute) {
            return null;
        }
    }

    Gid destination() {
        return Gid.of(to);
    }

    /**
     * Finds devices.
     *
     * @param name of the device; null for all
     * @return at least one
     * @throws ToolFailure there is none
     */
    static List<RdmaDevice> devices(String name) {
        // libibverbs has no management datagrams.
        List<RdmaDevice> devices = name == null ? Verbs.devices(Verbs.SOFTRDMA)
            : Verbs.devices().stream().filter(device -> device.isNamed(name)).toList();
        if (devices.isEmpty()) {
            throw new ToolFailure("ibping: iberror: failed: Failed to open '" + name + "'\nthere are "
                + Verbs.names(Verbs.devices()));
        }
        return devices;
    }

    /**
     * Opens the device of the path.
     *
     * @param name of a device; null for the first one on the route, or the first of all if none is
     */
    Context open(String name) {
        List<RdmaDevice> devices = devices(name);
        for (RdmaDevice device : devices) {
            Context context = device.open();
            if (fits(context)) {
                return context;
            }
            context.close();
        }
        return devices.getFirst().open();
    }

    private boolean fits(Context context) {
        return context.queryGidTable().stream().map(entry -> entry.gid().toInetAddress()).anyMatch(own ->
            to.isLoopbackAddress() ? own.isLoopbackAddress() : own.equals(from));
    }

    static List<Gid> gids(Context context, int port) {
        return context.queryGidTable().stream().filter(entry -> entry.port() == port).map(GidEntry::gid).toList();
    }

    /** @return the GID of the route's source address, or one that resembles the peer's: in IP version, and in being link-local */
    Gid source(Context context, int port) {
        Gid peer = destination();
        return gids(context, port).stream()
            .min(Comparator.comparing((Gid gid) -> !gid.toInetAddress().equals(from))
                .thenComparing(gid -> gid.isIpv4Mapped() != peer.isIpv4Mapped())
                .thenComparing(gid -> gid.isLinkLocal() != peer.isLinkLocal()))
            .orElseThrow(() -> new ToolFailure("ibping: iberror: failed: port " + port + " has no GID"));
    }
}
