// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.abi.ucm.UcmEvent;
import org.softrdma.abi.ucm.UcmGetEvent;
import org.softrdma.linux.process.EventReader;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;
import org.softrdma.verbs.cm.EventChannel;

/** An open file of the daemon's connection manager, which is readable while events wait. Threads wait without a lock. */
final class JoinedEventChannel implements EventChannel {
    private static final String NODE = "rdma_cm";
    private static final String VERB = "get_cm_event";

    private final JoinedConnections manager;
    private final int file;
    private final EventReader reader;
    private final AtomicInteger identifiers = new AtomicInteger();
    private volatile boolean closed;

    JoinedEventChannel(JoinedConnections manager) {
        this.manager = manager;
        file = manager.session().open(NODE);
        reader = new EventReader(manager.session().takeDescriptor(file));
    }

    /** Checks that a channel is of this provider; null for none. */
    static JoinedEventChannel own(EventChannel channel) {
        if (channel != null && !(channel instanceof JoinedEventChannel)) {
            throw new VerbsException(Errno.EINVAL, "create_id", "the event channel belongs to another provider");
        }
        return (JoinedEventChannel) channel;
    }

    /**
     * Returns the number of the file.
     *
     * @throws VerbsException EINVAL: the channel is closed
     */
    int file(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, "the event channel is closed");
        }
        return file;
    }

    /** Begins a command; the caller closes it. */
    UcmCall command(String verb, int number, int bodyBytes, int answerBytes) {
        return new UcmCall(manager.session(), file(verb), number, bodyBytes, answerBytes);
    }

    void add() {
        identifiers.incrementAndGet();
    }

    void remove() {
        identifiers.decrementAndGet();
    }

    @Override
    public JoinedCmEvent getEvent(long timeoutNs) {
        return next(VERB, timeoutNs);
    }

    /** As {@link #getEvent}, for another verb. */
    JoinedCmEvent next(String verb, long timeoutNs) {
        file(verb);
        long untilNs = System.nanoTime() + Math.max(0, timeoutNs);
        long leftNs = timeoutNs;
        while (reader.await(leftNs, verb)) {
            JoinedCmEvent event = take(verb);
            if (event != null && event.id().prepare(event)) {
                return event;
            }
            if (event != null) {
                // The event was for the connection manager only.
                event.ack();
            }
            leftNs = timeoutNs < 0 ? timeoutNs : Math.max(0, untilNs - System.nanoTime());
        }
        return null;
    }

    /** Returns null if another thread was faster, or the event's object was closed meanwhile. */
    private JoinedCmEvent take(String verb) {
        try (UcmCall call = command(verb, UcmCommand.GET_EVENT, UcmGetEvent.BYTES, UcmEvent.BYTES)) {
            UcmGetEvent.response(call.body(), 0, call.answer().address());
            call.run(verb);
            return event(call);
        } catch (VerbsException refused) {
            if (refused.errno() != Errno.EAGAIN) {
                throw refused;
            }
            return null;
        }
    }

    private JoinedCmEvent event(UcmCall call) {
        CmEventType type = CmEventType.of(UcmEvent.event(call.answer(), 0));
        int number = UcmEvent.id(call.answer(), 0);
        long name = UcmEvent.uid(call.answer(), 0);
        if (type == CmEventType.CONNECT_REQUEST) {
            JoinedCmId listener = manager.named(name, JoinedCmId.class);
            return listener == null ? null : new JoinedCmEvent(call.answer(), type, listener.requested(number), listener, null);
        }
        if (type == CmEventType.MULTICAST_JOIN || type == CmEventType.MULTICAST_ERROR) {
            JoinedMembership membership = manager.named(name, JoinedMembership.class);
            return membership == null ? null
                : new JoinedCmEvent(call.answer(), type, membership.identifier(), null, membership);
        }
        JoinedCmId id = manager.identifier(number);
        return id == null || type == null ? null : new JoinedCmEvent(call.answer(), type, id, null, null);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (identifiers.get() > 0) {
            throw new VerbsException(Errno.EBUSY, "destroy_event_channel", "identifiers=" + identifiers);
        }
        closed = true;
        try {
            manager.session().close(file);
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.EIO) {
                throw gone;
            }
        } finally {
            reader.close();
        }
    }
}
