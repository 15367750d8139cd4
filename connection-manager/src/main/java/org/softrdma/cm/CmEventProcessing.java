// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;

/** Applies an event to its identifier before it is handed out; runs on the thread that takes the event. */
final class CmEventProcessing {
    private final SoftCmId self;
    private final CmIdPrivate id;
    private final CmEvents events;
    private final CmGroups groups;

    CmEventProcessing(SoftCmId self, CmIdPrivate id, CmEvents events, CmGroups groups) {
        this.self = self;
        this.id = id;
        this.events = events;
        this.groups = groups;
    }

    /**
     * Applies the event.
     *
     * @return false if it must not be handed out
     */
    boolean process(SoftCmEvent event) {
        return switch (event.type()) {
            case CONNECT_REQUEST -> {
                processRequest();
                yield true;
            }
            case CONNECT_RESPONSE -> {
                processResponse(event);
                yield true;
            }
            case REJECTED -> !hasFailed() && stopQueuePair();
            case DISCONNECTED -> !hasFailed();
            case DEVICE_REMOVAL -> stopQueuePair();
            case MULTICAST_JOIN -> {
                processJoin(event);
                yield true;
            }
            default -> true;
        };
    }

    /** Separates the identifier of a request from its listener, because it is handed out. */
    private void processRequest() {
        id.manager.begin();
        id.manager.entered(self);
        events.leaveListener();
        if (id.device.isRemoved()) {
            self.onRemoval(id.device);
        }
    }

    /** Moves our queue pair to RTS and confirms to the peer that accepted; without a queue pair of ours, the program does both. */
    private void processResponse(SoftCmEvent event) {
        CmQueuePair own;
        CmConnection current;
        CmPathOptions now;
        synchronized (id) {
            own = id.queuePair;
            current = id.connection;
            now = id.options;
        }
        if (own == null) {
            return;
        }
        try {
            own.connect(current, now, -1, -1);
            current.establish();
            event.become(CmEventType.ESTABLISHED, 0);
        } catch (VerbsException refused) {
            synchronized (id) {
                id.failed = true;
            }
            own.toError();
            refuseQuietly(current);
            event.become(CmEventType.CONNECT_ERROR, refused);
        }
    }

    /** Rejects the connection, which may have ended meanwhile. */
    private static void refuseQuietly(CmConnection current) {
        try {
            current.reject(new byte[0]);
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.EINVAL) {
                throw gone;
            }
        }
    }

    private boolean hasFailed() {
        synchronized (id) {
            return id.failed;
        }
    }

    private boolean stopQueuePair() {
        CmQueuePair own = id.queuePair();
        if (own != null) {
            own.toError();
        }
        return true;
    }

    private void processJoin(SoftCmEvent event) {
        try {
            groups.attach(event.datagram().addressVector().dgid(), id.queuePair());
        } catch (VerbsException refused) {
            event.become(CmEventType.MULTICAST_ERROR, refused);
        }
    }
}
