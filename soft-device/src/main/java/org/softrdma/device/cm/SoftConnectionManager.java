// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.device.inspect.ReportBuilder;
import org.softrdma.device.inspect.ReportSource;
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
public final class SoftConnectionManager implements ConnectionManager, ReportSource {
    private static final System.Logger LOG = System.getLogger(SoftConnectionManager.class.getName());
    /** Milliseconds that {@link #createEndpoint} lets address and route be looked for, each. */
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    /** More are forgotten, and found out again. */
    private static final int MOST_PLACES = 1024;

    private record Place(PortSpace space, InetAddress address) {
    }

    private final CmHost host;
    /**
     * Held while devices are opened and closed, which can mean to wait for their threads; taken before the monitor, which guards the fields
     * and is held for a moment only: those threads come for it when a device is removed.
     */
    private final Object opening = new Object();
    private final PortTable ports = new PortTable();
    /** By name, in the order they were opened. */
    private final Map<String, OpenDevice> devices = new LinkedHashMap<>();
    /** Whose connections an address has: of the devices that were open already. */
    private final Map<Place, OpenDevice> places = new HashMap<>();
    private final Set<SoftCmId> identifiers = ConcurrentHashMap.newKeySet();
    /** Devices that were removed, and wait for their identifiers to be closed. */
    private final Set<OpenDevice> removed = new LinkedHashSet<>();
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
    void end() {
        synchronized (this) {
            users--;
            if (users > 0) {
                return;
            }
        }
        closeUnused();
    }

    private void closeUnused() {
        synchronized (opening) {
            List<OpenDevice> unused;
            synchronized (this) {
                if (users > 0) {
                    return;
                }
                unused = openDevices();
                places.clear();
            }
            for (OpenDevice each : unused) {
                if (each.close()) {
                    forget(each);
                }
            }
        }
    }

    private synchronized void forget(OpenDevice closed) {
        devices.values().remove(closed);
        removed.remove(closed);
    }

    /** A device is gone, for new identifiers; those that are on it are told. */
    private void onRemoval(OpenDevice device) {
        synchronized (this) {
            devices.remove(device.device().name(), device);
            removed.add(device);
            places.values().removeIf(each -> each == device);
        }
        identifiers.forEach(id -> id.onRemoval(device));
    }

    /** @throws VerbsException why it does not open */
    private OpenDevice open(CmDevice device) {
        synchronized (opening) {
            OpenDevice open = opened(device.name());
            return open != null ? open : entered(new OpenDevice(device, this::onRemoval));
        }
    }

    /** @throws VerbsException ENODEV: it was removed while it was opened */
    private OpenDevice entered(OpenDevice opened) {
        if (enter(opened)) {
            return opened;
        }
        opened.close();
        forget(opened);
        throw new VerbsException(Errno.ENODEV, "open_device", opened.device().name() + " was deleted at this moment");
    }

    /** Null if it is not open. */
    private synchronized OpenDevice opened(String name) {
        return devices.get(name);
    }

    private synchronized boolean enter(OpenDevice opened) {
        if (removed.contains(opened)) {
            return false;
        }
        devices.put(opened.device().name(), opened);
        return true;
    }

    /**
     * The device for a port space whose interface has an address of the host; of several the first, in the order of the host's list.
     *
     * @throws VerbsException EADDRNOTAVAIL: no interface has it; ENODEV: its interface has no device that can connect; or why that does not
     *     open
     */
    OpenDevice deviceOf(String verb, PortSpace space, InetAddress address) {
        Place place = new Place(space, address);
        OpenDevice known = remembered(place);
        if (known != null) {
            return known;
        }
        VerbsException last = null;
        for (CmDevice device : host.devices()) {
            if (device.owns(address) && device.carries(space)) {
                try {
                    return remember(place, open(device));
                } catch (VerbsException refused) {
                    last = refused;
                }
            }
        }
        if (last != null) {
            throw last;
        }
        if (host.has(address)) {
            throw new VerbsException(Errno.ENODEV, verb, "no RDMA device for " + space + " is on the interface of "
                + address.getHostAddress() + "; add one: rdma link add NAME type TYPE netdev INTERFACE");
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, verb, "no interface of this host has " + address.getHostAddress());
    }

    /** Without asking the host, which takes a millisecond; null if it is not known or not true any more. */
    private synchronized OpenDevice remembered(Place place) {
        OpenDevice device = places.get(place);
        return device != null && device.has(place.address) ? device : null;
    }

    private synchronized OpenDevice remember(Place place, OpenDevice device) {
        if (places.size() >= MOST_PLACES) {
            places.clear();
        }
        places.put(place, device);
        return device;
    }

    /**
     * Every device for a port space that can be opened.
     *
     * @throws VerbsException ENODEV: none can, and why the last one cannot
     */
    List<OpenDevice> openAll(String verb, PortSpace space) {
        List<OpenDevice> opened = new ArrayList<>();
        VerbsException last = null;
        for (CmDevice device : host.devices()) {
            if (!device.carries(space)) {
                continue;
            }
            try {
                opened.add(open(device));
            } catch (VerbsException refused) {
                // An interface without address is no news; one that somebody else has is.
                LOG.log(refused.errno() == Errno.EADDRINUSE ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    verb + ": not on " + device.name() + ": " + refused.getMessage());
                last = refused;
            }
        }
        if (opened.isEmpty()) {
            throw new VerbsException(Errno.ENODEV, verb,
                last == null ? "there is no RDMA device for " + space : "no device opens: " + last.getMessage());
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

    @Override
    public void report(ReportBuilder into) {
        identifiers.forEach(id -> id.report(into));
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
        openDevices().forEach(device -> device.transport().settle());
    }

    private synchronized List<OpenDevice> openDevices() {
        List<OpenDevice> all = new ArrayList<>(devices.values());
        all.addAll(removed);
        return all;
    }
}
