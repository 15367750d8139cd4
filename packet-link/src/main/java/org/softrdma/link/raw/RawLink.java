// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.device.Counters;
import org.softrdma.device.config.NetDevice;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.linux.WaitedFor;
import org.softrdma.linux.WakeupEvent;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Gids;

/**
 * RoCE v1 and v2 in whole Ethernet frames over one packet socket, in batches. Trains of RoCE v2 packets go to the kernel in one piece
 * ({@code PACKET_VNET_HDR}), to be cut as late as can be, and come back in one piece where nobody cut them.
 *
 * <p>We write all headers; the kernel tells the MAC addresses that belong to IP addresses ({@link Neighbours}). Packets to a neighbour that
 * has not answered yet wait ({@link WaitingPackets}). On a VLAN interface the kernel adds the tag.
 *
 * <p>{@link #close} is for the owner, when no other thread uses the link any more; {@link #wakeup} may still come, at any time.
 */
final class RawLink implements Link {
    private static final int TRANSMIT_VECTOR = 128;
    private static final int RECEIVE_VECTOR = 32;
    /** The longest IP packet, which a train may be, and headers before it. */
    private static final int MAX_FRAME_BYTES = 65_536 + 128;
    /** Of what is waited for. */
    private static final int SOCKET = 0;
    private static final int NEIGHBOURS = 1;
    private static final int HOP_LIMIT = 64;
    /** A VLAN tag has eight priorities; without a service level, it is the traffic class's precedence. RFC 2474 §4.2.2 */
    private static final int PRIORITIES = 7;
    private static final int PRECEDENCE_SHIFT = 5;
    /** Longer than the kernel takes to give a neighbour up: it asks three times, a second apart. */
    private static final long REACHABLE_WITHIN_NS = 4_000_000_000L;
    /** Polls between two looks at what the kernel tells of neighbours, while nobody waits for one: a system call each. */
    private static final int HEAR_INTERVAL = 1024;
    private static final long LOOK_AGAIN_NS = 2_000_000;

    private final RawLinkOptions options;
    private final int interfaceIndex;
    /** Replaced as a whole. */
    private volatile List<Gid> addresses;
    private List<Gid> groups = List.of();
    private final Arena arena = Arena.ofAuto();
    private final LinuxSockets calls = new LinuxSockets(arena);
    private final Counters<RawCounter> counters = new Counters<>(RawCounter.class);
    private final PacketSocket socket;
    private final ReservedPorts reserved;
    private final List<InterfaceClaim> claims = new ArrayList<>();
    private final Neighbours neighbours;
    private final Routes routes;
    private final WakeupEvent wakeup;
    /** For {@link #await}, which the agent's thread is in while another thread may own the device and send. */
    private final WaitedFor waitedFor;
    private final RawSends sends;
    private final RawFrameReader reader;
    private final WaitingPackets waiting = new WaitingPackets(counters);
    private final OwnPackets own = new OwnPackets(counters);
    private final MessageVector receiveVector = new MessageVector(arena, RECEIVE_VECTOR);
    private final int slotBytes = TransmitBatch.HEADROOM + MAX_FRAME_BYTES;
    private final MemorySegment receiveMemory = arena.allocate((long) RECEIVE_VECTOR * slotBytes, 64);
    private final ByteBuffer receiveBuffer = receiveMemory.asByteBuffer();
    /** The kernel told of neighbours: to be heard by the owner. */
    private volatile boolean noticesCame;
    private volatile boolean full;
    /** The last poll found something: there may be more. */
    private boolean streams;
    private int polls;
    private long sendErrors;
    private boolean broken;
    private boolean closed;

    RawLink(List<Gid> addresses, RawLinkOptions options) {
        LocalAddresses.check(addresses);
        this.options = options;
        this.addresses = List.copyOf(addresses);
        interfaceIndex = LocalAddresses.interfaceOf(addresses, options.interfaceName()).getIndex();
        if (options.mac() == 0 && !isLoopback()) {
            throw new VerbsException(Errno.ENODEV, "open_device", options.interfaceName() + " has no MAC address: raw frames need Ethernet;"
                + " rdma link set DEV link udp takes any interface");
        }
        List<AutoCloseable> open = new ArrayList<>();
        boolean complete = false;
        try {
            socket = opened(open, new PacketSocket(calls, options, interfaceIndex, isLoopback() ? addresses : List.of()));
            reserved = opened(open, new ReservedPorts(calls, options.port(), interfaceIndex));
            if (options.v2()) {
                addresses.forEach(reserved::reserve);
            }
            if (options.v1()) {
                claimVersionOne(open);
            }
            neighbours = opened(open, new Neighbours(calls, interfaceIndex));
            wakeup = new WakeupEvent(calls);
            complete = true;
        } finally {
            if (!complete) {
                open.forEach(RawLink::closeQuietly);
            }
        }
        routes = new Routes(neighbours);
        sends = new RawSends(arena, TRANSMIT_VECTOR, options.offload() && options.v2());
        reader = new RawFrameReader(options.types(), counters);
        localsChanged();
        for (int i = 0; i < RECEIVE_VECTOR; i++) {
            receiveVector.iovec(i, receiveMemory.address() + (long) i * slotBytes + TransmitBatch.HEADROOM, MAX_FRAME_BYTES);
            receiveVector.message(i, 0, 0, i, 1, 0, 0);
        }
        waitedFor = new WaitedFor(new LinuxSockets(arena), wakeup, socket.fd(), neighbours.fd());
    }

    /** An interface has one GID made from its MAC address; but devices share the loopback one, by addresses. */
    private void claimVersionOne(List<AutoCloseable> open) {
        List<String> parts = isLoopback() ? addresses.stream().map(address -> " " + address).toList() : List.of("");
        for (String part : parts) {
            claims.add(opened(open, new InterfaceClaim(calls, options.interfaceName(), interfaceIndex, part)));
        }
    }

    private static <T extends AutoCloseable> T opened(List<AutoCloseable> open, T resource) {
        open.addFirst(resource);
        return resource;
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception impossible) {
            throw new AssertionError("closing descriptors does not fail", impossible);
        }
    }

    private boolean isLoopback() {
        return addresses.getFirst().toInetAddress().isLoopbackAddress();
    }

    // ---- addresses ----

    @Override
    public List<Gid> addresses() {
        return addresses;
    }

    @Override
    public List<GidType> types() {
        return options.types();
    }

    /** RoCE v1 needs no IP: the GID made from the MAC address is always there. */
    @Override
    public boolean has(GidType type, Gid address) {
        return options.types().contains(type) && (addresses.contains(address) || type == GidType.ROCE_V1 && isDefault(address));
    }

    private boolean isDefault(Gid address) {
        return address.equals(defaultGid());
    }

    private Gid defaultGid() {
        return NetDevice.defaultGid(options.mac());
    }

    @Override
    public void addAddress(Gid address) {
        LocalAddresses.check(List.of(address));
        if (!addresses.contains(address)) {
            if (options.v2()) {
                reserved.reserve(address);
            }
            addresses = LocalAddresses.with(addresses, address);
            localsChanged();
        }
    }

    @Override
    public void removeAddress(Gid address) {
        addresses = LocalAddresses.without(addresses, address);
        reserved.release(address);
        localsChanged();
    }

    private void localsChanged() {
        List<Gid> locals = options.v1() && !addresses.contains(defaultGid()) ? LocalAddresses.with(addresses, defaultGid()) : addresses;
        reader.localsAre(locals, groups);
    }

    @Override
    public void join(Gid group) {
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
                // Not more than was joined: another group may have the same MAC address.
                joined.forEach(socket::leave);
            }
        }
        groups = LocalAddresses.with(groups, group);
        localsChanged();
    }

    /** Where frames to a group may be sent, by the versions that the link carries. */
    private List<Long> macsOf(Gid group) {
        List<Long> macs = new ArrayList<>();
        for (GidType type : options.types()) {
            if (!macs.contains(groupMac(type, group))) {
                macs.add(groupMac(type, group));
            }
        }
        return macs;
    }

    @Override
    public void leave(Gid group) {
        groups = LocalAddresses.without(groups, group);
        localsChanged();
        if (options.v2()) {
            reserved.leave(group);
        }
        macsOf(group).forEach(socket::leave);
    }

    // ---- paths ----

    /**
     * Prepares a path; for the owner. The neighbour's MAC address may still be unknown: packets wait for it. The hop limit of RoCE v2 to
     * single peers is 64 whatever the request says, as it is with kernel rxe.
     */
    @Override
    public Path resolve(PathRequest request) {
        GidType type = request.type();
        Gid local = request.local();
        Gid remote = request.remote();
        if (!has(type, local)) {
            throw new VerbsException(options.types().contains(type) ? Errno.EADDRNOTAVAIL : Errno.EOPNOTSUPP, "resolve_route",
                LocalAddresses.text(local) + " as " + type.text() + " is not an address of this link");
        }
        boolean v2 = type == GidType.ROCE_V2;
        if (v2 && local.isIpv4Mapped() != remote.isIpv4Mapped()) {
            throw new VerbsException(Errno.EINVAL, "resolve_route", "from " + local + " to " + remote + ": IPv4 and IPv6 do not mix");
        }
        int port = v2 ? options.port() : 0;
        return new Path(type, local, remote, port, port, request.trafficClass(), request.hopLimit(), destination(request));
    }

    private RawDestination destination(PathRequest request) {
        GidType type = request.type();
        Gid local = request.local();
        Gid remote = request.remote();
        boolean toSelf = addresses.contains(remote) || type == GidType.ROCE_V1 && isDefault(remote);
        long mac = 0;
        Route route = null;
        if (remote.isMulticast()) {
            mac = groupMac(type, remote);
        } else if (!toSelf && options.mac() != 0) {
            long written = type == GidType.ROCE_V1 ? macIn(remote) : RouteSocket.UNKNOWN;
            if (written >= 0) {
                mac = written;
            } else {
                route = routes.between(type, local, remote);
            }
        }
        int hops = type == GidType.ROCE_V2 && !remote.isMulticast() ? HOP_LIMIT : Math.max(1, request.hopLimit());
        int priority = request.serviceLevel() != 0 ? request.serviceLevel() & PRIORITIES : request.trafficClass() >>> PRECEDENCE_SHIFT;
        return new RawDestination(type, local, remote, request.trafficClass(), hops, priority, route, mac, toSelf, options.mac(),
            options.port());
    }

    /** RoCE v1 knows MGIDs, whatever IP group they stand for. RFC 1112 §6.4, RFC 2464 §7; IBA vol 1 annex A16 */
    private static long groupMac(GidType type, Gid group) {
        return type == GidType.ROCE_V2 && group.isIpv4Mapped() ? Ethernet.multicastOfIpv4(group.ipv4())
            : Ethernet.multicastOfIpv6(group.low());
    }

    /** The MAC address a link-local GID was made from, or UNKNOWN. RFC 4291 appendix A */
    private static long macIn(Gid gid) {
        long low = gid.low();
        boolean made = gid.high() == Gids.LINK_LOCAL_HIGH && (low >>> 24 & 0xffff) == 0xfffe;
        return made ? (low >>> 16 & 0xffff_ff00_0000L | low & 0xff_ffff) ^ 0x0200_0000_0000L : RouteSocket.UNKNOWN;
    }

    @Override
    public void awaitReachable(GidType type, Gid local, Gid remote) {
        if (!has(type, local) || remote.isMulticast() || addresses.contains(remote) || options.mac() == 0
            || type == GidType.ROCE_V1 && macIn(remote) >= 0) {
            return;
        }
        try (RouteSocket table = new RouteSocket(new LinuxSockets(Arena.ofAuto()), interfaceIndex, false)) {
            Gid neighbour = Routes.firstOf(table.nextHop(local, remote), type, remote);
            long mac = table.usableMac(neighbour);
            if (mac < 0) {
                table.lookFor(neighbour);
            }
            long untilNs = System.nanoTime() + REACHABLE_WITHIN_NS;
            for (mac = table.usableMac(neighbour); mac == RouteSocket.UNKNOWN; mac = table.usableMac(neighbour)) {
                if (System.nanoTime() - untilNs >= 0) {
                    mac = RouteSocket.UNREACHABLE;
                    break;
                }
                LockSupport.parkNanos(LOOK_AGAIN_NS);
            }
            if (mac < 0) {
                throw new VerbsException(Errno.EHOSTUNREACH, "resolve_route", LocalAddresses.text(neighbour) + " does not answer "
                    + (neighbour.isIpv4Mapped() ? "ARP" : "neighbour discovery") + " on " + options.interfaceName());
            }
        }
    }

    // ---- sending ----

    @Override
    public int send(TransmitBatch batch) {
        int total = 0;
        while (!batch.isEmpty()) {
            RawDestination to = RawSends.destination(batch, batch.first());
            int taken = closed ? drop(batch) : to.isOwn() ? sendToSelf(batch) : to.isReady() ? sendSome(batch) : sendLater(batch, to);
            if (taken == 0) {
                break;
            }
            total += taken;
        }
        return total;
    }

    private int sendToSelf(TransmitBatch batch) {
        own.add(batch, batch.first());
        batch.sent(1);
        return 1;
    }

    private int sendLater(TransmitBatch batch, RawDestination to) {
        neighbours.keepLookingFor(to.neighbour());
        waiting.add(batch, batch.first(), to.neighbour());
        batch.sent(1);
        return 1;
    }

    /** Sends packets from the front that can leave together. @return 0 if the socket is full */
    private int sendSome(TransmitBatch batch) {
        RawDestination to = RawSends.destination(batch, batch.first());
        socket.priorityIs(to.priority());
        int messages = sends.describe(batch, TRANSMIT_VECTOR);
        int sent = messages == 1 ? calls.sendmsg(socket.fd(), sends.messages()) : calls.sendmmsg(socket.fd(), sends.messages(), messages);
        // The messages hold addresses into the batch.
        Reference.reachabilityFence(batch);
        if (to.isGroup() && sent > 0 && groups.contains(to.remote())) {
            own.add(batch, batch.first());
        }
        int packets = sends.trains().settle(batch, sent, messages);
        return packets > 0 ? packets : onRefused(batch, -sent);
    }

    /** Handles a first message that the host refused. @return packets removed from the batch all the same */
    private int onRefused(TransmitBatch batch, int errno) {
        if (errno == LinuxSockets.EAGAIN) {
            full = true;
            return 0;
        }
        if (errno == LinuxSockets.EINTR) {
            return 0;
        }
        if (sends.trains().disableIfRefused(errno)) {
            return sendSome(batch);
        }
        broken |= LinuxSockets.isDead(errno);
        return drop(batch);
    }

    private int drop(TransmitBatch batch) {
        sendErrors++;
        batch.sent(1);
        return 1;
    }

    // ---- receiving ----

    @Override
    public int poll(FrameHandler handler, int limit) {
        if (closed) {
            return 0;
        }
        if (noticesCame || !waiting.isEmpty() || ++polls % HEAR_INTERVAL == 0) {
            noticesCame = false;
            hearNeighbours();
        }
        int total = own.poll(handler, limit);
        return total + (streams ? receiveStream(handler, limit - total) : receiveLone(handler));
    }

    private void hearNeighbours() {
        neighbours.hear();
        if (!waiting.isEmpty()) {
            send(waiting.sort());
        }
    }

    /** Nothing came last time: one frame is asked for, which takes two thirds of the time that asking for many takes. */
    private int receiveLone(FrameHandler handler) {
        int bytes = calls.recvmsg(socket.fd(), receiveVector.messages());
        if (bytes < 0) {
            noteIfBroken(-bytes);
            return 0;
        }
        streams = true;
        return read(handler, 0, bytes);
    }

    /** ENETDOWN, once for each time the interface goes down, says nothing new; and when it is up again, frames come again. */
    private void noteIfBroken(int errno) {
        broken |= LinuxSockets.isDead(errno);
    }

    private int receiveStream(FrameHandler handler, int limit) {
        int total = 0;
        while (total < limit) {
            int asked = Math.min(limit - total, RECEIVE_VECTOR);
            int count = calls.recvmmsg(socket.fd(), receiveVector.messages(), asked);
            for (int i = 0; i < count; i++) {
                total += read(handler, i, receiveVector.received(i));
            }
            if (count < asked) {
                noteIfBroken(-count);
                break;
            }
        }
        if (total == 0) {
            streams = false;
        }
        return total;
    }

    private int read(FrameHandler handler, int index, int bytes) {
        if ((receiveVector.flags(index) & LinuxSockets.MSG_TRUNC) != 0) {
            counters.count(RawCounter.FRAME_TOO_LONG);
            return 1;
        }
        return reader.read(receiveBuffer, index * slotBytes + TransmitBatch.HEADROOM, bytes, handler);
    }

    // ---- waiting ----

    @Override
    public void await(long timeoutNs) {
        if (timeoutNs <= 0 || closed || noticesCame || !own.isEmpty()) {
            return;
        }
        waitedFor.room(SOCKET, full);
        if (waitedFor.await(timeoutNs)) {
            full &= !waitedFor.isReady(SOCKET);
            noticesCame |= waitedFor.isReady(NEIGHBOURS);
        }
    }

    @Override
    public void wakeup() {
        wakeup.signal();
    }

    // ---- the rest ----

    /** What the kernel told meanwhile, of routes above all; and it does not see our packets, so that neighbours get stale to it. */
    @Override
    public void refresh(int interfaceIndexNow) {
        if (closed) {
            return;
        }
        hearNeighbours();
        if (neighbours.routesChanged()) {
            routes.lookAgain();
        }
        neighbours.confirm();
        // A link that went down has forgotten whom it asked for, and perhaps nobody sends a packet there again.
        waiting.neighbours().forEach(neighbours::keepLookingFor);
    }

    @Override
    public boolean isBroken() {
        broken |= !closed && !socket.isOnInterface();
        return broken;
    }

    @Override
    public boolean deliversIpHeader() {
        return true;
    }

    @Override
    public String description() {
        return "raw frames (" + String.join(", ", options.types().stream().map(GidType::text).toList()) + "; segmentation "
            + (sends.trains().enabled() ? "on" : "off") + ") on " + options.interfaceName() + " ("
            + (closed ? 0 : socket.receiveBufferBytes() >> 10) + " KiB)";
    }

    @Override
    public long sendErrors() {
        return sendErrors + sends.trains().lost();
    }

    @Override
    public Map<String, Long> counters() {
        return counters.toMap();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        socket.close();
        reserved.close();
        claims.forEach(InterfaceClaim::close);
        neighbours.close();
        wakeup.close();
    }
}
