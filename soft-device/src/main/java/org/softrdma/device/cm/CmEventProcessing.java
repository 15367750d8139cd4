// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.CmEventType;

/** What an event has to do to the identifier before anybody sees it; on the thread that takes it. */
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

    /** @return false if nobody is to see it */
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

    /** The identifier of a request is handed out, and lives on its own from now on. */
    private void processRequest() {
        id.manager.begin();
        id.manager.entered(self);
        events.leaveListener();
        if (id.device.isRemoved()) {
            self.onRemoval(id.device);
        }
    }

    /** The peer accepted: our queue pair becomes ready, and the peer hears that it is. Without one the program does both. */
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
            event.become(CmEventType.CONNECT_ERROR, -refused.errno().value());
        }
    }

    /** The connection may be gone by now. */
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
            event.become(CmEventType.MULTICAST_ERROR, -refused.errno().value());
        }
    }
}
