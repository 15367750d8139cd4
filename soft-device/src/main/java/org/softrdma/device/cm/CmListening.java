// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.verbs.VerbsException;

/** What an identifier has that listens: the devices it listens on, its claim of the port on the loopback, and the backlog. */
final class CmListening {
    private final SoftCmId id;
    private final CmService service;
    private final int backlog;
    /** Requests that wait in the channel. */
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
     * From now on requests come; unless it was stopped already, by a thread that closed the identifier meanwhile.
     *
     * @param loopback where to say that this process is the one that connections to 127.0.0.1 are for; null if it is not to be
     * @throws VerbsException EADDRINUSE; others of the transport. It listens nowhere then
     */
    synchronized void start(List<OpenDevice> on, LoopbackListeners loopback) {
        if (stopped) {
            return;
        }
        try {
            for (OpenDevice device : on) {
                InetAddress own = device.transport().ownLoopback();
                if (own != null && loopback != null && claim == null) {
                    claim = loopback.claim(service, own);
                }
                device.listen(service, id);
                devices.add(device);
            }
        } catch (VerbsException refused) {
            stop();
            throw refused;
        }
    }

    /** The device is gone; it goes on listening on the others. */
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

    /** Whether one more request may wait; if so, it is counted. */
    boolean admit() {
        if (waiting.incrementAndGet() <= backlog) {
            return true;
        }
        waiting.decrementAndGet();
        return false;
    }

    /** One that waited is handed out. */
    void delivered() {
        waiting.decrementAndGet();
    }
}
