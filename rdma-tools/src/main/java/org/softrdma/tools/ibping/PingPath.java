// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.Comparator;
import java.util.List;
import org.softrdma.tools.cli.CNumber;
import org.softrdma.tools.cli.HostName;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Verbs;
import org.softrdma.verbs.VerbsException;

/** Path to a peer: the device and its GID, chosen by the host's routing table unless the user names a device, or a device on a subnet. */
final class PingPath {
    /** Arbitrary port: nothing is sent to it. */
    private static final int SOME_PORT = 4791;

    private static final int LINK_LAYER_INFINIBAND = 1;
    private static final int LAST_UNICAST_LID = 0xbfff;

    /** Address of the peer; null for a LID. */
    private final InetAddress to;
    /** Source address on the route to the peer; null if there is no route. */
    private final InetAddress from;
    private final int lid;

    private PingPath(InetAddress to, InetAddress from, int lid) {
        this.to = to;
        this.from = from;
        this.lid = lid;
    }

    /**
     * Path to the peer of a command line.
     *
     * @param text a LID, a GID, an IP address, or a name
     * @throws ToolFailure the peer is unknown
     */
    static PingPath to(String text) {
        if (text.matches("0[xX][0-9a-fA-F]+|[0-9]+")) {
            int lid = CNumber.unsigned(text);
            if (lid < 1 || lid > LAST_UNICAST_LID) {
                throw unresolved(text);
            }
            return new PingPath(null, null, lid);
        }
        InetAddress address = text.matches("[0-9a-fA-F]+") ? null : HostName.find(text);
        if (address == null) {
            throw unresolved(text);
        }
        return new PingPath(address, sourceTo(address), 0);
    }

    private static ToolFailure unresolved(String text) {
        return new ToolFailure("ibping: iberror: failed: can't resolve destination port " + text
            + "\nEthernet has no LIDs and no subnet manager: name a GID or an IP address");
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
        return to == null ? Gid.ofLid(lid) : Gid.of(to);
    }

    /** The peer in messages. */
    String name() {
        return to == null ? "Lid " + lid : "Gid " + destination();
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
        if (to == null) {
            return openOnSubnet(devices);
        }
        for (RdmaDevice device : devices) {
            Context context = device.open();
            if (fits(context)) {
                return context;
            }
            context.close();
        }
        return devices.getFirst().open();
    }

    private Context openOnSubnet(List<RdmaDevice> devices) {
        for (RdmaDevice device : devices) {
            if (isOnSubnet(device)) {
                return device.open();
            }
        }
        throw unresolved(Integer.toString(lid));
    }

    private static boolean isOnSubnet(RdmaDevice device) {
        try {
            return device.describe().port().linkLayer() == LINK_LAYER_INFINIBAND;
        } catch (VerbsException unreachable) {
            return false;
        }
    }

    private boolean fits(Context context) {
        return context.queryGidTable().stream().map(entry -> entry.gid().toInetAddress()).anyMatch(own ->
            to.isLoopbackAddress() ? own.isLoopbackAddress() : own.equals(from));
    }

    static List<Gid> gids(Context context, int port) {
        return context.queryGidTable().stream().filter(entry -> entry.port() == port).map(GidEntry::gid).toList();
    }

    /**
     * Chooses the source.
     *
     * @return our LID to a LID; otherwise the GID of the route's source address, or one that resembles the peer's: in IP version, and in
     *     being link-local
     */
    Gid source(Context context, int port) {
        if (to == null) {
            return Gid.ofLid(context.queryPort(port).lid());
        }
        Gid peer = destination();
        return gids(context, port).stream()
            .min(Comparator.comparing((Gid gid) -> !gid.toInetAddress().equals(from))
                .thenComparing(gid -> gid.isIpv4Mapped() != peer.isIpv4Mapped())
                .thenComparing(gid -> gid.isLinkLocal() != peer.isLinkLocal()))
            .orElseThrow(() -> new ToolFailure("ibping: iberror: failed: port " + port + " has no GID"));
    }
}
