// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.softrdma.linux.LinuxSockets.AF_INET;
import static org.softrdma.linux.LinuxSockets.AF_INET6;
import static org.softrdma.linux.LinuxSockets.IPPROTO_IP;
import static org.softrdma.linux.LinuxSockets.IPPROTO_IPV6;
import static org.softrdma.linux.LinuxSockets.IPPROTO_UDP;
import static org.softrdma.linux.LinuxSockets.SOCKADDR_BYTES;
import static org.softrdma.linux.LinuxSockets.SOL_SOCKET;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.PacketTrains;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.linux.WaitedFor;
import org.softrdma.linux.WakeupEvent;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * RoCE v2 over Linux UDP sockets, one per address, in batches (sendmmsg, recvmmsg), with no native code but the C library's. Where the
 * kernel can, equal packets travel through it as trains, cut (UDP_SEGMENT) and coalesced (UDP_GRO) by the kernel or the NIC.
 *
 * <p>The sockets are unconnected and may not fragment, so that every IPv4 packet leaves with identification 0 and DF set, as the ICRC
 * needs to know. IPv6 packets without UDP checksum, which kernel rxe sends, are taken. Paths are valid on the link that resolved them.
 *
 * <p>{@link #close} is for the owner, when no other thread uses the link any more; {@link #wakeup} may still come, at any time.
 */
public final class LinuxUdpLink implements Link {
    /** Longest packet received, BTH to ICRC: an MTU of 4096 and room for all headers. Longer ones are dropped and counted. */
    public static final int MAX_PACKET_BYTES = 4480;
    private static final int TRANSMIT_VECTOR = 128;
    private static final int RECEIVE_VECTOR = 32;
    /** A coalesced train is one UDP datagram. */
    private static final int MAX_TRAIN_BYTES = 65_536;
    private static final int CONTROL_BYTES = 64;

    /**
     * A socket without packets for so many polls is looked at in one poll of {@link #COLD_INTERVAL} only, until await() finds it ready:
     * a system call for each idle address would slow the busy one down. The socket that had packets last never gets cold.
     */
    private static final int COLD_AFTER = 1024;
    private static final int COLD_INTERVAL = 8;
    /** For a message that may have been refused for another's sake. */
    private static final int MORE_TRIES = 4;

    private final UdpLinkOptions options;
    /** Replaced as a whole. */
    private volatile List<Gid> addresses;
    /** One for each address, each address that was given up but has paths, and each multicast group joined. */
    private Socket[] sockets;
    private final Arena arena = Arena.ofAuto();
    private final LinuxSockets calls = new LinuxSockets(arena);
    /** For {@link #await}, which the agent's thread is in while another thread may own the device and send. */
    private final LinuxSockets waitCalls = new LinuxSockets(arena);
    private final SendTrains trains;
    private final boolean coalesces;
    private final int slotBytes;
    private final MessageVector receiveVector = new MessageVector(arena, RECEIVE_VECTOR);
    private final MemorySegment receiveMemory;
    private final ByteBuffer receiveBuffer;
    private final MemorySegment names = arena.allocate((long) RECEIVE_VECTOR * SOCKADDR_BYTES, 8);
    private final MemorySegment controls = arena.allocate((long) RECEIVE_VECTOR * CONTROL_BYTES, 8);
    /** Replaced as a whole when a group is joined or left: the agent's thread may be in {@link #await} meanwhile. */
    private volatile Watched watched;
    private final ReceivedFrame frame = new ReceivedFrame();
    private WakeupEvent wakeup;
    private final ErrorQueue errors;
    private Socket hottest;
    private int nextSocket;
    private int polls;
    private int trafficClass;
    private int segmentBytes;
    private long sendErrors;
    private long oversized;
    private boolean broken;
    private boolean closed;

    LinuxUdpLink(List<Gid> addresses, UdpLinkOptions options) {
        LocalAddresses.check(addresses);
        this.options = options;
        this.addresses = List.copyOf(addresses);
        sockets = new Socket[addresses.size()];
        boolean open = false;
        try {
            openAll();
            open = true;
        } finally {
            if (!open) {
                close();
            }
        }
        errors = new ErrorQueue(calls, arena, options.port());
        coalesces = options.offload() && setAll(LinuxSockets.UDP_GRO, 1);
        // Asking for segment size 0 changes nothing, and tells whether the kernel knows the option.
        trains = new SendTrains(arena, TRANSMIT_VECTOR, options.offload() && setAll(LinuxSockets.UDP_SEGMENT, 0));
        int receiveBytes = coalesces ? MAX_TRAIN_BYTES : MAX_PACKET_BYTES;
        slotBytes = TransmitBatch.HEADROOM + receiveBytes;
        receiveMemory = arena.allocate((long) RECEIVE_VECTOR * slotBytes, 64);
        receiveBuffer = receiveMemory.asByteBuffer();
        for (int i = 0; i < RECEIVE_VECTOR; i++) {
            receiveVector.iovec(i, receiveMemory.address() + (long) i * slotBytes + TransmitBatch.HEADROOM, receiveBytes);
            receiveVector.message(i, names.address() + (long) i * SOCKADDR_BYTES, SOCKADDR_BYTES, i, 1,
                controls.address() + (long) i * CONTROL_BYTES, CONTROL_BYTES);
        }
    }

    /** One bound socket, and whether it is worth a look. */
    static final class Socket {
        final int fd;
        final Gid local;
        final int scope;
        final boolean ipv4;
        int emptyPolls;
        /** The last poll found something: there may be more. */
        boolean streams;
        boolean full;
        /** Its error queue has something, perhaps. */
        boolean hasErrors;
        /** Paths hold on to it: it stays open even if the interface loses the address. */
        boolean hasPaths;
        /** Index of the interface that packets to groups leave by; 0: there were none. */
        int groupInterface;

        Socket(int fd, Gid local, int scope) {
            this.fd = fd;
            this.local = local;
            this.scope = scope;
            ipv4 = local.isIpv4Mapped();
        }
    }

    /** What {@link #await} looks at. */
    private record Watched(Socket[] sockets, WaitedFor descriptors) {
    }

    /** The native side of a {@link Path}: the peer's socket address and, for what the IP header must say, control messages. */
    static final class Destination implements PacketTrains.Target {
        private final Gid remote;
        private final int trafficClass;
        private final int hopLimit;
        final Socket socket;
        final MemorySegment memory;
        final long name;
        final int nameLength;
        final long control;
        final int controlLength;

        Destination(Socket socket, Gid remote, int trafficClass, int hopLimit, MemorySegment memory, int nameLength, int controlLength) {
            this.socket = socket;
            this.remote = remote;
            this.trafficClass = trafficClass;
            this.hopLimit = hopLimit;
            this.memory = memory;
            this.nameLength = nameLength;
            this.controlLength = controlLength;
            name = memory.address();
            control = controlLength == 0 ? 0 : name + SOCKADDR_BYTES;
        }

        @Override
        public boolean isSameAs(PacketTrains.Target target) {
            return this == target || target instanceof Destination other && socket == other.socket && trafficClass == other.trafficClass
                && hopLimit == other.hopLimit && remote.equals(other.remote);
        }
    }

    private void openAll() {
        for (int i = 0; i < sockets.length; i++) {
            sockets[i] = open(addresses.get(i));
        }
        hottest = sockets[0];
        wakeup = new WakeupEvent(calls);
        watch();
    }

    private void watch() {
        watched = new Watched(sockets, new WaitedFor(waitCalls, wakeup, Arrays.stream(sockets).mapToInt(socket -> socket.fd).toArray()));
    }

    private Socket open(Gid address) {
        return open(address, LocalAddresses.scopeOf(address, options.interfaceName()));
    }

    private Socket open(Gid address, int scope) {
        int fd = calls.udpSocket(address.isIpv4Mapped() ? AF_INET : AF_INET6);
        if (fd == -LinuxSockets.EAFNOSUPPORT) {
            throw LocalAddresses.bindFailed(Errno.EADDRNOTAVAIL, address, options.port(), "", null);
        }
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "open_device", "UDP socket for " + LocalAddresses.text(address));
        }
        boolean bound = false;
        // Not in the link's arena: an address that cannot be used is tried again and again, as long as the link lives.
        try (Arena call = Arena.ofConfined()) {
            configure(fd, address.isIpv4Mapped());
            if (address.isMulticast()) {
                becomeMember(fd, address, scope);
            }
            MemorySegment name = call.allocate(SOCKADDR_BYTES, 8);
            int error = calls.bind(fd, name, LinuxSockets.putAddress(name, address, options.port(), scope));
            if (error < 0) {
                throw LocalAddresses.bindFailed(LinuxSockets.errno(-error), address, options.port(), "errno " + -error, null);
            }
            bound = true;
        } finally {
            if (!bound) {
                LinuxSockets.close(fd);
            }
        }
        return new Socket(fd, address, scope);
    }

    private void configure(int fd, boolean ipv4) {
        if (ipv4) {
            require(fd, IPPROTO_IP, LinuxSockets.IP_MTU_DISCOVER, LinuxSockets.PMTUDISC_DO, "IP_MTU_DISCOVER");
            require(fd, IPPROTO_IP, LinuxSockets.IP_RECVTOS, 1, "IP_RECVTOS");
            require(fd, IPPROTO_IP, LinuxSockets.IP_RECVERR, 1, "IP_RECVERR");
        } else {
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_V6ONLY, 1, "IPV6_V6ONLY");
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_MTU_DISCOVER, LinuxSockets.PMTUDISC_DO, "IPV6_MTU_DISCOVER");
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_RECVTCLASS, 1, "IPV6_RECVTCLASS");
            require(fd, IPPROTO_IPV6, LinuxSockets.IPV6_RECVERR, 1, "IPV6_RECVERR");
            require(fd, IPPROTO_UDP, LinuxSockets.UDP_NO_CHECK6_RX, 1, "UDP_NO_CHECK6_RX");
        }
        // The forced sizes need CAP_NET_ADMIN; without it net.core.{r,w}mem_max are the limit.
        if (calls.setOption(fd, SOL_SOCKET, LinuxSockets.SO_RCVBUFFORCE, options.socketBufferBytes()) < 0) {
            require(fd, SOL_SOCKET, LinuxSockets.SO_RCVBUF, options.socketBufferBytes(), "SO_RCVBUF");
        }
        if (calls.setOption(fd, SOL_SOCKET, LinuxSockets.SO_SNDBUFFORCE, options.socketBufferBytes()) < 0) {
            require(fd, SOL_SOCKET, LinuxSockets.SO_SNDBUF, options.socketBufferBytes(), "SO_SNDBUF");
        }
    }

    /** Every process that joined has a socket at the group's address, and each gets every packet. */
    private void becomeMember(int fd, Gid group, int interfaceIndex) {
        boolean ipv4 = group.isIpv4Mapped();
        require(fd, SOL_SOCKET, LinuxSockets.SO_REUSEADDR, 1, "SO_REUSEADDR");
        require(fd, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? LinuxSockets.IP_MULTICAST_ALL : LinuxSockets.IPV6_MULTICAST_ALL, 0,
            "MULTICAST_ALL");
        int error = calls.setOption(fd, ipv4 ? IPPROTO_IP : IPPROTO_IPV6,
            ipv4 ? LinuxSockets.IP_ADD_MEMBERSHIP : LinuxSockets.IPV6_JOIN_GROUP, LinuxSockets.membership(group, interfaceIndex));
        if (error < 0) {
            throw LinuxSockets.failure(-error, "attach_mcast", "the host does not join group " + LocalAddresses.text(group));
        }
    }

    @Override
    public void join(Gid group) {
        LocalAddresses.checkGroup(addresses, group);
        take(open(group, LocalAddresses.interfaceOf(addresses, options.interfaceName()).getIndex()));
    }

    private void take(Socket socket) {
        if (coalesces) {
            calls.setOption(socket.fd, IPPROTO_UDP, LinuxSockets.UDP_GRO, 1);
        }
        sockets = Arrays.copyOf(sockets, sockets.length + 1);
        sockets[sockets.length - 1] = socket;
        watch();
        wakeup();
    }

    @Override
    public void leave(Gid group) {
        giveUp(socketOf(group));
    }

    /** The socket bound to that address or group, or null. */
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
        if (!addresses.contains(address)) {
            if (socketOf(address) == null) {
                take(open(address));
            }
            addresses = LocalAddresses.with(addresses, address);
        }
    }

    @Override
    public void removeAddress(Gid address) {
        addresses = LocalAddresses.without(addresses, address);
        Socket socket = socketOf(address);
        if (socket != null && !socket.hasPaths && sockets.length > 1) {
            giveUp(socket);
        }
    }

    @Override
    public boolean isBroken() {
        return broken;
    }

    /** An interface that is deleted takes along what stands for its index: memberships, and the way to groups. */
    @Override
    public void refresh(int interfaceIndex) {
        for (Socket socket : sockets) {
            try {
                if (socket.local.isMulticast() && socket.scope != interfaceIndex) {
                    take(open(socket.local, interfaceIndex));
                    giveUp(socket);
                } else if (socket.groupInterface != 0 && socket.groupInterface != interfaceIndex) {
                    sendGroupsBy(socket, interfaceIndex);
                }
            } catch (VerbsException notYet) {
                // The interface may not be whole yet; the next look tries again.
            }
        }
    }

    private void giveUp(Socket gone) {
        sockets = Arrays.stream(sockets).filter(socket -> socket != gone).toArray(Socket[]::new);
        hottest = hottest == gone ? sockets[0] : hottest;
        nextSocket = 0;
        watch();
        wakeup();
        LinuxSockets.close(gone.fd);
    }

    /** Sets a UDP option on every socket. @return false if the kernel does not know it */
    private boolean setAll(int name, int value) {
        boolean known = true;
        for (Socket socket : sockets) {
            known &= calls.setOption(socket.fd, IPPROTO_UDP, name, value) >= 0;
        }
        return known;
    }

    private void require(int fd, int level, int name, int value, String text) {
        int error = calls.setOption(fd, level, name, value);
        if (error < 0) {
            throw LinuxSockets.failure(-error, "open_device", "setsockopt " + text + " = " + value);
        }
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
        StringBuilder text = new StringBuilder("UDP port ").append(options.port()).append(" (sendmmsg, recvmmsg, segmentation ")
            .append(trains.offload() ? "on" : "off").append(", coalescing ").append(coalesces ? "on" : "off").append(") on");
        for (Socket socket : sockets) {
            int receiveBytes = closed ? 0 : calls.getOption(socket.fd, SOL_SOCKET, LinuxSockets.SO_RCVBUF);
            text.append(' ').append(LocalAddresses.text(socket.local)).append(" (").append(receiveBytes >> 10).append(" KiB)");
        }
        return text.toString();
    }

    /**
     * As {@link Link#resolve}, for the owner. The hop limit is the route's, as it is with kernel rxe whatever the address vector says;
     * to groups it is the one asked for.
     *
     * @throws VerbsException ENETUNREACH or EHOSTUNREACH if the routing table has no way, EADDRNOTAVAIL, EINVAL
     */
    @Override
    public Path resolve(PathRequest request) {
        LocalAddresses.checkPath(addresses, request);
        Gid local = request.local();
        Gid remote = request.remote();
        Socket socket = socketOf(local);
        MemorySegment memory = Arena.ofAuto().allocate(SOCKADDR_BYTES + CONTROL_BYTES, 8);
        boolean group = remote.isMulticast();
        int groupScope = group ? sendGroupsByInterface(socket) : 0;
        int nameLength = LinuxSockets.putAddress(memory, remote, options.port(), remote.isLinkLocal() ? socket.scope : groupScope);
        askRoutingTable(socket, remote, memory, nameLength);
        if (group) {
            // The socket knows the interface; an index in here would be wrong for good once that is deleted and made again.
            LinuxSockets.putAddress(memory, remote, options.port(), 0);
        }
        int controlLength = 0;
        int trafficClass = request.trafficClass();
        if (trafficClass != 0) {
            controlLength = putControl(memory, controlLength, socket.ipv4, LinuxSockets.IP_TOS, LinuxSockets.IPV6_TCLASS, trafficClass);
        }
        int hops = group ? Math.max(1, request.hopLimit()) : 0;
        if (group) {
            controlLength = putControl(memory, controlLength, socket.ipv4, LinuxSockets.IP_TTL, LinuxSockets.IPV6_HOPLIMIT, hops);
        }
        socket.hasPaths = true;
        return new Path(local, remote, options.port(), options.port(), trafficClass, request.hopLimit(),
            new Destination(socket, remote, trafficClass, hops, memory, nameLength, controlLength));
    }

    /** What this socket sends to groups leaves by the link's interface, whatever routes there are. @return that interface's index */
    private int sendGroupsByInterface(Socket socket) {
        int index = LocalAddresses.interfaceOf(addresses, options.interfaceName()).getIndex();
        sendGroupsBy(socket, index);
        return index;
    }

    private void sendGroupsBy(Socket socket, int index) {
        int error = socket.ipv4
            ? calls.setOption(socket.fd, IPPROTO_IP, LinuxSockets.IP_MULTICAST_IF, LinuxSockets.membership(Gid.ofIpv4(0), index))
            : calls.setOption(socket.fd, IPPROTO_IPV6, LinuxSockets.IPV6_MULTICAST_IF, index);
        if (error < 0) {
            throw LinuxSockets.failure(-error, "resolve_route", "setsockopt MULTICAST_IF = " + index);
        }
        socket.groupInterface = index;
    }

    private static int putControl(MemorySegment memory, int offset, boolean ipv4, int ipv4Type, int ipv6Type, int value) {
        int at = SOCKADDR_BYTES + offset;
        memory.set(JAVA_LONG, at, LinuxSockets.CMSG_HEADER + Integer.BYTES);
        memory.set(JAVA_INT, at + LinuxSockets.CMSG_LEVEL, ipv4 ? IPPROTO_IP : IPPROTO_IPV6);
        memory.set(JAVA_INT, at + LinuxSockets.CMSG_TYPE, ipv4 ? ipv4Type : ipv6Type);
        memory.set(JAVA_INT, at + LinuxSockets.CMSG_HEADER, value);
        return offset + LinuxSockets.CMSG_HEADER + Long.BYTES;
    }

    /** Connects a socket of its own, which sends nothing but looks up the route. The link's socket must never be connected. */
    private void askRoutingTable(Socket socket, Gid remote, MemorySegment name, int nameLength) {
        int fd = calls.udpSocket(socket.ipv4 ? AF_INET : AF_INET6);
        if (fd < 0) {
            throw LinuxSockets.failure(-fd, "resolve_route", "UDP socket");
        }
        int error;
        try {
            MemorySegment source = Arena.ofAuto().allocate(SOCKADDR_BYTES, 8);
            error = calls.bind(fd, source, LinuxSockets.putAddress(source, socket.local, 0, socket.scope));
            if (error >= 0) {
                error = calls.connect(fd, name, nameLength);
            }
        } finally {
            LinuxSockets.close(fd);
        }
        if (error < 0) {
            // EINVAL: from a loopback address to the world, or a link-local address without interface.
            int number = error == -Errno.EINVAL.value() ? Errno.ENETUNREACH.value() : -error;
            throw LinuxSockets.failure(number, "resolve_route",
                "no route from " + LocalAddresses.text(socket.local) + " to " + LocalAddresses.text(remote));
        }
    }

    @Override
    public int send(TransmitBatch batch) {
        int total = 0;
        while (!batch.isEmpty()) {
            int taken = sendSome(batch);
            if (taken == 0) {
                break;
            }
            total += taken;
        }
        return total;
    }

    /** Sends packets from the front that leave by one socket. @return 0 if the socket is full */
    private int sendSome(TransmitBatch batch) {
        Socket socket = ((Destination) batch.path(batch.first()).linkState()).socket;
        if (closed) {
            return drop(batch);
        }
        int messages = trains.describe(batch);
        int sent = transmit(batch, socket, messages);
        for (int i = 0; i < MORE_TRIES && sent < 0 && maybeOfAnother(-sent); i++) {
            socket.hasErrors = true;
            sent = transmit(batch, socket, messages);
        }
        // The messages hold addresses into the batch and its paths.
        Reference.reachabilityFence(batch);
        if (sent == -LinuxSockets.ENOBUFS) {
            // With IP_RECVERR Linux tells that a queue on the way out dropped the first message: it is lost, as on the wire.
            int lost = trains.sent(batch, 1, messages);
            sendErrors += lost;
            return lost;
        }
        socket.hasErrors |= sent > 0 && sent < messages;
        int packets = trains.sent(batch, Math.max(sent, 0), messages);
        return packets > 0 ? packets : onRefused(batch, socket, -sent);
    }

    private int transmit(TransmitBatch batch, Socket socket, int messages) {
        boolean lone = messages == 1 && trains.packets(0) == 1;
        return lone ? sendOne(batch, socket)
            : messages == 1 ? calls.sendmsg(socket.fd, trains.messages()) : calls.sendmmsg(socket.fd, trains.messages(), messages);
    }

    /** What a host said of a packet before is told once, to whatever is sent next, which is not sent then. */
    private static boolean maybeOfAnother(int errno) {
        return switch (errno) {
            case LinuxSockets.EAGAIN, LinuxSockets.EINTR, LinuxSockets.ENOBUFS, LinuxSockets.EIO, LinuxSockets.EINVAL -> false;
            default -> true;
        };
    }

    /** The host did not take the first message. @return packets that are off the batch all the same */
    private int onRefused(TransmitBatch batch, Socket socket, int errno) {
        if (errno == LinuxSockets.EAGAIN) {
            socket.full = true;
            return 0;
        }
        if (errno == LinuxSockets.EINTR) {
            return 0;
        }
        if (trains.packets(0) > 1 && (errno == LinuxSockets.EIO || errno == LinuxSockets.EINVAL)) {
            // The interface cannot segment (no checksum offload, say): packet by packet from now on.
            trains.giveUpOffload();
            return sendSome(batch);
        }
        return drop(batch);
    }

    /** A lone packet: sendto spares some 200 ns of 3 µs against sendmmsg, but takes no control message. */
    private int sendOne(TransmitBatch batch, Socket socket) {
        int index = batch.first();
        Destination destination = (Destination) batch.path(index).linkState();
        return destination.controlLength != 0
            ? calls.sendmsg(socket.fd, trains.messages())
            : calls.sendto(socket.fd, batch.memory().address() + batch.offset(index), batch.length(index), destination.memory,
                destination.nameLength);
    }

    private int drop(TransmitBatch batch) {
        sendErrors++;
        batch.sent(1);
        return 1;
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        int total = 0;
        int start = nextSocket;
        boolean lookAtAll = ++polls % COLD_INTERVAL == 0;
        for (int i = 0; i < sockets.length && total < limit; i++) {
            int index = start + i < sockets.length ? start + i : start + i - sockets.length;
            Socket socket = sockets[index];
            if (socket == hottest || lookAtAll || socket.emptyPolls < COLD_AFTER) {
                total += receive(socket, handler, limit - total);
                nextSocket = index;
            }
        }
        if (total < limit) {
            nextSocket = start + 1 < sockets.length ? start + 1 : 0;
        }
        return total;
    }

    private int receive(Socket socket, FrameHandler handler, int limit) {
        int total = socket.streams ? receiveStream(socket, handler, limit) : receiveLone(socket, handler);
        if (socket.hasErrors && !closed) {
            socket.hasErrors = !errors.drain(socket.fd, socket.local, handler);
        }
        if (total > 0) {
            socket.emptyPolls = 0;
            hottest = socket;
        } else if (socket.emptyPolls < COLD_AFTER) {
            socket.emptyPolls++;
        }
        return total;
    }

    /** Nothing came last time: one message is asked for, which takes two thirds of the time that asking for many takes. */
    private int receiveLone(Socket socket, FrameHandler handler) {
        if (closed) {
            return 0;
        }
        int bytes = calls.recvmsg(socket.fd, receiveVector.messages());
        if (bytes < 0 && isAnError(socket, -bytes)) {
            bytes = calls.recvmsg(socket.fd, receiveVector.messages());
        }
        if (bytes < 0) {
            return 0;
        }
        int packets = dispatch(socket, handler, 0, bytes);
        receiveVector.rearm(0, SOCKADDR_BYTES, CONTROL_BYTES);
        socket.streams = true;
        return packets;
    }

    /** Whether there is not just nothing there. Most errors are about packets sent before, and told once: there may be packets behind. */
    private boolean isAnError(Socket socket, int errno) {
        if (errno == LinuxSockets.EAGAIN) {
            return false;
        }
        socket.hasErrors = true;
        broken |= errno == LinuxSockets.EBADF || errno == LinuxSockets.ENOTSOCK;
        return true;
    }

    private int receiveStream(Socket socket, FrameHandler handler, int limit) {
        int total = 0;
        while (total < limit && !closed) {
            int asked = Math.min(limit - total, RECEIVE_VECTOR);
            int count = calls.recvmmsg(socket.fd, receiveVector.messages(), asked);
            if (count < 0 && isAnError(socket, -count)) {
                count = calls.recvmmsg(socket.fd, receiveVector.messages(), asked);
            }
            for (int i = 0; i < count; i++) {
                total += dispatch(socket, handler, i, receiveVector.received(i));
                receiveVector.rearm(i, SOCKADDR_BYTES, CONTROL_BYTES);
            }
            if (count < asked) {
                break;
            }
        }
        if (total == 0) {
            socket.streams = false;
        }
        return total;
    }

    /** Hands a packet, or each packet of a train, to the handler. @return how many */
    private int dispatch(Socket socket, FrameHandler handler, int index, int bytes) {
        if ((receiveVector.flags(index) & LinuxSockets.MSG_TRUNC) != 0) {
            oversized++;
            return 1;
        }
        long name = (long) index * SOCKADDR_BYTES;
        long remoteHigh = LinuxSockets.gidHigh(names, name, socket.ipv4);
        long remoteLow = LinuxSockets.gidLow(names, name, socket.ipv4);
        int sourcePort = names.get(LinuxSockets.SHORT_BE, name + LinuxSockets.SOCKADDR_PORT) & 0xffff;
        readControl(index);
        int at = index * slotBytes + TransmitBatch.HEADROOM;
        int end = at + bytes;
        int packets = 0;
        do {
            int length = segmentBytes == 0 ? end - at : Math.min(segmentBytes, end - at);
            if (length > MAX_PACKET_BYTES) {
                oversized++;
            } else {
                handler.onFrame(frame.begin(receiveBuffer, at, length).addresses(socket.local, remoteHigh, remoteLow)
                    .ports(sourcePort, options.port()).trafficClass(trafficClass));
            }
            at += length;
            packets++;
        } while (at < end);
        return packets;
    }

    /** Finds the traffic class (IP_TOS, a byte, or IPV6_TCLASS, an int) and, of a train, the length of its packets (UDP_GRO, an int). */
    private void readControl(int index) {
        trafficClass = 0;
        segmentBytes = 0;
        long at = (long) index * CONTROL_BYTES;
        long end = at + receiveVector.controlLength(index);
        while (at + LinuxSockets.CMSG_HEADER < end) {
            long length = controls.get(JAVA_LONG, at);
            int level = controls.get(JAVA_INT, at + LinuxSockets.CMSG_LEVEL);
            if (level == IPPROTO_UDP) {
                segmentBytes = controls.get(JAVA_INT, at + LinuxSockets.CMSG_HEADER);
            } else if (level == IPPROTO_IP) {
                trafficClass = controls.get(ValueLayout.JAVA_BYTE, at + LinuxSockets.CMSG_HEADER) & 0xff;
            } else {
                trafficClass = controls.get(JAVA_INT, at + LinuxSockets.CMSG_HEADER) & 0xff;
            }
            at += length + 7 & ~7;
        }
    }

    @Override
    public void await(long timeoutNs) {
        if (timeoutNs <= 0 || closed) {
            return;
        }
        Watched now = watched;
        for (int i = 0; i < now.sockets.length; i++) {
            now.descriptors.room(i, now.sockets[i].full);
        }
        if (now.descriptors.await(timeoutNs)) {
            noteReady(now);
        }
    }

    private static void noteReady(Watched now) {
        for (int i = 0; i < now.sockets.length; i++) {
            if (now.descriptors.isReady(i)) {
                now.sockets[i].emptyPolls = 0;
                now.sockets[i].full = false;
                now.sockets[i].hasErrors |= now.descriptors.hasErrors(i);
            }
        }
    }

    @Override
    public void wakeup() {
        wakeup.signal();
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
        for (Socket socket : sockets) {
            if (socket != null) {
                LinuxSockets.close(socket.fd);
            }
        }
        if (wakeup != null) {
            wakeup.close();
        }
    }
}
