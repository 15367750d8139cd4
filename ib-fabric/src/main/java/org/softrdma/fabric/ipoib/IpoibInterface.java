// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ipoib.IpoibAddress;
import org.softrdma.wire.ipoib.IpoibArp;
import org.softrdma.wire.ipoib.IpoibConnection;
import org.softrdma.wire.ipoib.IpoibHeader;
import org.softrdma.wire.ipoib.IpoibNeighbor;
import org.softrdma.wire.net.InternetChecksum;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Ipv6;

/**
 * An IP interface on an InfiniBand port. IP packets travel as UD messages of one queue pair; in connected mode, those to interfaces that
 * are in this mode, too, as messages of RC connections. IPv4 neighbours are found by ARP, IPv6 ones by neighbour discovery; both are
 * handled here, so that the IP stack above needs no link-layer addresses. All destinations in the subnets of its addresses are neighbours.
 * Pure, and for one thread: bytes and the time come in, and what is to be done is polled. Source: RFC 4391, RFC 4755.
 */
public final class IpoibInterface {
    /** Packets in a queue at most. */
    static final int MAX_QUEUED = 1024;
    private static final int SOLICITED_LOW_BITS = 0xFF_FFFF;
    private static final Gid ALL_HOSTS = Gid.ofIpv4(0xE000_0001);
    private static final Gid ALL_NODES = new Gid(0xFF02_0000_0000_0000L, 1);
    private static final Gid IPV4_BROADCAST = Gid.ofIpv4(-1);
    private static final int IPV6_ADDRESSES_BYTES = 32;
    private static final int OPTION_UNIT = 8;

    private final int qpn;
    private final LinkAddress own;
    private final Counters<IpoibCounter> counters = new Counters<>(IpoibCounter.class);
    private final ArrayDeque<Datagram> datagrams = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> packets = new ArrayDeque<>();
    private final ArrayDeque<Membership> memberships = new ArrayDeque<>();
    private final SaRequests requests;
    private final Groups groups;
    private final Paths paths;
    private final Neighbours neighbours;
    /** Null in datagram mode. */
    private final Connections connections;
    private List<Prefix> addresses = List.of();
    private int lid;
    private int saLid;
    private int saSl;

    /**
     * Creates an interface whose port is down.
     *
     * @param port             GID of the port
     * @param qpn              number of the UD queue pair that sends and receives its packets
     * @param pkey             P_Key of the partition, with the membership bit of a full member
     * @param mode             whether it uses connections
     * @param firstTransaction identity of the first request to subnet administration; others follow it
     */
    public IpoibInterface(Gid port, int qpn, int pkey, IpoibMode mode, long firstTransaction) {
        this.qpn = qpn;
        boolean connects = mode == IpoibMode.CONNECTED;
        own = new LinkAddress(qpn, port, connects);
        requests = new SaRequests(counters, firstTransaction);
        groups = new Groups(port, pkey, requests, counters, this::queue, memberships::add);
        paths = new Paths(port, pkey, requests);
        neighbours = new Neighbours(paths, counters, this::carry, this::solicit);
        connections = connects ? new Connections(qpn, counters, new Fallback()) : null;
    }

    /** Counters. */
    public Counters<IpoibCounter> counters() {
        return counters;
    }

    /** Whether packets can be sent: the broadcast group is joined. */
    public boolean isUp() {
        return groups.isUp();
    }

    /** Bytes of the longest IP packet; 0 as long as the interface is not {@linkplain #isUp up}. */
    public int mtu() {
        return isUp() && connections != null ? IpoibConnection.MAX_MTU : datagramMtu();
    }

    /** Bytes of the longest IP packet in a datagram, 252..4092; 0 as long as the interface is not {@linkplain #isUp up}. */
    public int datagramMtu() {
        return isUp() ? groups.linkMtu() - IpoibHeader.LENGTH : 0;
    }

    /** Q_Key of the queue pair, u32; only while the interface is up. */
    public int qkey() {
        return groups.qkey();
    }

    // ---- what changes ----

    /**
     * The port got a LID or a subnet manager, lost it, or was asked to register again: groups are joined anew. An interface whose LID stays
     * remains up meanwhile.
     *
     * @param nowLid LID of the port; 0 while it is down
     * @param managerLid LID of the subnet manager, where subnet administration is too
     * @param managerSl  service level to it
     */
    public void onPort(int nowLid, int managerLid, int managerSl, long nowNs) {
        boolean stays = lid == nowLid;
        if (connections != null && !stays) {
            connections.forget();
        }
        lid = nowLid;
        saLid = managerLid;
        saSl = managerSl;
        requests.clear();
        neighbours.forget();
        if (lid == 0 || saLid == 0) {
            groups.forget();
        } else if (stays && groups.isUp()) {
            groups.joinAgain(nowNs);
        } else {
            groups.begin(nowNs);
        }
    }

    /** Sets the addresses of the interface. It receives the multicast groups that go with them. */
    public void setAddresses(List<Prefix> now, long nowNs) {
        addresses = List.copyOf(now);
        Set<Gid> received = new LinkedHashSet<>();
        for (Prefix each : addresses) {
            if (each.address().isIpv4Mapped()) {
                received.add(ALL_HOSTS);
            } else {
                received.add(ALL_NODES);
                received.add(solicitedNode(each.address()));
            }
        }
        groups.receive(List.copyOf(received), nowNs);
    }

    /** The group by which an IPv6 address is solicited. Source: RFC 4291 §2.7.1. */
    private static Gid solicitedNode(Gid address) {
        return new Gid(0xFF02_0000_0000_0000L, 0x1_FF00_0000L | address.low() & SOLICITED_LOW_BITS);
    }

    /** Addresses as they were set last. */
    public List<Prefix> addresses() {
        return addresses;
    }

    /** Whether an address is in a subnet of the interface's addresses. */
    public boolean isOnLink(Gid ip) {
        return addresses.stream().anyMatch(each -> each.contains(ip));
    }

    private boolean isOwn(Gid ip) {
        return addresses.stream().anyMatch(each -> each.address().equals(ip));
    }

    // ---- packets to send ----

    /**
     * Sends an IP packet. The bytes are copied.
     *
     * @param length of the packet, bytes
     */
    public void onIpPacket(ByteBuffer b, int at, int length, long nowNs) {
        if (!isUp()) {
            counters.count(IpoibCounter.DROP_IPOIB_DOWN);
            return;
        }
        int type = typeOf(b, at, length);
        if (type == 0 || length > mtu()) {
            counters.count(IpoibCounter.DROP_IPOIB_BAD_PACKET);
            return;
        }
        Gid to = type == IpoibHeader.IPV4 ? Gid.ofIpv4(Ipv4.destination(b, at))
            : new Gid(Ipv6.destinationHigh(b, at), Ipv6.destinationLow(b, at));
        ByteBuffer payload = begin(type, length);
        payload.put(IpoibHeader.LENGTH, b, at, length);
        if ((isBroadcast(to) || isMulticast(to)) && length > datagramMtu()) {
            counters.count(IpoibCounter.DROP_IPOIB_TOO_LONG);
        } else if (isBroadcast(to)) {
            groups.broadcast(payload);
        } else if (isMulticast(to)) {
            groups.multicast(to, payload, nowNs);
        } else if (isOnLink(to)) {
            neighbours.send(to, payload, nowNs);
        } else {
            counters.count(IpoibCounter.DROP_IPOIB_OFF_LINK);
        }
    }

    /** EtherType of an IP packet; 0 if it is none, or cut off. */
    private static int typeOf(ByteBuffer b, int at, int length) {
        if (length >= Ipv4.LENGTH && Ipv4.version(b, at) == 4) {
            return Ipv4.headerLength(b, at) >= Ipv4.LENGTH && Ipv4.totalLength(b, at) >= Ipv4.headerLength(b, at)
                && Ipv4.totalLength(b, at) <= length ? IpoibHeader.IPV4 : 0;
        }
        if (length >= Ipv6.LENGTH && Ipv6.version(b, at) == 6) {
            return Ipv6.LENGTH + Ipv6.payloadLength(b, at) <= length ? IpoibHeader.IPV6 : 0;
        }
        return 0;
    }

    private boolean isBroadcast(Gid to) {
        return to.equals(IPV4_BROADCAST) || addresses.stream().anyMatch(each -> each.isBroadcast(to));
    }

    private static boolean isMulticast(Gid to) {
        return to.isIpv4Mapped() ? to.ipv4() >>> 28 == 0xE : to.high() >>> 56 == 0xFF;
    }

    private static ByteBuffer begin(int type, int length) {
        ByteBuffer payload = ByteBuffer.allocate(IpoibHeader.LENGTH + length);
        IpoibHeader.TYPE.set(payload, 0, type);
        return payload;
    }

    /** Sends to a neighbour by a connection, or as datagram. */
    private void carry(LinkAddress to, ByteBuffer path, ByteBuffer payload, long nowNs) {
        if (connections != null && to.connects() && !isAddressResolution(payload)) {
            connections.send(to, path, payload, nowNs);
        } else if (payload.capacity() - IpoibHeader.LENGTH > datagramMtu()) {
            reportTooLong(payload, datagramMtu());
        } else {
            queue(to, path, payload);
        }
    }

    private static boolean isAddressResolution(ByteBuffer payload) {
        int type = IpoibHeader.TYPE.get(payload, 0);
        return type == IpoibHeader.ARP || type == IpoibHeader.IPV6 && isNeighborDiscovery(payload, IpoibHeader.LENGTH);
    }

    private void reportTooLong(ByteBuffer payload, int mtu) {
        counters.count(IpoibCounter.DROP_IPOIB_TOO_LONG);
        ByteBuffer report = PacketTooBig.of(IpoibHeader.TYPE.get(payload, 0), payload, IpoibHeader.LENGTH, mtu);
        if (report != null && packets.size() < MAX_QUEUED) {
            packets.add(report);
        }
    }

    private void queue(LinkAddress to, ByteBuffer path, ByteBuffer payload) {
        queue(new Datagram(PathRecord.DLID.get(path, 0), null, to.qpn(), groups.qkey(), PathRecord.SERVICE_LEVEL.get(path, 0), payload));
    }

    private void queue(Datagram datagram) {
        if (datagrams.size() == MAX_QUEUED) {
            counters.count(IpoibCounter.DROP_IPOIB_QUEUE_FULL);
            return;
        }
        datagrams.add(datagram);
        if (IpoibHeader.TYPE.get(datagram.payload(), 0) != IpoibHeader.ARP) {
            counters.count(IpoibCounter.IPOIB_SENT);
        }
    }

    // ---- look-ups ----

    /**
     * Looks up the port that has an IP address.
     *
     * @param found receives the GID of the port, at once or later; null if no port answers, or this one changes meanwhile
     */
    public void findPort(Gid ip, Consumer<Gid> found, long nowNs) {
        if (isOwn(ip)) {
            found.accept(own.gid());
        } else {
            neighbours.find(ip, found, nowNs);
        }
    }

    /** Asks subnet administration for a path to a port; the answer is received later. */
    public void findPath(Gid port, Consumer<PathAnswer> found, long nowNs) {
        paths.find(port, found, nowNs);
    }

    // ---- connections ----

    /** Takes packets that connections cannot carry. */
    private final class Fallback implements Connections.Owner {
        @Override
        public void fallBack(LinkAddress to, ByteBuffer path, ByteBuffer payload) {
            if (payload.capacity() - IpoibHeader.LENGTH > datagramMtu()) {
                counters.count(IpoibCounter.DROP_IPOIB_NO_CONNECTION);
            } else {
                queue(to, path, payload);
            }
        }

        @Override
        public void tooLong(ByteBuffer payload, int mtu) {
            reportTooLong(payload, mtu);
        }

        @Override
        public void lost(LinkAddress peer) {
            neighbours.forget(peer);
        }
    }

    /**
     * Service ID of the interface in connected mode, u64.
     *
     * @return 0 in datagram mode
     */
    public long serviceId() {
        return connections == null ? 0 : IpoibConnection.serviceId(qpn);
    }

    /** Private data of the interface's REP; only in connected mode, as the other methods about connections. */
    public byte[] connectionData() {
        return connections.privateData();
    }

    /**
     * Handles the REQ of another interface.
     *
     * @param port        GID of its port
     * @param privateData of the REQ
     * @return number of the connection to accept; 0 to reject it
     */
    public int onConnectionRequest(Gid port, byte[] privateData, long nowNs) {
        return connections.onRequest(port, privateData, nowNs);
    }

    /**
     * Handles the REP of another interface.
     *
     * @return whether to confirm it; if not, a step closes the connection
     */
    public boolean onConnectionReply(int connection, byte[] privateData, long nowNs) {
        return connections.onReply(connection, privateData, nowNs);
    }

    /** Handles the end of a connection: it was rejected, could not be made, was disconnected, or its queue pair failed. */
    public void onConnectionEnd(int connection, long nowNs) {
        connections.onEnd(connection, nowNs);
    }

    /** Handles the completion of a message that {@link #pollMessage} returned. */
    public void onMessageSent(int connection) {
        connections.onSent(connection);
    }

    /**
     * Handles a message of an accepted connection.
     *
     * @param length bytes
     */
    public void onMessage(int connection, ByteBuffer b, int at, int length, long nowNs) {
        connections.onMessage(connection, nowNs);
        handle(b, at, length, nowNs);
    }

    // ---- datagrams that come in ----

    /**
     * Handles a UD message.
     *
     * @param length    of the message without GRH, bytes
     * @param sourceLid LID of the sender, u16
     * @param sourceQpn its queue pair
     */
    public void onDatagram(ByteBuffer b, int at, int length, int sourceLid, int sourceQpn, long nowNs) {
        if (sourceLid == lid && sourceQpn == qpn) {
            // A group's packet of its own, which comes back to every member.
            return;
        }
        handle(b, at, length, nowNs);
    }

    private void handle(ByteBuffer b, int at, int length, long nowNs) {
        int message = at + IpoibHeader.LENGTH;
        int bytes = length - IpoibHeader.LENGTH;
        int type = length < IpoibHeader.LENGTH ? 0 : IpoibHeader.TYPE.get(b, at);
        if (type == IpoibHeader.ARP && isArp(b, message, bytes)) {
            onArp(b, message, nowNs);
        } else if ((type == IpoibHeader.IPV4 || type == IpoibHeader.IPV6) && typeOf(b, message, bytes) == type) {
            if (type == IpoibHeader.IPV6 && isNeighborDiscovery(b, message)) {
                onNeighborDiscovery(b, message, nowNs);
            } else {
                deliver(b, message, bytes);
            }
        } else {
            counters.count(IpoibCounter.DROP_IPOIB_MALFORMED);
        }
    }

    private void deliver(ByteBuffer b, int at, int length) {
        if (packets.size() == MAX_QUEUED) {
            counters.count(IpoibCounter.DROP_IPOIB_QUEUE_FULL);
            return;
        }
        ByteBuffer packet = ByteBuffer.allocate(length);
        packet.put(0, b, at, length);
        packets.add(packet);
        counters.count(IpoibCounter.IPOIB_RECEIVED);
    }

    // ---- ARP ----

    private static boolean isArp(ByteBuffer b, int at, int length) {
        return length >= IpoibArp.LENGTH && IpoibArp.HARDWARE_TYPE.get(b, at) == IpoibArp.INFINIBAND
            && IpoibArp.PROTOCOL_TYPE.get(b, at) == IpoibHeader.IPV4 && IpoibArp.HARDWARE_LENGTH.get(b, at) == IpoibAddress.LENGTH
            && IpoibArp.PROTOCOL_LENGTH.get(b, at) == Integer.BYTES;
    }

    private void onArp(ByteBuffer b, int at, long nowNs) {
        Gid sender = Gid.ofIpv4(IpoibArp.SENDER_IP.get(b, at));
        Gid target = Gid.ofIpv4(IpoibArp.TARGET_IP.get(b, at));
        LinkAddress address = LinkAddress.read(b, at + IpoibArp.SENDER_OFFSET);
        boolean wantsUs = IpoibArp.OPERATION.get(b, at) == IpoibArp.REQUEST && isOwn(target);
        neighbours.learn(sender, address, wantsUs, nowNs);
        if (wantsUs) {
            counters.count(IpoibCounter.IPOIB_ANSWERS);
            neighbours.send(sender, arp(IpoibArp.REPLY, target, sender, address), nowNs);
        }
    }

    private ByteBuffer arp(int operation, Gid ip, Gid target, LinkAddress targetAddress) {
        ByteBuffer payload = begin(IpoibHeader.ARP, IpoibArp.LENGTH);
        int at = IpoibHeader.LENGTH;
        IpoibArp.HARDWARE_TYPE.set(payload, at, IpoibArp.INFINIBAND);
        IpoibArp.PROTOCOL_TYPE.set(payload, at, IpoibHeader.IPV4);
        IpoibArp.HARDWARE_LENGTH.set(payload, at, IpoibAddress.LENGTH);
        IpoibArp.PROTOCOL_LENGTH.set(payload, at, Integer.BYTES);
        IpoibArp.OPERATION.set(payload, at, operation);
        own.put(payload, at + IpoibArp.SENDER_OFFSET);
        IpoibArp.SENDER_IP.set(payload, at, ip.ipv4());
        if (targetAddress != null) {
            targetAddress.put(payload, at + IpoibArp.TARGET_OFFSET);
        }
        IpoibArp.TARGET_IP.set(payload, at, target.ipv4());
        return payload;
    }

    /** Asks who has an address. */
    private void solicit(Gid ip, long nowNs) {
        Gid source = addresses.stream().filter(each -> each.contains(ip)).map(Prefix::address).findFirst().orElse(null);
        if (source == null || !isUp()) {
            return;
        }
        if (ip.isIpv4Mapped()) {
            groups.broadcast(arp(IpoibArp.REQUEST, source, ip, null));
        } else {
            Gid group = solicitedNode(ip);
            groups.multicast(group, discovery(IpoibNeighbor.SOLICITATION, IpoibNeighbor.SOURCE_ADDRESS, source, group, ip), nowNs);
        }
    }

    // ---- neighbour discovery ----

    private static boolean isNeighborDiscovery(ByteBuffer b, int at) {
        int type = Ipv6.nextHeader(b, at) == IpoibNeighbor.ICMPV6 && Ipv6.payloadLength(b, at) > 0
            ? IpoibNeighbor.TYPE.get(b, at + Ipv6.LENGTH) : 0;
        return type == IpoibNeighbor.SOLICITATION || type == IpoibNeighbor.ADVERTISEMENT;
    }

    private void onNeighborDiscovery(ByteBuffer b, int at, long nowNs) {
        int icmp = at + Ipv6.LENGTH;
        int length = Ipv6.payloadLength(b, at);
        if (length < IpoibNeighbor.OPTIONS_OFFSET || Ipv6.hopLimit(b, at) != IpoibNeighbor.HOP_LIMIT || IpoibNeighbor.CODE.get(b, icmp) != 0
            || InternetChecksum.of(IpoibNeighbor.ICMPV6, b, icmp, length, at + Ipv6.SOURCE_OFFSET, IPV6_ADDRESSES_BYTES) != 0) {
            counters.count(IpoibCounter.DROP_IPOIB_MALFORMED);
            return;
        }
        Gid source = new Gid(Ipv6.sourceHigh(b, at), Ipv6.sourceLow(b, at));
        Gid target = new Gid(IpoibNeighbor.TARGET_HIGH.getLong(b, icmp), IpoibNeighbor.TARGET_LOW.getLong(b, icmp));
        boolean asks = IpoibNeighbor.TYPE.get(b, icmp) == IpoibNeighbor.SOLICITATION;
        int option = option(b, icmp, length, asks ? IpoibNeighbor.SOURCE_ADDRESS : IpoibNeighbor.TARGET_ADDRESS);
        if (option < 0) {
            // Of a host that looks whether its address is unique; addresses of this interface are given by hand.
            return;
        }
        LinkAddress address = LinkAddress.read(b, option + IpoibNeighbor.ADDRESS_IN_OPTION);
        boolean wantsUs = asks && isOwn(target);
        neighbours.learn(asks ? source : target, address, wantsUs, nowNs);
        if (wantsUs) {
            counters.count(IpoibCounter.IPOIB_ANSWERS);
            neighbours.send(source, discovery(IpoibNeighbor.ADVERTISEMENT, IpoibNeighbor.TARGET_ADDRESS, target, source, target), nowNs);
        }
    }

    /** Offset of an option with a link-layer address, or -1. */
    private static int option(ByteBuffer b, int icmp, int length, int wanted) {
        int end = icmp + length;
        int at = icmp + IpoibNeighbor.OPTIONS_OFFSET;
        while (at + OPTION_UNIT <= end) {
            int bytes = (b.get(at + 1) & 0xFF) * OPTION_UNIT;
            if (bytes == 0 || at + bytes > end) {
                return -1;
            }
            if (b.get(at) == wanted && bytes == IpoibNeighbor.OPTION_LENGTH * OPTION_UNIT) {
                return at;
            }
            at += bytes;
        }
        return -1;
    }

    private ByteBuffer discovery(int type, int option, Gid source, Gid destination, Gid target) {
        ByteBuffer payload = begin(IpoibHeader.IPV6, Ipv6.LENGTH + IpoibNeighbor.LENGTH);
        int at = IpoibHeader.LENGTH;
        Ipv6.put(payload, at, 0, 0, IpoibNeighbor.LENGTH, IpoibNeighbor.ICMPV6, IpoibNeighbor.HOP_LIMIT, source.high(), source.low(),
            destination.high(), destination.low());
        int icmp = at + Ipv6.LENGTH;
        IpoibNeighbor.TYPE.set(payload, icmp, type);
        if (type == IpoibNeighbor.ADVERTISEMENT) {
            IpoibNeighbor.SOLICITED.set(payload, icmp, 1);
            IpoibNeighbor.OVERRIDE.set(payload, icmp, 1);
        }
        IpoibNeighbor.TARGET_HIGH.set(payload, icmp, target.high());
        IpoibNeighbor.TARGET_LOW.set(payload, icmp, target.low());
        payload.put(icmp + IpoibNeighbor.OPTIONS_OFFSET, (byte) option);
        payload.put(icmp + IpoibNeighbor.OPTIONS_OFFSET + 1, (byte) IpoibNeighbor.OPTION_LENGTH);
        own.put(payload, icmp + IpoibNeighbor.OPTIONS_OFFSET + IpoibNeighbor.ADDRESS_IN_OPTION);
        int checksum = InternetChecksum.of(IpoibNeighbor.ICMPV6, payload, icmp, IpoibNeighbor.LENGTH, at + Ipv6.SOURCE_OFFSET,
            IPV6_ADDRESSES_BYTES);
        IpoibNeighbor.CHECKSUM.set(payload, icmp, checksum);
        return payload;
    }

    // ---- subnet administration, and time ----

    /** Handles an answer of subnet administration. */
    public void onManagement(ManagementPacket answer, long nowNs) {
        requests.onPacket(answer, nowNs);
    }

    /** Does what is due. */
    public void onTime(long nowNs) {
        requests.onTime(nowNs);
        groups.onTime(nowNs);
        neighbours.onTime(nowNs);
        if (connections != null) {
            connections.onTime(nowNs);
        }
    }

    /** When {@link #onTime} must be called next. */
    public long deadlineNs() {
        long earliest = Deadline.earlier(requests.deadlineNs(), Deadline.earlier(groups.deadlineNs(), neighbours.deadlineNs()));
        return connections == null ? earliest : Deadline.earlier(earliest, connections.deadlineNs());
    }

    // ---- output ----

    /** Next datagram to send, or null. */
    public Datagram pollDatagram() {
        return datagrams.poll();
    }

    /** Next message to send by a connection, or null. Each one has its completion: {@link #onMessageSent}, or {@link #onConnectionEnd}. */
    public ConnectedMessage pollMessage() {
        ConnectedMessage next = connections == null ? null : connections.pollMessage();
        if (next != null) {
            counters.count(IpoibCounter.IPOIB_SENT);
            counters.count(IpoibCounter.IPOIB_SENT_CONNECTED);
        }
        return next;
    }

    /** Next step of connection management, or null. */
    public ConnectionStep pollConnectionStep() {
        return connections == null ? null : connections.pollStep();
    }

    /** Next request to subnet administration, or null. */
    public ManagementPacket pollManagement(long nowNs) {
        return lid == 0 ? null : requests.transmit(lid, saLid, saSl, nowNs);
    }

    /** Next IP packet for the IP stack, or null: from offset 0 to its capacity. */
    public ByteBuffer pollPacket() {
        return packets.poll();
    }

    /** Next group that the queue pair has to be attached to or detached from, or null. */
    public Membership pollMembership() {
        return memberships.poll();
    }
}
