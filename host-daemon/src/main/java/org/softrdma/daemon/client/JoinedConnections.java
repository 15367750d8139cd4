// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * Connections by address on the daemon's devices: its connection manager has the ports and the exchanges, this process moves its own queue
 * pairs, as librdmacm does. Any thread.
 */
final class JoinedConnections implements ConnectionManager {
    /** Time limit of {@link #createEndpoint} for the address, and for the route, as {@code rdma_create_ep} has it. */
    private static final int TIMEOUT_MS = 2000;

    private final DaemonSession session;
    /** Identifiers by the daemon's numbers. */
    private final Map<Integer, JoinedCmId> identifiers = new ConcurrentHashMap<>();
    /** Listeners and memberships by the numbers that this process has given them. */
    private final Map<Long, Object> named = new ConcurrentHashMap<>();
    private final AtomicLong lastName = new AtomicLong();
    /** Open devices by name, which stay open. Guarded by the map itself. */
    private final Map<String, SharedDevice> devices = new HashMap<>();

    /** A device with the protection domain that identifiers share. */
    record SharedDevice(JoinedContext context, JoinedDomain pd) {
    }

    JoinedConnections(DaemonSession session) {
        this.session = session;
    }

    DaemonSession session() {
        return session;
    }

    /** Returns a number for an object that events name; it is found once it is {@linkplain #put entered}. */
    long newName() {
        return lastName.incrementAndGet();
    }

    void put(long name, Object object) {
        named.put(name, object);
    }

    void forget(long name) {
        named.remove(name);
    }

    /** Finds what has a name; null if it is gone. */
    <T> T named(long name, Class<T> type) {
        Object found = named.get(name);
        return type.isInstance(found) ? type.cast(found) : null;
    }

    void add(int number, JoinedCmId identifier) {
        identifiers.put(number, identifier);
    }

    void remove(int number, JoinedCmId identifier) {
        identifiers.remove(number, identifier);
    }

    /** Returns the identifier of a number, or null. */
    JoinedCmId identifier(int number) {
        return identifiers.get(number);
    }

    /**
     * Finds the device of an identifier, and opens it.
     *
     * @param guid  node GUID, as the daemon answers
     * @param local address of the identifier, which tells devices of one GUID apart
     * @throws VerbsException ENODEV: the daemon has no RoCE device with that GUID
     */
    SharedDevice device(long guid, InetAddress local) {
        SharedDevice last = null;
        synchronized (devices) {
            for (RdmaDevice each : DaemonProvider.of(session)) {
                if (each.nodeGuid() == guid) {
                    last = devices.computeIfAbsent(each.name(), _ -> open(each));
                    if (hasAddress(last, local)) {
                        return last;
                    }
                }
            }
        }
        if (last == null) {
            throw new VerbsException(Errno.ENODEV, "open_device",
                "the address is on a device that programs cannot join; iWARP devices are among them");
        }
        return last;
    }

    private static SharedDevice open(RdmaDevice device) {
        JoinedContext context = (JoinedContext) device.open();
        return new SharedDevice(context, (JoinedDomain) context.allocatePd());
    }

    private static boolean hasAddress(SharedDevice device, InetAddress local) {
        return device.context().queryGidTable().stream().anyMatch(entry -> entry.gid().equals(Gid.of(local)));
    }

    @Override
    public EventChannel createEventChannel() {
        return new JoinedEventChannel(this);
    }

    @Override
    public CmId createId(EventChannel channel, Object context, PortSpace portSpace, QpType type) {
        if (type != portSpace.usualType() && portSpace != PortSpace.IB) {
            throw new VerbsException(Errno.EINVAL, "create_id", portSpace + " has no " + type + " queue pairs");
        }
        return JoinedCmId.create(this, JoinedEventChannel.own(channel), context, portSpace, type);
    }

    @Override
    public CmId createEndpoint(AddressInfo info, ProtectionDomain pd, QpInitAttributes qp) {
        JoinedCmId id = JoinedCmId.create(this, null, null, info.portSpace(), info.qpType());
        boolean ready = false;
        try {
            if (info.passive()) {
                id.bind(info.source() == null ? new InetSocketAddress(0) : info.source());
                id.requestsGet(pd, qp);
            } else {
                id.resolveAddress(info.source(), info.destination(), TIMEOUT_MS);
                id.resolveRoute(TIMEOUT_MS);
                if (qp != null) {
                    id.createQp(pd, qp);
                }
            }
            ready = true;
            return id;
        } finally {
            if (!ready) {
                id.close();
            }
        }
    }
}
