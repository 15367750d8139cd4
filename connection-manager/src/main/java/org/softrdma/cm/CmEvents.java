// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEvent;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;
import org.softrdma.verbs.cm.EventChannel;
import org.softrdma.verbs.provider.EventAcks;

/**
 * The events of an identifier: its channel, the waiting calls of a synchronous identifier, and migration to another channel. The
 * identifier's monitor guards the fields and is held while an event is raised.
 */
final class CmEvents {
    private final SoftCmId self;
    private final CmIdPrivate id;
    private final EventAcks acknowledged = new EventAcks();
    private SoftEventChannel channel;
    private boolean synchronous;
    /** Event that ended the last operation of a synchronous identifier. */
    private CmEvent last;

    CmEvents(SoftCmId self, CmIdPrivate id) {
        this.self = self;
        this.id = id;
    }

    /**
     * Sets the first channel.
     *
     * @param given null for a synchronous identifier, which gets a channel of its own
     */
    void enter(SoftEventChannel given) {
        synchronized (id) {
            synchronous = given == null;
            channel = synchronous ? new SoftEventChannel(id.manager) : given;
            channel.add();
        }
    }

    /** Shares the channel of the listener, for an identifier created by a request; with the listener's monitor held. */
    void enterWith(CmEvents listener) {
        synchronized (id) {
            synchronous = listener.synchronous;
            channel = listener.channel;
        }
    }

    SoftEventChannel channel() {
        synchronized (id) {
            return channel;
        }
    }

    boolean isSynchronous() {
        synchronized (id) {
            return synchronous;
        }
    }

    // ---- raising ----

    void raise(CmEventType event, int status) {
        put(SoftCmEvent.of(event, self, status));
    }

    void raise(CmEventType event, VerbsException cause) {
        put(SoftCmEvent.of(event, self, cause));
    }

    void raise(CmEventType event, int status, ConnectionParameters parameters) {
        put(SoftCmEvent.of(event, self, status, parameters));
    }

    void raise(CmEventType event, int status, DatagramParameters parameters) {
        put(SoftCmEvent.of(event, self, status, parameters));
    }

    void put(SoftCmEvent event) {
        channel.put(event);
    }

    // ---- handing out ----

    void onDelivery() {
        acknowledged.deliver();
    }

    void onAcknowledged() {
        acknowledged.ack(1);
    }

    void awaitAcknowledged() {
        acknowledged.awaitAll();
    }

    // ---- synchronous waiting ----

    /**
     * Waits for the event that ends an operation of a synchronous identifier. The event of the previous operation is acknowledged.
     *
     * @throws VerbsException ENODEV: the device was removed meanwhile
     */
    SoftCmEvent await(String verb) {
        SoftEventChannel own;
        CmEvent old;
        synchronized (id) {
            own = channel;
            old = takeLast();
        }
        if (old != null) {
            old.ack();
        }
        SoftCmEvent event = own.next(verb, -1);
        while (event.type() == CmEventType.TIMEWAIT_EXIT) {
            event.ack();
            event = own.next(verb, -1);
        }
        if (event.type() == CmEventType.DEVICE_REMOVAL) {
            event.ack();
            throw new VerbsException(Errno.ENODEV, verb, "the identifier's device was removed; close the identifier");
        }
        return event;
    }

    /**
     * Waits until the operation that was begun has ended, if the identifier is synchronous.
     *
     * @throws VerbsException the event's errno, if it is a failure
     */
    void complete(String verb) {
        if (!isSynchronous()) {
            return;
        }
        SoftCmEvent event = await(verb);
        remember(event);
        if (event.status() != 0) {
            Errno errno = event.type() == CmEventType.REJECTED || event.status() > 0 ? Errno.ECONNREFUSED : Errno.of(-event.status());
            throw new VerbsException(errno == null ? Errno.EIO : errno, verb, event.type().text() + ", status " + event.status()
                + reason(event) + (id.peer == null ? "" : ", peer " + id.peer) + (event.detail() == null ? "" : ": " + event.detail()));
        }
    }

    /** Text for the most frequent reject reasons of InfiniBand, IBA vol 1 §12.6.7.2, and the errnos in their place on iWARP. */
    private static String reason(SoftCmEvent event) {
        if (event.type() != CmEventType.REJECTED) {
            return "";
        }
        return switch (event.status()) {
            case 8 -> " (no listener for this port)";
            case 10 -> " (the peer still has a connection with our queue pair)";
            case 28 -> " (refused by the peer's program)";
            case -111 -> " (no listener for this TCP port)";
            case -104 -> " (refused by the peer's program, or the peer closed the connection)";
            default -> "";
        };
    }

    void remember(CmEvent event) {
        synchronized (id) {
            last = event;
        }
    }

    CmEvent last() {
        synchronized (id) {
            return last;
        }
    }

    /** Removes and returns the remembered event, which the caller must acknowledge; null if there is none. */
    CmEvent takeLast() {
        synchronized (id) {
            CmEvent taken = last;
            last = null;
            return taken;
        }
    }

    boolean endedWith(CmEventType type) {
        synchronized (id) {
            return last != null && last.type() == type;
        }
    }

    // ---- migration ----

    void migrate(EventChannel target) {
        SoftEventChannel next = target == null ? new SoftEventChannel(id.manager) : (SoftEventChannel) target;
        next.add();
        SoftEventChannel old;
        boolean was;
        CmEvent kept;
        synchronized (id) {
            if (id.state == CmState.DESTROYING) {
                next.remove();
                throw new VerbsException(Errno.EINVAL, "migrate_id", "the identifier is closed");
            }
            old = channel;
            was = synchronous;
            kept = takeLast();
            for (SoftCmEvent event : moveTo(next)) {
                next.put(event);
                if (event.owner() == self && event.type() == CmEventType.CONNECT_REQUEST) {
                    event.id().events().follow(next, target == null);
                }
            }
            synchronous = target == null;
        }
        old.remove();
        if (kept != null) {
            kept.ack();
        }
        if (was) {
            old.close();
        }
        awaitAcknowledged();
    }

    private List<SoftCmEvent> moveTo(SoftEventChannel next) {
        List<SoftCmEvent> waitingOnes = channel.removeAllOf(self);
        channel = next;
        return waitingOnes;
    }

    /** Follows the listener to another channel, for an identifier of a request that is not handed out yet. */
    private void follow(SoftEventChannel next, boolean nowSynchronous) {
        synchronized (id) {
            moveTo(next).forEach(next::put);
            synchronous = nowSynchronous;
        }
    }

    /** Leaves the channel of the listener when the identifier of a request is handed out: a synchronous identifier gets its own channel. */
    void leaveListener() {
        synchronized (id) {
            if (synchronous) {
                SoftEventChannel own = new SoftEventChannel(id.manager);
                moveTo(own).forEach(own::put);
            }
            channel.add();
        }
    }

    /** Leaves the channel that the identifier had when its close began. */
    void leave(SoftEventChannel own) {
        own.remove();
        if (synchronous) {
            own.close();
        }
    }
}
