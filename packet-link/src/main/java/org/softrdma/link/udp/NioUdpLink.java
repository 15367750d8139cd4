// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * RoCE v2 over java.nio, for any platform: one packet a system call, timeouts in milliseconds. It sends from unconnected channels that may
 * not fragment, which gives IPv4 identification 0 and DF on Linux and macOS; where the platform does otherwise, only receivers that do
 * not know the identification (this library's) accept the ICRC. Linux drops IPv6 packets without UDP checksum on the way to it: kernel
 * rxe's IPv6 packets need {@link LinuxUdpLink}. Received traffic classes are not known and read 0.
 *
 * <p>Thread rules as for {@link LinuxUdpLink}.
 */
final class NioUdpLink implements Link {
    private static final int MAX_PACKET_BYTES = LinuxUdpLink.MAX_PACKET_BYTES;
    private static final long NS_PER_MS = 1_000_000;

    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int SIGNALLED = 2;

    private final UdpLinkOptions options;
    /** Replaced as a whole. */
    private volatile List<Gid> addresses;
    /**
     * One for each address, each address that was given up but has paths, and each multicast group joined; replaced as a whole, as another
     * thread may be in {@link #await}.
     */
    private volatile Socket[] sockets;
    private final Selector selector;
    /** One byte longer than the longest packet, by which longer ones are told. */
    private final ByteBuffer receiveBuffer = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + MAX_PACKET_BYTES + 1);
    private final ReceivedFrame frame = new ReceivedFrame();
    private final AtomicInteger waiter = new AtomicInteger(IDLE);
    private boolean mayFragment;
    private int nextSocket;
    private long sendErrors;
    private long oversized;
    private boolean broken;
    private boolean closed;

    NioUdpLink(List<Gid> addresses, UdpLinkOptions options) {
        LocalAddresses.check(addresses);
        this.options = options;
        this.addresses = List.copyOf(addresses);
        Socket[] opened = new Socket[addresses.size()];
        sockets = opened;
        boolean open = false;
        try {
            selector = Selector.open();
            for (int i = 0; i < opened.length; i++) {
                opened[i] = open(this.addresses.get(i));
            }
            open = true;
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "open_device", "selector: " + e.getMessage(), e);
        } finally {
            if (!open) {
                close();
            }
        }
    }

    /** One bound channel and what was last said to and heard from it. */
    private static final class Socket {
        final DatagramChannel channel;
        final SelectionKey key;
        final Gid local;
        final int scope;
        Integer trafficClass = 0;
        Integer groupHops = 1;
        InetSocketAddress lastSender;
        long lastSenderHigh;
        long lastSenderLow;
        boolean full;
        /** Paths hold on to it: it stays open even if the interface loses the address. */
        boolean hasPaths;
        /** Index of the interface that packets to groups leave by; 0: there were none. */
        int groupInterface;

        Socket(DatagramChannel channel, SelectionKey key, Gid local, int scope) {
            this.channel = channel;
            this.key = key;
            this.local = local;
            this.scope = scope;
        }
    }

    /** The link's side of a {@link Path}. */
    private record Destination(Socket socket, InetSocketAddress address, Integer trafficClass, Integer groupHops) {
    }

    private Socket open(Gid address) throws IOException {
        int scope = LocalAddresses.scopeOf(address, options.interfaceName());
        InetAddress local = LocalAddresses.toInetAddress(address, scope);
        DatagramChannel channel = openChannel(address);
        boolean bound = false;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, options.socketBufferBytes());
            channel.setOption(StandardSocketOptions.SO_SNDBUF, options.socketBufferBytes());
            if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
                channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            } else {
                mayFragment = true;
            }
            channel.bind(new InetSocketAddress(local, options.port()));
            Socket socket = new Socket(channel, channel.register(selector, SelectionKey.OP_READ), address, scope);
            bound = true;
            return socket;
        } catch (SocketException e) {
            throw LocalAddresses.bindFailed(whyNotBound(e, local), address, options.port(), e.getMessage(), e);
        } finally {
            if (!bound) {
                channel.close();
            }
        }
    }

    private DatagramChannel openChannel(Gid address) throws IOException {
        try {
            return DatagramChannel.open(address.isIpv4Mapped() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        } catch (UnsupportedOperationException e) {
            throw LocalAddresses.bindFailed(Errno.EADDRNOTAVAIL, address, options.port(), "", e);
        }
    }

    /** Java tells in words only, which some platforms translate. */
    private static Errno whyNotBound(SocketException e, InetAddress address) throws SocketException {
        if (!(e instanceof BindException)) {
            return Errno.EIO;
        }
        String text = String.valueOf(e.getMessage());
        if (text.contains("in use")) {
            return Errno.EADDRINUSE;
        }
        if (text.contains("ermission")) {
            return Errno.EACCES;
        }
        return NetworkInterface.getByInetAddress(address) == null ? Errno.EADDRNOTAVAIL : Errno.EADDRINUSE;
    }

    @Override
    public List<Gid> addresses() {
        return addresses;
    }

    @Override
    public boolean deliversIpHeader() {
        return false;
    }

    @Override
    public String description() {
        StringBuilder text = new StringBuilder("UDP port ").append(options.port()).append(" (java.nio) on");
        for (Socket socket : sockets) {
            text.append(' ').append(LocalAddresses.text(socket.local));
        }
        return text.append(mayFragment ? ", no IP_DONTFRAGMENT: IPv4 peers that know our IP ID will refuse our ICRC" : "").toString();
    }

    /**
     * As {@link Link#resolve}, for the owner. The hop limit is the host's; to groups it is the one asked for.
     *
     * @throws VerbsException ENETUNREACH or EHOSTUNREACH if the routing table has no way, EADDRNOTAVAIL, EINVAL
     */
    @Override
    public Path resolve(PathRequest request) {
        LocalAddresses.checkPath(addresses, request);
        Gid local = request.local();
        Gid remote = request.remote();
        Socket socket = socketOf(local);
        boolean group = remote.isMulticast();
        if (group) {
            sendGroupsByInterface(socket);
        }
        // To a group, without an interface: the channel knows it, also when that is deleted and made again.
        InetAddress to = LocalAddresses.toInetAddress(remote, remote.isLinkLocal() ? socket.scope : 0);
        InetSocketAddress address = new InetSocketAddress(to, options.port());
        if (!group) {
            askRoutingTable(socket, remote, address);
        }
        socket.hasPaths = true;
        return new Path(local, remote, options.port(), options.port(), request.trafficClass(), request.hopLimit(),
            new Destination(socket, address, request.trafficClass(), group ? Math.max(1, request.hopLimit()) : socket.groupHops));
    }

    /** What this channel sends to groups leaves by the link's interface, whatever routes there are. */
    private void sendGroupsByInterface(Socket socket) {
        NetworkInterface own = LocalAddresses.interfaceOf(addresses, options.interfaceName());
        try {
            socket.channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, own);
            socket.groupInterface = own.getIndex();
        } catch (IOException e) {
            throw new VerbsException(Errno.ENETUNREACH, "resolve_route", "IP_MULTICAST_IF " + own.getName() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void join(Gid group) {
        LocalAddresses.checkGroup(addresses, group);
        Socket socket;
        try {
            socket = openMember(group, LocalAddresses.interfaceOf(addresses, options.interfaceName()));
        } catch (IOException e) {
            throw new VerbsException(Errno.ENOMEM, "attach_mcast", "the host does not join group " + LocalAddresses.text(group) + ": "
                + e.getMessage(), e);
        }
        take(socket);
    }

    private void take(Socket socket) {
        Socket[] more = Arrays.copyOf(sockets, sockets.length + 1);
        more[more.length - 1] = socket;
        sockets = more;
        wakeup();
    }

    /** The channel bound to that address or group, or null. */
    private Socket socketOf(Gid local) {
        for (Socket socket : sockets) {
            if (socket.local.equals(local)) {
                return socket;
            }
        }
        return null;
    }

    @Override
    public void addAddress(Gid address) {
        LocalAddresses.check(List.of(address));
        if (addresses.contains(address)) {
            return;
        }
        if (socketOf(address) == null) {
            try {
                take(open(address));
            } catch (IOException e) {
                throw new VerbsException(Errno.EIO, "add_address", LocalAddresses.text(address) + ": " + e.getMessage(), e);
            }
        }
        addresses = LocalAddresses.with(addresses, address);
    }

    @Override
    public void removeAddress(Gid address) {
        addresses = LocalAddresses.without(addresses, address);
        Socket socket = socketOf(address);
        if (socket != null && !socket.hasPaths && sockets.length > 1) {
            giveUp("remove_address", socket);
        }
    }

    @Override
    public boolean isBroken() {
        return broken;
    }

    /** Every process that joined has a channel at the group's address, and each gets every packet. */
    private Socket openMember(Gid group, NetworkInterface own) throws IOException {
        DatagramChannel channel = openChannel(group);
        boolean member = false;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, options.socketBufferBytes());
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            InetAddress address = LocalAddresses.toInetAddress(group, group.isIpv4Mapped() ? 0 : own.getIndex());
            channel.bind(new InetSocketAddress(address, options.port()));
            channel.join(address, own);
            Socket socket = new Socket(channel, channel.register(selector, SelectionKey.OP_READ), group, own.getIndex());
            member = true;
            return socket;
        } finally {
            if (!member) {
                channel.close();
            }
        }
    }

    /** An interface that is deleted takes along what stands for its index: memberships, and the way to groups. */
    @Override
    public void refresh(int interfaceIndex) {
        for (Socket socket : sockets) {
            try {
                if (socket.local.isMulticast() && socket.scope != interfaceIndex) {
                    join(socket.local);
                    giveUp("attach_mcast", socket);
                } else if (socket.groupInterface != 0 && socket.groupInterface != interfaceIndex) {
                    sendGroupsByInterface(socket);
                }
            } catch (VerbsException notYet) {
                // The interface may not be whole yet; the next look tries again.
            }
        }
    }

    @Override
    public void leave(Gid group) {
        giveUp("detach_mcast", socketOf(group));
    }

    private void giveUp(String verb, Socket gone) {
        sockets = Arrays.stream(sockets).filter(socket -> socket != gone).toArray(Socket[]::new);
        nextSocket = 0;
        try {
            gone.channel.close();
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, verb, e.getMessage(), e);
        }
    }

    /** Connects a channel of its own, which sends nothing but looks up the route. The link's channel must never be connected. */
    private void askRoutingTable(Socket socket, Gid remote, InetSocketAddress address) {
        try (DatagramChannel asking = openChannel(remote)) {
            asking.bind(new InetSocketAddress(LocalAddresses.toInetAddress(socket.local, socket.scope), 0));
            asking.connect(address);
        } catch (IOException e) {
            throw new VerbsException(e instanceof NoRouteToHostException ? Errno.EHOSTUNREACH : Errno.ENETUNREACH, "resolve_route",
                "no route from " + LocalAddresses.text(socket.local) + " to " + LocalAddresses.text(remote) + ": " + e.getMessage(), e);
        }
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

    /** @return false if the socket is full */
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
        Socket[] now = sockets;
        int total = 0;
        int start = nextSocket;
        for (int i = 0; i < now.length && total < limit; i++) {
            nextSocket = start + i < now.length ? start + i : start + i - now.length;
            total += receive(now[nextSocket], handler, limit - total);
        }
        if (total < limit) {
            nextSocket = start + 1 < now.length ? start + 1 : 0;
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
                broken = !closed;
                return total;
            } catch (IOException e) {
                // About a packet sent before (ICMP): nothing to receive now.
                return total;
            }
            if (sender == null) {
                return total;
            }
            total++;
            int length = receiveBuffer.position() - TransmitBatch.HEADROOM;
            receiveBuffer.clear();
            if (length > MAX_PACKET_BYTES) {
                oversized++;
            } else {
                dispatch(socket, sender, length, handler);
            }
        }
        return total;
    }

    private void dispatch(Socket socket, InetSocketAddress sender, int length, FrameHandler handler) {
        // The JDK hands out the same object while the sender stays the same.
        if (sender != socket.lastSender) {
            Gid remote = Gid.of(sender.getAddress());
            socket.lastSender = sender;
            socket.lastSenderHigh = remote.high();
            socket.lastSenderLow = remote.low();
        }
        handler.onFrame(frame.begin(receiveBuffer, TransmitBatch.HEADROOM, length)
            .addresses(socket.local, socket.lastSenderHigh, socket.lastSenderLow).ports(sender.getPort(), options.port()));
    }

    /** As {@link Link#await}, rounded up to milliseconds; an interrupted thread does not park. */
    @Override
    public void await(long timeoutNs) {
        if (timeoutNs <= 0 || closed) {
            return;
        }
        if (!waiter.compareAndSet(IDLE, WAITING)) {
            waiter.set(IDLE);
            return;
        }
        for (Socket socket : sockets) {
            if (socket.key.isValid()) {
                socket.key.interestOps(socket.full ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            }
        }
        try {
            selector.select((timeoutNs + NS_PER_MS - 1) / NS_PER_MS);
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "poll", "selector: " + e.getMessage(), e);
        } finally {
            waiter.set(IDLE);
        }
        for (SelectionKey key : selector.selectedKeys()) {
            noteReady(key);
        }
        selector.selectedKeys().clear();
    }

    private void noteReady(SelectionKey key) {
        for (Socket socket : sockets) {
            if (socket.key == key && key.isValid() && key.isWritable()) {
                socket.full = false;
            }
        }
    }

    @Override
    public void wakeup() {
        // An exchange even if it is SIGNALLED already: the caller's work must be visible before the owner takes the signal.
        if (waiter.getAndSet(SIGNALLED) == WAITING) {
            selector.wakeup();
        }
    }

    @Override
    public long sendErrors() {
        return sendErrors;
    }

    /** Packets received that were longer than {@link #MAX_PACKET_BYTES}. */
    long oversized() {
        return oversized;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            for (Socket socket : sockets) {
                if (socket != null) {
                    socket.channel.close();
                }
            }
            if (selector != null) {
                selector.close();
            }
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "close_device", e.getMessage(), e);
        }
    }
}
