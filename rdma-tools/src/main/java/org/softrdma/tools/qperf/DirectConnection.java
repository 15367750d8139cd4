// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Verbs;

/**
 * Queue pairs connected by the exchange of {@link Node}s. A node names an end by its LID, which is meaningless on Ethernet, so that the
 * original fails there. Two ends of softrdma exchange their GIDs in addition.
 */
final class DirectConnection implements RdmaConnection {
    private static final int QKEY = 0x11111111;
    private static final int MIN_RNR_TIMER = 12;
    private static final int ACK_TIMEOUT = 14;
    private static final int RETRIES = 7;
    private static final int HOP_LIMIT = 64;
    private static final int GID_BYTES = 16;
    private static final int PSN_BITS = 24;

    private final Session session;
    private final QpType type;
    private final int psn = ThreadLocalRandom.current().nextInt(1 << PSN_BITS);
    private int port = 1;
    private Context context;
    private RdmaEnd end;
    private QueuePair qp;
    private AddressHandle handle;
    private int rdAtomic;

    DirectConnection(Session session, QpType type) {
        this.session = session;
        this.type = type;
    }

    @Override
    public QueuePair open(RdmaEnd forEnd) {
        end = forEnd;
        mtu();
        String id = session.request().text(Parameter.ID);
        int colon = id.indexOf(':');
        if (colon >= 0) {
            port = Quantity.number("--id", id.substring(colon + 1));
            if (port < 1) {
                throw new QPerfFailure("bad IB port: " + port + "; must be at least 1");
            }
        }
        openDevice(colon < 0 ? id : id.substring(0, colon));
        rdAtomic = RdmaConnection.rdAtomic(context, session.request());
        QPerfFailure.attempt("failed to create QP", () -> qp = end.preparedPd(context).createQp(end.attributes()));
        QPerfFailure.attempt("failed to modify QP to INIT state", () -> qp.modify(initAttributes()));
        return qp;
    }

    private Mtu mtu() {
        int bytes = session.request().number(Parameter.MTU_SIZE);
        Mtu mtu = Mtu.ofBytes(bytes);
        if (mtu == null) {
            throw new QPerfFailure("bad MTU: " + bytes + "; must be 256/512/1K/2K/4K");
        }
        return mtu;
    }

    /** The device that is named, otherwise the one with the control connection's address, otherwise the first. */
    private void openDevice(String name) {
        List<RdmaDevice> devices = Verbs.devices();
        if (devices.isEmpty()) {
            throw new QPerfFailure("failed to find any InfiniBand devices", "`softrdma rdma link add rxe0 type rxe netdev IF` adds one");
        }
        if (name.isEmpty()) {
            openNearest(devices);
            return;
        }
        RdmaDevice named = devices.stream().filter(device -> device.isNamed(name)).findFirst()
            .orElseThrow(() -> new QPerfFailure("failed to find InfiniBand device", "there is no " + name + ", but there are "
                + Verbs.names(devices)));
        context = open(named);
    }

    private void openNearest(List<RdmaDevice> devices) {
        for (Predicate<Context> wanted : List.<Predicate<Context>>of(this::hasControlAddress, of -> ownGid(of).isPresent())) {
            for (RdmaDevice device : devices) {
                context = open(device);
                if (wanted.test(context)) {
                    return;
                }
                context.close();
            }
        }
        context = open(devices.getFirst());
    }

    private static Context open(RdmaDevice device) {
        Context[] opened = new Context[1];
        QPerfFailure.attempt("failed to open device " + device.name(), () -> opened[0] = device.open());
        return opened[0];
    }

    private QpAttributes initAttributes() {
        QpAttributes init = new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(port);
        return switch (type) {
            case UD -> init.qkey(QKEY);
            case UC -> init.accessFlags(AccessFlags.REMOTE_WRITE);
            default -> init.accessFlags(AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC);
        };
    }

    @Override
    public Node node(long address, int rkey) {
        return new Node(address, context.queryPort(port).lid(), qp.qpNum(), psn, rkey, rdAtomic, true);
    }

    @Override
    public void connect(Node peer) {
        AddressVector vector = wayTo(peer);
        QPerfFailure.attempt("failed to modify QP to RTR", () -> qp.modify(rtrAttributes(peer, vector)));
        QPerfFailure.attempt("failed to modify QP to RTS", () -> qp.modify(rtsAttributes(peer)));
        if (type == QpType.UD) {
            QPerfFailure.attempt("failed to create address handle", () -> handle = end.pd().createAh(vector));
        }
    }

    private QpAttributes rtrAttributes(Node peer, AddressVector vector) {
        QpAttributes rtr = new QpAttributes().state(QpState.RTR);
        if (type == QpType.UD) {
            return rtr;
        }
        // Both ends have the same default, which on most Ethernets is too much for both.
        Mtu active = context.queryPort(port).activeMtu();
        Mtu mtu = mtu();
        rtr.addressVector(vector).pathMtu(mtu.compareTo(active) > 0 ? active : mtu).destQpn(peer.qpn()).rqPsn(peer.psn());
        return type == QpType.RC ? rtr.maxDestRdAtomic(rdAtomic).minRnrTimer(MIN_RNR_TIMER) : rtr;
    }

    private QpAttributes rtsAttributes(Node peer) {
        QpAttributes rts = new QpAttributes().state(QpState.RTS).sqPsn(psn);
        return type == QpType.RC
            ? rts.timeout(ACK_TIMEOUT).retryCount(RETRIES).rnrRetry(RETRIES).maxRdAtomic(peer.rdAtomic()) : rts;
    }

    /**
     * Both ends tell their GIDs.
     *
     * @throws QPerfFailure the peer does not, being no softrdma: then it will fail, too
     */
    private AddressVector wayTo(Node peer) {
        if (!peer.hasGid()) {
            throw new QPerfFailure("failed to modify QP to RTR: " + Errno.EINVAL.text(), "the other end is an original qperf, which "
                + "names no GID: on Ethernet it needs -cm1, and has no uc and ud tests");
        }
        GidEntry own = ownGid(context).orElseThrow(() -> new QPerfFailure("failed to modify QP to RTR: " + Errno.EINVAL.text(),
            "port " + port + " has no GID of RoCE v2; -cm1 connects iWARP"));
        ByteBuffer message = ByteBuffer.allocate(GID_BYTES).putLong(own.gid().high()).putLong(own.gid().low());
        session.control().send(message.array(), "GID");
        ByteBuffer answer = ByteBuffer.wrap(session.control().receive(GID_BYTES, "GID"));
        Gid gid = new Gid(answer.getLong(), answer.getLong());
        return new AddressVector(gid, own.index(), 0, HOP_LIMIT, 0, session.request().number(Parameter.SERVICE_LEVEL), port);
    }

    /** The GID of the control connection's address, otherwise of the first IPv4 address, otherwise the first of all. */
    private Optional<GidEntry> ownGid(Context of) {
        Gid wanted = Gid.of(session.control().localAddress());
        return of.queryGidTable().stream().filter(entry -> entry.port() == port && entry.type() == GidType.ROCE_V2)
            .min(Comparator.comparing((GidEntry entry) -> !entry.gid().equals(wanted)).thenComparing(entry -> !entry.gid().isIpv4Mapped())
                .thenComparing(GidEntry::index));
    }

    private boolean hasControlAddress(Context of) {
        return ownGid(of).filter(entry -> entry.gid().equals(Gid.of(session.control().localAddress()))).isPresent();
    }

    @Override
    public void address(SendRequest send, Node peer) {
        if (handle != null) {
            send.to(handle, peer.qpn(), QKEY);
        }
    }

    @Override
    public void closeQueuePair() {
        if (qp != null) {
            qp.close();
        }
        if (handle != null) {
            handle.close();
        }
    }

    @Override
    public void close() {
        if (context != null) {
            context.close();
        }
    }
}
