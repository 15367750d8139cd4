// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.ipoib;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.fabric.model.MadClient;
import org.softrdma.fabric.partition.Partitions;
import org.softrdma.fabric.sm.ManagedFabric;
import org.softrdma.fabric.topology.Topologies;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.PathRecord;
import org.softrdma.wire.ib.SaMad;

/**
 * Interfaces at the adapters of a simulated subnet, on virtual time. Requests to subnet administration travel through the fabric to our
 * manager; datagrams are carried by the test: to a LID and queue pair, or to everyone who attached to the group, the sender included.
 * Requests for connections, and what connections carry, arrive a millisecond later; a message to an end that is gone ends the connection.
 */
final class IpoibSubnet {
    private static final int DEFAULT_PKEY = 0xFFFF;
    static final long MILLISECOND = 1_000_000L;
    static final long SECOND = 1_000_000_000L;
    private static final long PREFIX = 0xFE80_0000_0000_0000L;
    private static final int MULTICAST = 0xC000;

    final ManagedFabric managed;
    final Map<String, Host> hosts = new LinkedHashMap<>();
    private final SplittableRandom random;
    private final int pkey;
    /** Share of datagrams and requests that are lost, those for connections included. */
    double loss;
    /** Number of requests for connections that are lost next. */
    int lostRequests;
    /** Private data of all replies, instead of what interfaces give; null for that. */
    byte[] replyData;
    /** Requests for connections that were sent, lost ones included. */
    final List<ConnectionStep.Connect> connects = new ArrayList<>();
    private final ArrayDeque<Runnable> later = new ArrayDeque<>();
    /** Datagrams that were sent, lost ones included. */
    final List<Datagram> sent = new ArrayList<>();
    private int nextQpn = 0x400;

    /** A port with its interface. */
    final class Host implements MadClient {
        final FabricPort port;
        final List<ByteBuffer> received = new ArrayList<>();
        private final Map<Integer, Gid> groups = new HashMap<>();
        IpoibInterface ip;
        int qpn;
        /** Ends of connections by their numbers. */
        private final Map<Integer, Far> connections = new HashMap<>();
        private boolean active;

        Host(FabricPort port) {
            this.port = port;
            restart(IpoibMode.DATAGRAM);
        }

        /** Begins anew, with another queue pair; peers are not notified. */
        void restart(IpoibMode mode) {
            qpn = nextQpn++;
            ip = new IpoibInterface(gid(), qpn, pkey, mode, (long) qpn << 32);
            groups.clear();
            connections.clear();
            active = false;
        }

        @Override
        public boolean accepts(ManagementPacket packet) {
            return packet.managementClass() == SaMad.CLASS && packet.isResponse();
        }

        @Override
        public void deliver(ManagementPacket packet) {
            ip.onManagement(packet.copy(), nowNs());
        }

        private Gid gid() {
            return new Gid(PREFIX, port.guid());
        }

        private long now() {
            return nowNs();
        }

        /** Number of connections, of either side. */
        int connections() {
            return connections.size();
        }

        private void apply(ConnectionStep step) {
            switch (step) {
                case ConnectionStep.Connect connect -> {
                    connects.add(connect);
                    later.add(() -> request(connect));
                }
                case ConnectionStep.Close close -> {
                    Far far = connections.remove(close.connection());
                    if (far != null) {
                        later.add(() -> far.end());
                    }
                }
            }
        }

        private void request(ConnectionStep.Connect connect) {
            int lid = PathRecord.DLID.get(connect.path(), 0);
            Host to = hosts.values().stream().filter(each -> each.port.lid() == lid).findFirst().orElse(null);
            if (to == null || lostRequests-- > 0 || random.nextDouble() < loss) {
                return;
            }
            int number = to.ip.serviceId() == connect.serviceId() ? to.ip.onConnectionRequest(gid(), connect.privateData(), nowNs()) : 0;
            if (number == 0) {
                ip.onConnectionEnd(connect.connection(), nowNs());
                return;
            }
            connections.put(connect.connection(), new Far(to, to.qpn, number));
            to.connections.put(number, new Far(this, qpn, connect.connection()));
            byte[] data = replyData == null ? to.ip.connectionData() : replyData;
            if (random.nextDouble() >= loss) {
                later.add(() -> ip.onConnectionReply(connect.connection(), data, nowNs()));
            }
        }

        private void carryConnected(ConnectedMessage message) {
            Far far = connections.get(message.connection());
            later.add(() -> {
                if (far != null && far.isThere()) {
                    ByteBuffer copy = ByteBuffer.allocate(message.payload().capacity() + 8);
                    copy.put(8, message.payload(), 0, message.payload().capacity());
                    far.host.ip.onMessage(far.number, copy, 8, message.payload().capacity(), nowNs());
                    ip.onMessageSent(message.connection());
                } else {
                    ip.onConnectionEnd(message.connection(), nowNs());
                }
            });
        }

        void send(ByteBuffer packet) {
            ip.onIpPacket(packet, 0, packet.capacity(), nowNs());
        }

        private boolean step() {
            if (port.isActive() != active) {
                active = port.isActive();
                ip.onPort(active ? port.lid() : 0, port.smLid(), 0, nowNs());
            }
            ip.onTime(nowNs());
            boolean moved = false;
            for (ManagementPacket each = ip.pollManagement(nowNs()); each != null; each = ip.pollManagement(nowNs())) {
                if (random.nextDouble() >= loss) {
                    managed.fabric().send(port, each, nowNs());
                }
                moved = true;
            }
            for (Membership each = ip.pollMembership(); each != null; each = ip.pollMembership()) {
                if (each.member()) {
                    groups.put(each.lid(), each.group());
                } else {
                    groups.remove(each.lid());
                }
            }
            for (Datagram each = ip.pollDatagram(); each != null; each = ip.pollDatagram()) {
                sent.add(each);
                carry(this, each);
                moved = true;
            }
            for (ConnectionStep each = ip.pollConnectionStep(); each != null; each = ip.pollConnectionStep()) {
                apply(each);
            }
            for (ConnectedMessage each = ip.pollMessage(); each != null; each = ip.pollMessage()) {
                carryConnected(each);
            }
            for (ByteBuffer each = ip.pollPacket(); each != null; each = ip.pollPacket()) {
                received.add(each);
            }
            return moved;
        }
    }

    /** The other end of a connection: its host as it was when the connection was made. */
    private record Far(Host host, int qpn, int number) {
        boolean isThere() {
            return host.qpn == qpn && host.connections.containsKey(number);
        }

        void end() {
            if (isThere()) {
                host.connections.remove(number);
                host.ip.onConnectionEnd(number, host.now());
            }
        }
    }

    IpoibSubnet(int adapters, long seed) {
        this(adapters, seed, Partitions.DEFAULT, DEFAULT_PKEY);
    }

    /** @param pkey of the interfaces, as of a full member */
    IpoibSubnet(int adapters, long seed, Partitions partitions, int pkey) {
        this.pkey = pkey;
        random = new SplittableRandom(seed);
        managed = new ManagedFabric(Topologies.tree(adapters, 2, 1), random.split());
        managed.beginAlone(managed.fabric().find("h1").port(1), partitions);
        for (int i = 1; i <= adapters; i++) {
            Host host = new Host(managed.fabric().find("h" + i).port(1));
            hosts.put("h" + i, host);
            managed.fabric().attach(host.port, host);
        }
    }

    long nowNs() {
        return managed.nowNs();
    }

    private void carry(Host from, Datagram datagram) {
        for (Host each : hosts.values()) {
            boolean to = datagram.group() == null ? each.port.lid() == datagram.lid() && each.qpn == datagram.qpn()
                : datagram.qpn() == 0xFFFFFF && datagram.lid() >= MULTICAST && datagram.group().equals(each.groups.get(datagram.lid()));
            if (to && random.nextDouble() >= loss) {
                ByteBuffer copy = ByteBuffer.allocate(datagram.payload().capacity());
                copy.put(0, datagram.payload(), 0, copy.capacity());
                each.ip.onDatagram(copy, 0, copy.capacity(), from.port.lid(), from.qpn, nowNs());
            }
        }
    }

    /** Lets time pass. */
    void run(long durationNs) {
        long endNs = nowNs() + durationNs;
        while (nowNs() - endNs < 0) {
            boolean moved = true;
            while (moved) {
                moved = false;
                for (Host each : hosts.values()) {
                    moved |= each.step();
                }
            }
            managed.run(MILLISECOND);
            for (int i = later.size(); i > 0; i--) {
                later.remove().run();
            }
        }
    }
}
