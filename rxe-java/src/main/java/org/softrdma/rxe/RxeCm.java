// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.softrdma.cm.CmConnection;
import org.softrdma.cm.CmHandler;
import org.softrdma.cm.CmListener;
import org.softrdma.cm.CmRequest;
import org.softrdma.cm.CmResolver;
import org.softrdma.cm.CmService;
import org.softrdma.cm.CmTransport;
import org.softrdma.cm.RequestVerdict;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.link.SubnetPort;
import org.softrdma.rxe.cm.CommunicationManager;
import org.softrdma.rxe.cm.Connection;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.rxe.cm.ReqFields;
import org.softrdma.rxe.cm.RequestListener;
import org.softrdma.rxe.cm.SidrRequest;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;
import org.softrdma.wire.cm.CmIpHeader;
import org.softrdma.wire.cm.CmRejectReason;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.roce.Mtu;

/**
 * Transport of an rxe device for the connection manager: maps rdma_cm's services, IP addresses and ports to InfiniBand's communication
 * management. Each call takes the owner's lock and sends the resulting messages at once. Source: IBA vol 1 annex A11.
 */
final class RxeCm implements CmTransport {
    /** Reserve for the largest headers, so that every packet fits: GRH, UDP, BTH, XRC, atomic and ICRC; as Linux's rdma_cm. */
    private static final int HEADER_BYTES_BEYOND_RXE = 16;
    /** Maximum time for which the end of a device waits for requests held back by pacing. */
    private static final long STOP_NS = 500_000_000;
    /** The same at the end of the process, which must not take long. */
    private static final long EXIT_NS = 50_000_000;

    private final RunningRxe running;
    /** Of a device on a subnet that has IP addresses; else null. */
    private SubnetResolution resolution;

    RxeCm(RunningRxe running) {
        this.running = running;
    }

    /** Sets addresses and resolution of a device on a subnet, before it is used. */
    void resolveBy(SubnetResolution ofSubnet) {
        resolution = ofSubnet;
    }

    /** Counts a context that uses connections. */
    void use() {
        if (resolution != null) {
            resolution.use();
        }
    }

    /** Uncounts a context that used connections, when it is closed. */
    void leave() {
        if (resolution != null) {
            resolution.leave();
        }
    }

    @Override
    public CmResolver resolver() {
        return resolution;
    }

    @Override
    public List<InetAddress> addresses() {
        if (running.link().subnetPort() != null) {
            // GIDs of a subnet are no addresses of IP; the addresses are those of IP over InfiniBand.
            return resolution == null ? List.of() : resolution.addresses();
        }
        return running.gids().entries().stream().map(entry -> entry.gid().toInetAddress()).toList();
    }

    @Override
    public InetAddress ownLoopback() {
        if (!running.netdev().loopback()) {
            return null;
        }
        return addresses().stream().filter(each -> each instanceof Inet4Address && each.isLoopbackAddress()).findFirst().orElse(null);
    }

    @Override
    public void listen(CmService service, CmListener listener) {
        command(nowNs -> {
            ListenerAdapter adapter = new ListenerAdapter(listener);
            if (service.space().usualType() != QpType.UD) {
                manager().listen(service.serviceId(), adapter);
            }
            if (service.space() == PortSpace.IB || service.space().usualType() == QpType.UD) {
                manager().listenForDatagrams(service.serviceId(), adapter);
            }
        });
    }

    /** Without effect: the device receives the requests for all its addresses. */
    @Override
    public void relisten(CmService service) {
    }

    @Override
    public void unlisten(CmService service) {
        command(nowNs -> manager().unlisten(service.serviceId()));
    }

    @Override
    public CmConnection open(CmHandler handler) {
        RxeCmConnection connection = new RxeCmConnection(this);
        connection.handler(handler);
        return connection;
    }

    /** Runs a command with the lock of the owner, and sends the resulting messages. */
    void command(LongConsumer what) {
        ReentrantLock owner = running.agent().lock();
        owner.lock();
        try {
            long nowNs = running.nowNs();
            running.engine().beginVerb(nowNs);
            what.accept(nowNs);
            running.engine().sendManagement();
        } finally {
            owner.unlock();
        }
        // There may be an earlier deadline than the one that a leader sleeps until.
        running.agent().doorbell();
    }

    /** Evaluates an expression with the lock of the owner. */
    <T> T asOwner(Supplier<T> what) {
        ReentrantLock owner = running.agent().lock();
        owner.lock();
        try {
            return what.get();
        } finally {
            owner.unlock();
        }
    }

    /** Notifies all peers because the device stops, as far as the link has room. */
    void abandonAll() {
        command(nowNs -> {
            manager().abandonAll(nowNs, this::sendAll);
            sendAll();
        });
    }

    @Override
    public void settle() {
        settle(EXIT_NS);
        running.closeRecord();
    }

    /** Waits as {@link #settle} does, but longer, because the device stops. */
    void settleAtStop() {
        settle(STOP_NS);
    }

    private void settle(long maxNs) {
        long untilNs = System.nanoTime() + maxNs;
        while (asOwner(manager()::isPacing) && System.nanoTime() - untilNs < 0) {
            DeviceThreads.pause(1_000_000);
        }
        command(nowNs -> {
            manager().flushPacing(nowNs, this::sendAll);
            sendAll();
        });
    }

    /** Sends pending messages until there are none, or the link has no room. */
    private void sendAll() {
        int sent;
        do {
            sent = running.engine().sendManagement();
        } while (sent > 0);
    }

    // ---- input ----

    /** Translates received requests to those of rdma_cm. */
    private final class ListenerAdapter implements RequestListener {
        private final CmListener listener;

        ListenerAdapter(CmListener listener) {
            this.listener = listener;
        }

        @Override
        public RequestVerdict onRequest(Connection connection) {
            ReqFields asked = connection.request();
            ByteBuffer data = ByteBuffer.wrap(asked.privateData());
            if (!hasUsableAddresses(data)) {
                return RequestVerdict.REFUSED;
            }
            if (!PKeyBlock.match(QpMachine.PKEY, asked.pkey())) {
                // Addresses are those of the default partition.
                connection.reject(running.engine().nowNs(), CmRejectReason.INVALID_GID, new byte[0]);
                return RequestVerdict.TAKEN;
            }
            if (rejectsMtu(connection)) {
                return RequestVerdict.TAKEN;
            }
            CmService service = CmService.of(asked.serviceId());
            RxeCmConnection end = new RxeCmConnection(RxeCm.this, connection);
            ConnectionParameters parameters = ConnectionParameters.builder()
                .privateData(withoutIpHeader(asked.privateData()))
                .responderResources(asked.initiatorDepth())
                .initiatorDepth(asked.responderResources())
                .flowControl(asked.flowControl())
                .retryCount(asked.retryCount())
                .rnrRetryCount(asked.rnrRetryCount())
                .srq(asked.srq())
                .qpNum(asked.qpn())
                .build();
            return listener.onRequest(end, new CmRequest(service, asked.transport() == CmReq.TRANSPORT_UC ? QpType.UC : QpType.RC,
                destination(data, service.port()), source(data), parameters));
        }

        @Override
        public RequestVerdict onSidrRequest(SidrRequest request) {
            ByteBuffer data = ByteBuffer.wrap(request.privateData());
            if (!hasUsableAddresses(data)) {
                return RequestVerdict.REFUSED;
            }
            CmService service = CmService.of(request.serviceId());
            ConnectionParameters parameters = ConnectionParameters.builder().privateData(withoutIpHeader(request.privateData())).build();
            return listener.onRequest(new RxeCmConnection(RxeCm.this, request), new CmRequest(service, QpType.UD,
                destination(data, service.port()), source(data), parameters));
        }
    }

    /** Rejects a request whose path has a greater MTU than our port. */
    boolean rejectsMtu(Connection connection) {
        boolean tooLong = connection.request().pathMtu() > Mtu.activeMtu(running.netdev().mtu());
        if (tooLong) {
            connection.reject(running.engine().nowNs(), CmRejectReason.INVALID_MTU, new byte[0]);
        }
        return tooLong;
    }

    /** Checks rdma_cm's header: known versions, a usable source and one of our addresses. */
    private boolean hasUsableAddresses(ByteBuffer data) {
        return CmIpHeader.isValid(data, 0) && isHostAddress(sourceGid(data)) && isOurs(destinationGid(data));
    }

    private boolean isOurs(Gid address) {
        return running.link().subnetPort() == null ? running.link().addresses().contains(address)
            : addresses().contains(address.toInetAddress());
    }

    private static boolean isHostAddress(Gid address) {
        return !address.isZero() && !address.isMulticast() && !(address.isIpv4Mapped() && (address.ipv4() == 0 || address.ipv4() == -1));
    }

    private static InetSocketAddress source(ByteBuffer data) {
        return new InetSocketAddress(sourceGid(data).toInetAddress(), CmIpHeader.sourcePort(data, 0));
    }

    private static InetSocketAddress destination(ByteBuffer data, int port) {
        return new InetSocketAddress(destinationGid(data).toInetAddress(), port);
    }

    private static Gid sourceGid(ByteBuffer data) {
        return CmIpHeader.ipVersion(data, 0) == 4 ? Gid.ofIpv4(CmIpHeader.sourceIpv4(data, 0))
            : new Gid(CmIpHeader.sourceHigh(data, 0), CmIpHeader.sourceLow(data, 0));
    }

    private static Gid destinationGid(ByteBuffer data) {
        return CmIpHeader.ipVersion(data, 0) == 4 ? Gid.ofIpv4(CmIpHeader.destinationIpv4(data, 0))
            : new Gid(CmIpHeader.destinationHigh(data, 0), CmIpHeader.destinationLow(data, 0));
    }

    /** Prepends rdma_cm's header to the application's private data. */
    static byte[] withIpHeader(Gid local, int localPort, Gid remote, byte[] privateData) {
        ByteBuffer data = ByteBuffer.allocate(CmIpHeader.LENGTH + privateData.length);
        if (local.isIpv4Mapped()) {
            CmIpHeader.putIpv4(data, 0, localPort, local.ipv4(), remote.ipv4());
        } else {
            CmIpHeader.putIpv6(data, 0, localPort, local.high(), local.low(), remote.high(), remote.low());
        }
        data.put(CmIpHeader.LENGTH, privateData);
        return data.array();
    }

    private static byte[] withoutIpHeader(byte[] privateData) {
        return Arrays.copyOfRange(privateData, CmIpHeader.LENGTH, privateData.length);
    }

    // ---- the device ----

    CommunicationManager manager() {
        return running.engine().gsi().manager();
    }

    RandomGenerator random() {
        return running.engine().random();
    }

    /** Returns the path MTU of our connections, 1..5. */
    int pathMtu() {
        if (running.link().subnetPort() != null) {
            return running.activeMtu().value();
        }
        return Mtu.activeMtu(running.netdev().mtu() - HEADER_BYTES_BEYOND_RXE);
    }

    /**
     * Checks that there is a route, with the owner's lock held.
     *
     * @throws VerbsException as {@link org.softrdma.link.Link#resolve}
     */
    void requireRoute(GidPair gids) {
        running.engine().gsi().path(gids);
    }

    /** Waits for the resolution of the peer's link address, without any lock. EHOSTUNREACH: the peer does not answer. */
    void awaitReachable(GidPair gids) {
        running.link().awaitReachable(gids.type(), gids.local(), gids.remote());
    }

    @Override
    public GidType gidType() {
        return running.roceMode();
    }

    /** Returns the index of a P_Key's partition in the port's table; 0 if it has none, for the queue pair to refuse. */
    int pkeyIndex(int pkey) {
        SubnetPort subnet = running.link().subnetPort();
        for (int i = 0; subnet != null && i < subnet.pkeys().size(); i++) {
            if (PKeyBlock.match(subnet.pkeys().get(i), pkey)) {
                return i;
            }
        }
        return 0;
    }

    /** Returns the index of one of our addresses in the table of GIDs. */
    int gidIndex(GidType type, Gid address) {
        for (GidEntry entry : running.gids().entries()) {
            if (entry.type() == type && entry.gid().equals(address)) {
                return entry.index();
            }
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, "connect", address + " as " + type.text() + " is not an address of "
            + running.netdev().name());
    }
}
