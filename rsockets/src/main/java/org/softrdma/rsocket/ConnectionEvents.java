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
 * The thread that takes the connection manager's events of all rsockets of the process, so that connections are made, accepted and ended
 * whatever their programs do; and sends keep-alives. Exists while there are rsockets.
 */
final class ConnectionEvents {
    /** Whom an event is for: the context of its identifier. Called by the thread, with the event given back. */
    interface Handler {
        /** @param said what the peer said; null if it cannot have said anything */
        void onEvent(CmEventType type, CmId id, int status, ConnectionParameters said);
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

    /** @return the one there is, to be {@link #release released} once the caller's identifier is closed */
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

    /** On this thread only, which has just heard that the connection is there. */
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
                    hand(event);
                }
            }
        } catch (VerbsException interrupted) {
            if (!over || interrupted.errno() != Errno.EINTR) {
                throw interrupted;
            }
        }
        channel.close();
    }

    /** @return nanoseconds until the next are due */
    private long sendKeepAlives() {
        long earliestNs = Long.MAX_VALUE;
        long nowNs = System.nanoTime();
        for (RSocketConnection each : keepAlives) {
            earliestNs = Math.min(earliestNs, each.keepAlive(nowNs));
        }
        return earliestNs == Long.MAX_VALUE ? FOR_EVER : earliestNs;
    }

    private static void hand(CmEvent event) {
        CmId id = event.id();
        CmEventType type = event.type();
        int status = event.status();
        ConnectionParameters said = event.connection();
        // Before the handler has it: an identifier that is closed meanwhile waits for its events.
        event.ack();
        ((Handler) id.context()).onEvent(type, id, status, said);
    }
}
