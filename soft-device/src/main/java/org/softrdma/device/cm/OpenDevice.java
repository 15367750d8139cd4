// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.VerbsException;

/** A device that identifiers are on: its context, which they share, and who listens there. */
final class OpenDevice {
    private final CmDevice device;
    private final SoftContext context;
    private final CmTransport transport;
    private final Map<CmService, Listeners> listeners = new HashMap<>();
    private ProtectionDomain pd;

    /** @throws VerbsException EOPNOTSUPP: it has no transport for connections; or why it does not open */
    OpenDevice(CmDevice device) {
        this.device = device;
        context = device.open();
        transport = context.cmTransport();
        if (transport == null) {
            context.close();
            throw new VerbsException(Errno.EOPNOTSUPP, "open_device", device.name() + " has no connection manager");
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

    /** For identifiers whose program does not bring one. */
    synchronized ProtectionDomain pd() {
        if (pd == null) {
            pd = context.allocatePd();
        }
        return pd;
    }

    /**
     * The device's index of a local address.
     *
     * @throws VerbsException EADDRNOTAVAIL: the device was opened without it
     */
    int gidIndex(InetAddress address) {
        Gid gid = Gid.of(address);
        for (GidEntry entry : context.queryGidTable()) {
            if (entry.gid().equals(gid)) {
                return entry.index();
            }
        }
        throw new VerbsException(Errno.EADDRNOTAVAIL, "resolve_addr", device.name() + " was opened without "
            + address.getHostAddress() + "; it has " + context.queryGidTable().stream().map(GidEntry::gid).toList());
    }

    /** What stands for 127.0.0.1 here, or the address itself. */
    InetAddress own(InetAddress address) {
        if (!device.loopback() || !address.equals(LoopbackAddress.ANY_PROCESS)) {
            return address;
        }
        for (GidEntry entry : context.queryGidTable()) {
            InetAddress own = entry.gid().toInetAddress();
            if (entry.gid().isIpv4Mapped() && own.isLoopbackAddress()) {
                return own;
            }
        }
        return address;
    }

    /** Requests for the service go to the identifier from now on, if they are for its address. */
    void listen(CmService service, SoftCmId id) {
        synchronized (listeners) {
            Listeners all = listeners.get(service);
            if (all == null) {
                all = new Listeners();
                transport.listen(service, all);
                listeners.put(service, all);
            }
            all.ids.add(id);
        }
    }

    void unlisten(CmService service, SoftCmId id) {
        synchronized (listeners) {
            Listeners all = listeners.get(service);
            if (all != null && all.ids.remove(id) && all.ids.isEmpty()) {
                listeners.remove(service);
                transport.unlisten(service);
            }
        }
    }

    /** Gives the context back. @return false if the program still has objects of it */
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

    /** The identifiers that listen for one service, at their addresses. Called by the transport with the device's lock held. */
    private final class Listeners implements CmListener {
        private final List<SoftCmId> ids = new CopyOnWriteArrayList<>();

        @Override
        public Verdict onRequest(CmConnection connection, CmRequest request) {
            SoftCmId best = null;
            for (SoftCmId id : ids) {
                InetSocketAddress bound = id.localAddress();
                if (bound.getAddress().equals(request.local().getAddress())) {
                    best = id;
                } else if (best == null && id.coversWildcard(request.local().getAddress())) {
                    best = id;
                }
            }
            return best == null ? Verdict.REFUSED : best.onRequest(OpenDevice.this, connection, request);
        }
    }
}
