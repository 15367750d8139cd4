// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.CmId;
import org.softrdma.verbs.cm.ConnectionManager;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.cm.PortSpace;

/**
 * The thread that processes the connection manager's events for all rsockets of the process, so that connections are made, accepted and
 * ended independently of the programs' threads. It also sends keep-alives. It exists while there are rsockets.
 */
final class ConnectionEvents {
    /** Receiver of events: the context of an identifier. Called on this thread, after the event was acknowledged. */
    interface Handler {
        /**
         * Handles an event.
         *
         * @param peer   the peer's parameters; null for events without parameters
         * @param detail explanation of an error event; null for none
         */
        void onEvent(CmEventType type, CmId id, int status, ConnectionParameters peer, String detail);
    }

    private static final long FOR_EVER = -1;

    private static ConnectionEvents current;
    private static int users;

    private final EventChannel channel;
    private final Thread thread;
    private final Set<RSocketConnection> keepAlives = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    private ConnectionEvents(EventChannel channel) {
        this.channel = channel;
        thread = Thread.ofPlatform().daemon().name("rsocket-connections").unstarted(this::run);
    }

    /** @return the process's instance; {@link #release} it after closing the identifier made with it */
    static synchronized ConnectionEvents acquire() {
        if (users == 0) {
            current = new ConnectionEvents(ConnectionManager.get().createEventChannel());
            current.thread.start();
        }
        users++;
        return current;
    }

    static synchronized void release() {
        if (--users == 0) {
            current.over = true;
            current.thread.interrupt();
            current = null;
        }
    }

    CmId createId(Handler handler) {
        return ConnectionManager.get().createId(channel, handler, PortSpace.TCP);
    }

    /** Adds a stream that sends keep-alives. For this thread only, when it processes the event that establishes the connection. */
    void keepAlive(RSocketConnection stream) {
        keepAlives.add(stream);
    }

    void forget(RSocketConnection stream) {
        keepAlives.remove(stream);
    }

    private void run() {
        try {
            while (!over) {
                CmEvent event = channel.getEvent(sendKeepAlives());
                if (event != null) {
                    dispatch(event);
                }
            }
        } catch (VerbsException interrupted) {
            if (!over || interrupted.errno() != Errno.EINTR) {
                throw interrupted;
            }
        }
        channel.close();
    }

    /** @return nanoseconds until the next keep-alive is due; {@link #FOR_EVER} if none is */
    private long sendKeepAlives() {
        long earliestNs = Long.MAX_VALUE;
        long nowNs = System.nanoTime();
        for (RSocketConnection each : keepAlives) {
            earliestNs = Math.min(earliestNs, each.keepAlive(nowNs));
        }
        return earliestNs == Long.MAX_VALUE ? FOR_EVER : earliestNs;
    }

    private static void dispatch(CmEvent event) {
        CmId id = event.id();
        CmEventType type = event.type();
        int status = event.status();
        ConnectionParameters peer = event.connection();
        String detail = event.detail();
        // Acknowledged before the handler runs: closing an identifier, which the handler may do, waits for the acknowledgement.
        event.ack();
        ((Handler) id.context()).onEvent(type, id, status, peer, detail);
    }
}
