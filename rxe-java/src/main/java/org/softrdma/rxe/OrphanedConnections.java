// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import jdk.net.ExtendedSocketOptions;
import org.softrdma.device.agent.HostTask;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.ProcessPublisher;
import org.softrdma.host.orphans.OrphanedRecords;
import org.softrdma.link.LocalAddresses;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.engine.Gsi;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Udp;
import org.softrdma.wire.roce.Icrc;

/**
 * Ends the connections of processes of this user that were killed: sends the peers the DREQs that the processes left in their
 * {@linkplain RecordedDisconnects records}, from their addresses, once, as a kernel does when a process ends. While a device is open, this
 * process looks for records whenever the host reports a change; the first look is when the first device is opened.
 *
 * <p>The datagrams leave from an ephemeral port, which a receiver does not check, so that they disturb no device at the same address.
 * Those of RoCE v1, which needs raw frames, are sent by {@link RawDisconnects}.
 */
final class OrphanedConnections {
    private static final System.Logger LOG = System.getLogger(OrphanedConnections.class.getName());
    private static final int HEADROOM = Icrc.IPV6_PREFIX_LENGTH;

    /** Open devices of this process. */
    private static int devices;
    private static HostTask watch;

    private final Map<Gid, DatagramChannel> channels = new HashMap<>();
    private final RawDisconnects versionOne = new RawDisconnects();
    private final ByteBuffer packet = ByteBuffer.allocate(HEADROOM + Gsi.PACKET_BYTES);
    private final Icrc icrc = new Icrc();
    private int psn;

    private OrphanedConnections() {
    }

    /** Starts looking, with the first device that is opened. */
    static synchronized void onDeviceOpened() {
        devices++;
        if (watch == null) {
            look();
            watch = new HostTask("softrdma-orphans", OrphanedConnections::look);
        }
    }

    /** Stops looking, with the last device that is closed. */
    static void onDeviceClosed() {
        HostTask unused;
        synchronized (OrphanedConnections.class) {
            devices--;
            if (devices > 0) {
                return;
            }
            unused = watch;
            watch = null;
        }
        unused.close();
    }

    /** @return true: a record that cannot be read now is read after the next change */
    private static boolean look() {
        try {
            Path state = StateDirectory.ofUser();
            OrphanedRecords.take(state, (pid, entries) -> {
                // First what nobody else would remove: this process may be the peer, and end with the connection.
                ProcessPublisher.forget(state, pid);
                end(entries);
            });
        } catch (IOException | RuntimeException unreadable) {
            LOG.log(System.Logger.Level.DEBUG, "connections of processes that were killed are not ended: " + unreadable);
        }
        return true;
    }

    /** Sends the DREQs of one process. */
    private static void end(List<byte[]> entries) {
        OrphanedConnections ending = new OrphanedConnections();
        try {
            entries.stream().map(RecordedDisconnects::decode).filter(Objects::nonNull).forEach(ending::trySend);
        } finally {
            ending.close();
        }
    }

    private void trySend(RecordedDisconnects.Entry entry) {
        try {
            if (entry.gids().type() == GidType.ROCE_V1) {
                versionOne.send(entry.gids(), entry.dreq(), psn++);
            } else {
                send(entry.gids(), entry.dreq());
            }
        } catch (IOException | VerbsException unreachable) {
            LOG.log(System.Logger.Level.DEBUG, "the peer at " + entry.gids().remote() + " of a process that was killed is not notified: "
                + unreachable);
        }
    }

    private void send(GidPair gids, ByteBuffer dreq) throws IOException {
        Gid local = gids.local();
        Gid remote = gids.remote();
        DatagramChannel channel = channels.get(local);
        if (channel == null) {
            channel = open(local);
            channels.put(local, channel);
        }
        int sourcePort = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        int end = Gsi.put(packet, HEADROOM, dreq, psn++);
        Icrc.put(packet, end, local.isIpv4Mapped()
            ? icrc.ofIpv4Payload(packet, HEADROOM, end, local.ipv4(), remote.ipv4(), sourcePort, Udp.DEST_PORT_ROCE)
            : icrc.ofIpv6Payload(packet, HEADROOM, end, local.high(), local.low(), remote.high(), remote.low(), sourcePort,
                Udp.DEST_PORT_ROCE));
        packet.limit(end + Icrc.LENGTH).position(HEADROOM);
        channel.send(packet, new InetSocketAddress(LocalAddresses.toInetAddress(remote,
            remote.isLinkLocal() ? LocalAddresses.scopeOf(local, null) : 0), Udp.DEST_PORT_ROCE));
        packet.clear();
    }

    /** Opens an unconnected socket that may not fragment: its packets have the IPv4 identification 0, which the ICRC covers. */
    private static DatagramChannel open(Gid local) throws IOException {
        DatagramChannel channel = DatagramChannel.open(local.isIpv4Mapped() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        boolean bound = false;
        try {
            channel.configureBlocking(false);
            if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
                channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            }
            channel.bind(new InetSocketAddress(LocalAddresses.toInetAddress(local, LocalAddresses.scopeOf(local, null)), 0));
            bound = true;
            return channel;
        } finally {
            if (!bound) {
                channel.close();
            }
        }
    }

    private void close() {
        versionOne.close();
        for (DatagramChannel each : channels.values()) {
            try {
                each.close();
            } catch (IOException closed) {
                LOG.log(System.Logger.Level.DEBUG, "cannot close a socket: " + closed);
            }
        }
    }
}
