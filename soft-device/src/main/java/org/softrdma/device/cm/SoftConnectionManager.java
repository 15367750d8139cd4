// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * The connection manager over the soft devices of a host. Devices are opened when an identifier comes to be on them, and closed when there
 * is neither identifier nor channel any more: whoever makes and closes identifiers one after the other keeps a channel.
 */
public final class SoftConnectionManager implements ConnectionManager {
    private static final System.Logger LOG = System.getLogger(SoftConnectionManager.class.getName());
    /** Milliseconds that {@link #createEndpoint} lets address and route be looked for, each. */
    private static final int RESOLVE_TIMEOUT_MS = 2000;

    private final CmHost host;
    private final PortTable ports = new PortTable();
    /** By name, in the order they were opened. */
    private final Map<String, OpenDevice> devices = new LinkedHashMap<>();
    private final Set<SoftCmId> identifiers = ConcurrentHashMap.newKeySet();
    /** Channels and identifiers. */
    private int users;

    public SoftConnectionManager(CmHost host) {
        this.host = host;
    }

    CmHost host() {
        return host;
    }

    PortTable ports() {
        return ports;
    }

    // ---- devices ----

    /** Another channel, or another identifier of the program's. */
    synchronized void begin() {
        users++;
    }

    /** One less: with the last one the devices go. */
    synchronized void end() {
        users--;
        if (users == 0) {
            devices.values().removeIf(OpenDevice::close);
        }
    }

    /** @throws VerbsException why it does not open */
    private synchronized OpenDevice open(CmDevice device) {
        OpenDevice open = devices.get(device.name());
        if (open == null) {
            open = new OpenDevice(device);
            devices.put(device.name(), open);
        }
        return open;
    }

    /**
     * The device whose interface has an address of the host.
     *
     * @throws VerbsException EADDRNOTAVAIL: no interface has it; ENODEV: its interface has no device that can connect; or why that does not
     *     open
     */
    OpenDevice deviceOf(String verb, InetAddress address) {
        VerbsException last = null;
        for (CmDevice device : host.devices()) {
            if (device.owns(address)) {
                try {
                    return open(device);
                } catch (VerbsException refused) {
                    last = refused;
                }
            }
        }
        if (last != null) {
            throw last;
        }
        if (host.has(address)) {
            throw new VerbsException(Errno.ENODEV, verb, "no RDMA device is on the interface of " + address.getHostAddress()
                + "; add one: rdma link add NAME type rxe netdev INTERFACE");
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, verb, "no interface of this host has " + address.getHostAddress());
    }

    /**
     * Every device that can be opened.
     *
     * @throws VerbsException ENODEV: none can, and why the last one cannot
     */
    List<OpenDevice> openAll(String verb) {
        List<OpenDevice> opened = new ArrayList<>();
        VerbsException last = null;
        for (CmDevice device : host.devices()) {
            try {
                opened.add(open(device));
            } catch (VerbsException refused) {
                LOG.log(System.Logger.Level.DEBUG, verb + ": not on " + device.name() + ": " + refused.getMessage());
                last = refused;
            }
        }
        if (opened.isEmpty()) {
            throw new VerbsException(Errno.ENODEV, verb,
                last == null ? "there is no RDMA device" : "no device opens: " + last.getMessage());
        }
        return opened;
    }

    // ---- what programs call ----

    @Override
    public EventChannel createEventChannel() {
        return new SoftEventChannel(this);
    }

    @Override
    public SoftCmId createId(EventChannel channel, Object context, PortSpace portSpace, QpType type) {
        if (portSpace != PortSpace.IB && type != portSpace.usualType()) {
            throw new VerbsException(Errno.EINVAL, "create_id", "port space " + portSpace + " is for " + portSpace.usualType() + ", not "
                + type + "; port space IB takes others");
        }
        SoftCmId id = new SoftCmId(this, (SoftEventChannel) channel, context, portSpace, type);
        identifiers.add(id);
        return id;
    }

    void entered(SoftCmId id) {
        identifiers.add(id);
    }

    void left(SoftCmId id) {
        identifiers.remove(id);
    }

    @Override
    public SoftCmId createEndpoint(AddressInfo info, ProtectionDomain pd, QpInitAttributes qp) {
        SoftCmId id = createId(null, null, info.portSpace(), info.qpType());
        try {
            if (info.passive()) {
                id.bind(info.source());
                id.queuePairsOfRequests(pd, qp);
            } else {
                id.resolveAddress(info.source(), info.destination(), RESOLVE_TIMEOUT_MS);
                id.resolveRoute(RESOLVE_TIMEOUT_MS);
                if (qp != null) {
                    id.createQp(pd, qp);
                }
            }
            return id;
        } catch (VerbsException refused) {
            id.close();
            throw refused;
        }
    }

    /** The process ends: peers are told, as an operating system would do it for a program that was killed. */
    void abandon() {
        for (SoftCmId id : identifiers) {
            try {
                id.abandon();
            } catch (RuntimeException refused) {
                LOG.log(System.Logger.Level.DEBUG, "at exit: " + refused.getMessage());
            }
        }
    }
}
