// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.host.inspect.Owner;
import org.softrdma.host.inspect.ReportBuilder;
import org.softrdma.host.inspect.ReportSource;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.AddressInfo;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * The connection manager for the soft devices of a host. Devices are opened when an identifier is bound to them, and closed when there are
 * no identifiers and no channels any more: a program that creates and closes identifiers one after another should keep a channel.
 */
public final class SoftConnectionManager implements ConnectionManager, ReportSource {
    private static final System.Logger LOG = System.getLogger(SoftConnectionManager.class.getName());
    /** Timeout in milliseconds of {@link #createEndpoint} for resolving the address, and for resolving the route. */
    private static final int RESOLVE_TIMEOUT_MS = 2000;
    /** Maximum time in milliseconds for which the end of the process waits until the peers are notified. */
    private static final int EXIT_MS = 200;
    /** Maximum number of remembered addresses; further ones are looked up again. */
    private static final int MOST_PLACES = 1024;

    private record Place(PortSpace space, InetAddress address) {
    }

    private final CmHost host;
    /**
     * Lock held while devices are opened and closed, which may wait for their threads. Taken before the monitor, which guards the fields
     * and is held only briefly: those threads take the monitor when a device is removed.
     */
    private final Object opening = new Object();
    private final PortTable ports = new PortTable();
    /** Open devices by name, in the order they were opened. */
    private final Map<String, OpenDevice> devices = new LinkedHashMap<>();
    /** Device for an address, among the devices that are open. */
    private final Map<Place, OpenDevice> places = new HashMap<>();
    private final Set<SoftCmId> identifiers = ConcurrentHashMap.newKeySet();
    /** Devices that were removed but still have identifiers. */
    private final Set<OpenDevice> removed = new LinkedHashSet<>();
    /** Number of channels and identifiers. */
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

    /** Counts a new channel or a new identifier of the program. */
    synchronized void begin() {
        users++;
    }

    /** Counts a closed channel or identifier; with the last one, all devices are closed. */
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

    /** Withdraws a removed device from new identifiers, and notifies the identifiers that use it. */
    private void onRemoval(OpenDevice device) {
        synchronized (this) {
            devices.remove(device.device().name(), device);
            removed.add(device);
            places.values().removeIf(each -> each == device);
        }
        identifiers.forEach(id -> id.onRemoval(device));
    }

    /**
     * Opens a device.
     *
     * @throws VerbsException the reason why it cannot be opened
     */
    private OpenDevice open(CmDevice device) {
        synchronized (opening) {
            OpenDevice open = opened(device.name());
            return open != null ? open : entered(new OpenDevice(device, this::onRemoval));
        }
    }

    /**
     * Enters an opened device.
     *
     * @throws VerbsException ENODEV: it was removed while it was opened
     */
    private OpenDevice entered(OpenDevice opened) {
        if (enter(opened)) {
            return opened;
        }
        opened.close();
        forget(opened);
        throw new VerbsException(Errno.ENODEV, "open_device", opened.device().name() + " was deleted while it was opened");
    }

    /** Returns an open device, or null if it is not open. */
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
     * Returns the device for a port space whose interface has a local address; the first one in the host's list if there are several.
     *
     * @throws VerbsException EADDRNOTAVAIL: no interface has it; ENODEV: its interface has no device that can connect; or the reason why
     *     that device cannot be opened
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

    /**
     * Returns whether an address to bind to stands for all devices: the wildcard address, and a loopback address where only other
     * interfaces have devices. Source: cma_any_addr in Linux.
     */
    boolean meansAny(PortSpace space, InetAddress address) {
        if (!address.isLoopbackAddress()) {
            return address.isAnyLocalAddress();
        }
        List<CmDevice> devices = host.devices();
        return !devices.isEmpty() && devices.stream().noneMatch(device -> device.owns(address) && device.carries(space));
    }

    /** Looks up the device without a query of the host, which takes a millisecond; null if unknown or outdated. */
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
     * Returns all devices for a port space that can be opened.
     *
     * @throws VerbsException ENODEV: none can be opened; includes the reason of the last one
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
                // An interface without an address is normal; one that another process uses is worth a warning.
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

    // ---- API ----

    @Override
    public EventChannel createEventChannel() {
        return new SoftEventChannel(this);
    }

    /** Creates a channel whose events are reported to a listener as they are queued; they are taken with {@code getEvent(0)}. */
    public EventChannel createEventChannel(CmEventListener listener) {
        return new SoftEventChannel(this, listener);
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

    /** Creates an identifier of another program, which reports name as its owner. */
    public CmId createId(EventChannel channel, Object context, PortSpace portSpace, QpType type, Owner program) {
        SoftCmId id = createId(channel, context, portSpace, type);
        id.actFor(program);
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

    /**
     * Notifies all peers because the process ends, as an operating system does for a program that is killed. Does not hold up the exit for
     * longer than {@value #EXIT_MS} ms, even if a device is busy or its lock is held by a thread that hangs.
     */
    void abandonAtExit() {
        if (identifiers.isEmpty() && openDevices().isEmpty()) {
            return;
        }
        Thread notifying = Thread.ofPlatform().daemon().name("softrdma-cm-notify").start(this::abandon);
        try {
            notifying.join(EXIT_MS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    /** Notifies all peers. */
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
