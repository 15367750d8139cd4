// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.udp.NioUdpSockets.Socket;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * RoCE v2 over java.nio, for any platform: one packet per system call, timeouts in milliseconds. It sends from unconnected channels that
 * may not fragment, which gives IPv4 identification 0 and DF on Linux and macOS; on platforms that do otherwise, only receivers that derive
 * the identification (this library's) accept the ICRC. Linux drops IPv6 packets without UDP checksum on their way to such a channel: kernel
 * rxe's IPv6 packets need {@link LinuxUdpLink}. Traffic classes of received packets are unknown and read 0.
 *
 * <p>The thread rules of {@link LinuxUdpLink} apply.
 */
final class NioUdpLink extends UdpLink {
    private final UdpLinkOptions options;
    private final NioUdpSockets sockets;
    /** One byte longer than the longest packet, to detect longer ones. */
    private final ByteBuffer receiveBuffer = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + ReceivedFrame.MAX_PACKET_BYTES + 1);
    private final ReceivedFrame frame = new ReceivedFrame();
    private int nextSocket;

    NioUdpLink(List<Gid> addresses, UdpLinkOptions options) {
        this(new NioUdpSockets(addresses, options), options);
    }

    private NioUdpLink(NioUdpSockets sockets, UdpLinkOptions options) {
        super(sockets);
        this.sockets = sockets;
        this.options = options;
    }

    /** The link's side of a {@link Path}. */
    private record Destination(Socket socket, InetSocketAddress address, Integer trafficClass, Integer groupHops) {
    }

    @Override
    public String description() {
        StringBuilder text = new StringBuilder("UDP port ").append(options.port()).append(" (java.nio) on");
        for (Socket socket : sockets.array()) {
            text.append(' ').append(LocalAddresses.text(socket.local));
        }
        return text.append(sockets.mayFragment() ? ", no IP_DONTFRAGMENT: IPv4 peers that check our IP ID refuse our ICRC" : "").toString();
    }

    /**
     * Prepares a path; for the owner. The hop limit is the host's; to groups it is the requested one.
     *
     * @throws VerbsException ENETUNREACH or EHOSTUNREACH: the routing table has no route; EOPNOTSUPP, EADDRNOTAVAIL, EINVAL
     */
    @Override
    public Path resolve(PathRequest request) {
        Socket socket = sockets.forPath(request);
        Gid remote = request.remote();
        boolean group = remote.isMulticast();
        // A group's address has no interface: the channel has it, and keeps it up to date when the interface is recreated.
        InetAddress to = LocalAddresses.toInetAddress(remote, remote.isLinkLocal() ? socket.scope : 0);
        InetSocketAddress address = new InetSocketAddress(to, options.port());
        if (!group) {
            sockets.checkRoute(socket, remote, address);
        }
        socket.hasPaths = true;
        return new Path(request.local(), remote, options.port(), options.port(), request.trafficClass(), request.hopLimit(),
            new Destination(socket, address, request.trafficClass(), group ? Math.max(1, request.hopLimit()) : socket.groupHops));
    }

    @Override
    public int send(TransmitBatch batch) {
        int total = 0;
        while (!batch.isEmpty()) {
            Destination destination = (Destination) batch.path(batch.first()).linkState();
            if (!sendFirst(batch, destination)) {
                destination.socket.full = true;
                break;
            }
            batch.sent(1);
            total++;
        }
        return total;
    }

    /**
     * Sends the first packet of the batch, or counts an error.
     *
     * @return false if the socket is full
     */
    private boolean sendFirst(TransmitBatch batch, Destination destination) {
        Socket socket = destination.socket;
        ByteBuffer packet = batch.buffer();
        int offset = batch.offset(batch.first());
        packet.limit(offset + batch.length(batch.first())).position(offset);
        try {
            if (!destination.trafficClass.equals(socket.trafficClass)) {
                socket.channel.setOption(StandardSocketOptions.IP_TOS, destination.trafficClass);
                socket.trafficClass = destination.trafficClass;
            }
            if (!destination.groupHops.equals(socket.groupHops)) {
                socket.channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, destination.groupHops);
                socket.groupHops = destination.groupHops;
            }
            return socket.channel.send(packet, destination.address) > 0 || !packet.hasRemaining();
        } catch (IOException e) {
            sendErrors++;
            return true;
        } finally {
            packet.clear();
        }
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        Socket[] all = sockets.array();
        int total = 0;
        int start = nextSocket < all.length ? nextSocket : 0;
        for (int i = 0; i < all.length && total < limit; i++) {
            nextSocket = start + i < all.length ? start + i : start + i - all.length;
            total += receive(all[nextSocket], handler, limit - total);
        }
        if (total < limit) {
            nextSocket = start + 1 < all.length ? start + 1 : 0;
        }
        return total;
    }

    private int receive(Socket socket, FrameHandler handler, int limit) {
        int total = 0;
        while (total < limit) {
            receiveBuffer.clear().position(TransmitBatch.HEADROOM);
            InetSocketAddress sender;
            try {
                sender = (InetSocketAddress) socket.channel.receive(receiveBuffer);
            } catch (ClosedChannelException e) {
                broken = !socket.closed;
                return total;
            } catch (IOException e) {
                // An ICMP error for a packet sent before: nothing to receive now.
                return total;
            }
            if (sender == null) {
                return total;
            }
            total++;
            int length = receiveBuffer.position() - TransmitBatch.HEADROOM;
            receiveBuffer.clear();
            if (length > ReceivedFrame.MAX_PACKET_BYTES) {
                counters.count(UdpCounter.FRAME_TOO_LONG);
            } else {
                dispatch(socket, sender, length, handler);
            }
        }
        return total;
    }

    private void dispatch(Socket socket, InetSocketAddress sender, int length, FrameHandler handler) {
        // The JDK returns the same object while the sender stays the same.
        if (sender != socket.lastSender) {
            Gid remote = Gid.of(sender.getAddress());
            socket.lastSender = sender;
            socket.lastSenderHigh = remote.high();
            socket.lastSenderLow = remote.low();
        }
        handler.onFrame(frame.begin(receiveBuffer, TransmitBatch.HEADROOM, length)
            .addresses(socket.local, socket.lastSenderHigh, socket.lastSenderLow).ports(sender.getPort(), options.port()));
    }

    /** Parks as {@link org.softrdma.link.Link#await} says, rounded up to milliseconds; an interrupted thread does not park. */
    @Override
    public void await(long timeoutNs) {
        if (timeoutNs > 0 && !sockets.isClosed()) {
            sockets.await(timeoutNs);
        }
    }
}
