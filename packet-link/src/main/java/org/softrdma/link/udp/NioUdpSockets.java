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
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;
import org.softrdma.link.LocalAddresses;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/** The channels of a {@link NioUdpLink}, and the selector a thread waits on for them. */
final class NioUdpSockets extends UdpSockets<NioUdpSockets.Socket> {
    private static final long NS_PER_MS = 1_000_000;

    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int SIGNALLED = 2;

    private final Selector selector;
    private final AtomicInteger waiter = new AtomicInteger(IDLE);
    /** Replaced as a whole: another thread may be in {@link #await} meanwhile. */
    private volatile Socket[] array = {};
    private boolean mayFragment;

    NioUdpSockets(List<Gid> addresses, UdpLinkOptions options) {
        super(addresses, options);
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "open_device", "selector: " + e.getMessage(), e);
        }
        openAll();
    }

    /** One bound channel, with the options set on it last and the sender it received from last. */
    static final class Socket extends BoundSocket {
        final DatagramChannel channel;
        final SelectionKey key;
        Integer trafficClass = 0;
        Integer groupHops = 1;
        InetSocketAddress lastSender;
        long lastSenderHigh;
        long lastSenderLow;
        boolean full;

        Socket(DatagramChannel channel, SelectionKey key, Gid local, int scope) {
            super(local, scope);
            this.channel = channel;
            this.key = key;
        }
    }

    /** The sockets as an array, which is replaced as a whole. */
    Socket[] array() {
        return array;
    }

    /** Whether the platform cannot set IP_DONTFRAGMENT. */
    boolean mayFragment() {
        return mayFragment;
    }

    @Override
    protected Socket open(Gid address, int scope) {
        InetAddress local = LocalAddresses.toInetAddress(address, scope);
        try {
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
                throw LocalAddresses.bindFailed(bindErrno(e, local), address, options.port(), e.getMessage(), e);
            } finally {
                if (!bound) {
                    channel.close();
                }
            }
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "open_device", LocalAddresses.text(address) + ": " + e.getMessage(), e);
        }
    }

    private DatagramChannel openChannel(Gid address) throws IOException {
        try {
            return DatagramChannel.open(address.isIpv4Mapped() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        } catch (UnsupportedOperationException e) {
            throw LocalAddresses.bindFailed(Errno.EADDRNOTAVAIL, address, options.port(), "", e);
        }
    }

    /** Derives the errno from the exception's message, for java.nio has nothing else; some platforms translate it. */
    private static Errno bindErrno(SocketException e, InetAddress address) throws SocketException {
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
    protected Socket openMember(Gid group, int interfaceIndex) {
        InetAddress address = LocalAddresses.toInetAddress(group, group.isIpv4Mapped() ? 0 : interfaceIndex);
        try {
            DatagramChannel channel = openChannel(group);
            boolean member = false;
            try {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.SO_RCVBUF, options.socketBufferBytes());
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                channel.bind(new InetSocketAddress(address, options.port()));
                channel.join(address, interfaceAt(interfaceIndex));
                Socket socket = new Socket(channel, channel.register(selector, SelectionKey.OP_READ), group, interfaceIndex);
                member = true;
                return socket;
            } finally {
                if (!member) {
                    channel.close();
                }
            }
        } catch (IOException e) {
            throw new VerbsException(Errno.ENOMEM, "attach_mcast", "the host does not join group " + LocalAddresses.text(group) + ": "
                + e.getMessage(), e);
        }
    }

    private static NetworkInterface interfaceAt(int index) throws SocketException {
        NetworkInterface found = NetworkInterface.getByIndex(index);
        if (found == null) {
            throw new SocketException("no network interface has index " + index);
        }
        return found;
    }

    @Override
    protected void sendGroupsBy(Socket socket, int interfaceIndex) {
        try {
            socket.channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, interfaceAt(interfaceIndex));
        } catch (IOException e) {
            throw new VerbsException(Errno.ENETUNREACH, "resolve_route", "IP_MULTICAST_IF " + interfaceIndex + ": " + e.getMessage(), e);
        }
    }

    /**
     * Looks up the route of a path by connecting a temporary channel, which sends nothing. The link's own channels must never be connected.
     *
     * @throws VerbsException ENETUNREACH or EHOSTUNREACH: no route
     */
    void checkRoute(Socket socket, Gid remote, InetSocketAddress address) {
        try (DatagramChannel temporary = openChannel(remote)) {
            temporary.bind(new InetSocketAddress(LocalAddresses.toInetAddress(socket.local, socket.scope), 0));
            temporary.connect(address);
        } catch (IOException e) {
            throw new VerbsException(e instanceof NoRouteToHostException ? Errno.EHOSTUNREACH : Errno.ENETUNREACH, "resolve_route",
                "no route from " + LocalAddresses.text(socket.local) + " to " + LocalAddresses.text(remote) + ": " + e.getMessage(), e);
        }
    }

    @Override
    protected void onChanged(List<Socket> now) {
        array = now.toArray(Socket[]::new);
    }

    /** Parks until a channel is ready, {@link #wakeup} was called, or the time is over. An interrupted thread does not park. */
    void await(long timeoutNs) {
        if (!waiter.compareAndSet(IDLE, WAITING)) {
            waiter.set(IDLE);
            return;
        }
        for (Socket socket : array) {
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
        for (Socket socket : array) {
            if (socket.key == key && key.isValid() && key.isWritable()) {
                socket.full = false;
            }
        }
    }

    @Override
    void wakeup() {
        // An exchange even if it is SIGNALLED already: the caller's work must be visible before the owner takes the signal.
        if (waiter.getAndSet(SIGNALLED) == WAITING) {
            selector.wakeup();
        }
    }

    @Override
    protected void release(Socket socket) {
        try {
            socket.channel.close();
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "close_device", LocalAddresses.text(socket.local) + ": " + e.getMessage(), e);
        }
    }

    @Override
    void close() {
        super.close();
        try {
            selector.close();
        } catch (IOException e) {
            throw new VerbsException(Errno.EIO, "close_device", "selector: " + e.getMessage(), e);
        }
    }
}
