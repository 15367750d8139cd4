// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.host.loopback.LoopbackAddress;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.VerbsException;

/** A device in use by identifiers: the context that they share, and its listeners. */
final class OpenDevice {
    private static final System.Logger LOG = System.getLogger(OpenDevice.class.getName());

    private final CmDevice device;
    private final SoftContext context;
    private final CmTransport transport;
    private final Map<CmService, Listeners> listeners = new HashMap<>();
    private ProtectionDomain pd;
    private volatile boolean removed;

    /**
     * Opens the device.
     *
     * @param onRemoval called when the device is removed while identifiers use it
     * @throws VerbsException EOPNOTSUPP: it has no transport for connections; or the reason why it cannot be opened
     */
    OpenDevice(CmDevice device, Consumer<OpenDevice> onRemoval) {
        this.device = device;
        context = device.open();
        if (!(context instanceof CmContext capable)) {
            context.close();
            throw new VerbsException(Errno.EOPNOTSUPP, "open_device", device.name() + " has no connection manager");
        }
        transport = transportOf(capable);
        context.onRemoval(() -> {
            removed = true;
            onRemoval.accept(this);
        });
    }

    private CmTransport transportOf(CmContext capable) {
        try {
            return capable.cmTransport();
        } catch (VerbsException refused) {
            context.close();
            throw refused;
        }
    }

    SoftContext context() {
        return context;
    }

    CmTransport transport() {
        return transport;
    }

    CmDevice device() {
        return device;
    }

    /** Returns true if the device was removed and is kept only for the identifiers that still use it. */
    boolean isRemoved() {
        return removed;
    }

    /** Returns the protection domain for identifiers whose program does not provide one. */
    synchronized ProtectionDomain pd() {
        if (pd == null) {
            pd = context.allocatePd();
        }
        return pd;
    }

    /** Returns true if this is the device for a local address. */
    boolean has(InetAddress address) {
        return standsForOwn(address) || transport.has(address);
    }

    /** Returns true if the address is 127.0.0.1 and stands for the process that listens. */
    boolean standsForOwn(InetAddress address) {
        return address.equals(LoopbackAddress.ANY_PROCESS) && transport.ownLoopback() != null;
    }

    /** Replaces 127.0.0.1 by the own loopback address of the process; returns other addresses unchanged. */
    InetAddress own(InetAddress address) {
        return standsForOwn(address) ? transport.ownLoopback() : address;
    }

    /**
     * Checks that the device can use an address.
     *
     * @throws VerbsException EADDRNOTAVAIL: the device was opened without it
     */
    void requireAddress(String verb, InetAddress address) {
        if (!transport.has(address)) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, verb, device.name() + " was opened without " + address.getHostAddress()
                + "; it has " + transport.addresses().stream().map(InetAddress::getHostAddress).toList());
        }
    }

    /**
     * Returns the GID index of a local address. RoCE may have one GID for each version: then that of the version used for connections.
     *
     * @throws VerbsException EADDRNOTAVAIL: there is none
     */
    int gidIndex(InetAddress address) {
        Gid gid = Gid.of(address);
        GidEntry found = null;
        for (GidEntry entry : context.queryGidTable()) {
            if (entry.gid().equals(gid) && (found == null || entry.type() == transport.gidType())) {
                found = entry;
            }
        }
        if (found != null) {
            return found.index();
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, "join_multicast", device.name() + " has no GID of " + address.getHostAddress());
    }

    /** Starts passing requests for the service and for its address to the identifier. */
    void listen(CmService service, SoftCmId id) {
        synchronized (listeners) {
            Listeners all = listeners.get(service);
            if (all != null) {
                all.add(id, () -> transport.relisten(service));
            } else {
                Listeners first = new Listeners();
                first.add(id, () -> transport.listen(service, first));
                listeners.put(service, first);
            }
        }
    }

    /** Stops listening. Never fails: if an address of the remaining listeners is in use, the transport tries it again. */
    void unlisten(CmService service, SoftCmId id) {
        synchronized (listeners) {
            Listeners all = listeners.get(service);
            if (all == null || !all.ids.remove(id)) {
                return;
            }
            if (all.ids.isEmpty()) {
                listeners.remove(service);
                transport.unlisten(service);
            } else {
                relistenWithout(service);
            }
        }
    }

    private void relistenWithout(CmService service) {
        try {
            transport.relisten(service);
        } catch (VerbsException refused) {
            LOG.log(System.Logger.Level.WARNING, device.name() + ": " + refused.getMessage());
        }
    }

    /**
     * Closes the context.
     *
     * @return false if the program still has objects of it
     */
    boolean close() {
        try {
            if (pd != null) {
                pd.close();
                pd = null;
            }
            context.close();
            return true;
        } catch (VerbsException busy) {
            if (busy.errno() != Errno.EBUSY) {
                throw busy;
            }
            return false;
        }
    }

    /** Identifiers that listen for one service, by address. Called by the transport with the device's lock held. */
    private final class Listeners implements CmListener {
        private final List<SoftCmId> ids = new CopyOnWriteArrayList<>();

        /**
         * Adds an identifier.
         *
         * @param begin makes the transport listen at the addresses; if that fails, the identifier is removed again
         */
        void add(SoftCmId id, Runnable begin) {
            ids.add(id);
            try {
                begin.run();
            } catch (VerbsException refused) {
                ids.remove(id);
                throw refused;
            }
        }

        @Override
        public Set<InetAddress> addresses(List<InetAddress> ofDevice) {
            Set<InetAddress> all = new LinkedHashSet<>();
            for (SoftCmId id : ids) {
                InetAddress bound = id.localAddress().getAddress();
                if (bound.isAnyLocalAddress()) {
                    ofDevice.stream().filter(id::coversWildcard).forEach(all::add);
                } else {
                    all.add(bound);
                }
            }
            return all;
        }

        @Override
        public RequestVerdict onRequest(CmConnection connection, CmRequest request) {
            SoftCmId best = null;
            for (SoftCmId id : ids) {
                InetSocketAddress bound = id.localAddress();
                if (bound.getAddress().equals(request.local().getAddress())) {
                    best = id;
                } else if (best == null && id.coversWildcard(request.local().getAddress())) {
                    best = id;
                }
            }
            return best == null ? RequestVerdict.REFUSED : best.onRequest(OpenDevice.this, connection, request);
        }
    }
}
