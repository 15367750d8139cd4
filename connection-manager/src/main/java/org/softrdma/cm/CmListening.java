// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.host.loopback.LoopbackListeners;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** State of a listening identifier: its devices, its claim of the port on the loopback interface, and the backlog. */
final class CmListening {
    private static final System.Logger LOG = System.getLogger(CmListening.class.getName());

    private final SoftCmId id;
    private final CmService service;
    private final int backlog;
    /** Number of requests that wait in the channel. */
    private final AtomicInteger waiting = new AtomicInteger();
    private final List<OpenDevice> devices = new ArrayList<>();
    private LoopbackListeners.Claim claim;
    private boolean stopped;

    CmListening(SoftCmId id, CmService service, int backlog) {
        this.id = id;
        this.service = service;
        this.backlog = backlog;
    }

    /**
     * Starts listening, unless it was stopped already by a thread that closed the identifier meanwhile. A device on which a program outside
     * the table of ports has the port is left out, with a warning, as long as there is another one.
     *
     * @param loopback table in which to claim connections to 127.0.0.1 for this process; null for no claim
     * @throws VerbsException EADDRINUSE: no device has the port free, or a claim failed; or an error of the transport; then it does not
     *     listen anywhere
     */
    synchronized void start(List<OpenDevice> on, LoopbackListeners loopback) {
        if (stopped) {
            return;
        }
        Map<OpenDevice, VerbsException> taken = new LinkedHashMap<>();
        try {
            for (OpenDevice device : on) {
                InetAddress own = device.transport().ownLoopback();
                if (own != null && loopback != null && claim == null) {
                    claim = loopback.claim(new LoopbackListeners.Port(service.space(), service.port()), own);
                }
                try {
                    device.listen(service, id);
                    devices.add(device);
                } catch (VerbsException refused) {
                    // The TCP port of an iWARP device may be a socket's, as of a server that speaks its protocol without RDMA as well.
                    if (refused.errno() != Errno.EADDRINUSE) {
                        throw refused;
                    }
                    taken.put(device, refused);
                }
            }
            if (devices.isEmpty()) {
                throw taken.values().iterator().next();
            }
        } catch (VerbsException refused) {
            stop();
            throw refused;
        }
        taken.forEach((device, why) -> LOG.log(System.Logger.Level.WARNING,
            "listen: not on " + device.device().name() + ": " + why.getMessage()));
    }

    /** Removes a device; the identifier keeps listening on the others. */
    synchronized void leave(OpenDevice device) {
        if (devices.remove(device)) {
            device.unlisten(service, id);
            if (claim != null && device.transport().ownLoopback() != null) {
                claim.close();
                claim = null;
            }
        }
    }

    synchronized void stop() {
        stopped = true;
        devices.forEach(device -> device.unlisten(service, id));
        devices.clear();
        if (claim != null) {
            claim.close();
            claim = null;
        }
    }

    synchronized List<String> deviceNames() {
        return devices.stream().map(device -> device.device().name()).toList();
    }

    /**
     * Counts one more waiting request.
     *
     * @return false if the backlog is full
     */
    boolean admit() {
        if (waiting.incrementAndGet() <= backlog) {
            return true;
        }
        waiting.decrementAndGet();
        return false;
    }

    /** Counts a waiting request that is handed out. */
    void delivered() {
        waiting.decrementAndGet();
    }
}
