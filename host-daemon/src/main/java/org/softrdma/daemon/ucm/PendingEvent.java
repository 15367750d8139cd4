// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import org.softrdma.verbs.cm.CmEvent;

/**
 * An event that has left the connection manager's queue, or was written by the program, on its way to a program.
 *
 * @param event      of the connection manager; null if {@code written} is not
 * @param identifier that the event names; for a request, the new one
 * @param owner      identifier that the event counts for; for a request, the listener
 * @param membership of a multicast event; else null
 * @param written    by the program; else null
 */
record PendingEvent(CmEvent event, UcmIdentifier identifier, UcmIdentifier owner, UcmMembership membership, WrittenEvent written) {
    static PendingEvent of(UcmIdentifier identifier, WrittenEvent written) {
        return new PendingEvent(null, identifier, identifier, null, written);
    }

    /** Counts the event as read by the program. */
    void count() {
        owner.countEvent();
        if (membership != null) {
            membership.countEvent();
        }
    }

    /** Drops the event; the identifier of a request ends with it, and its peer is refused. */
    void drop() {
        if (identifier != owner) {
            identifier.file().destroy(identifier);
        }
    }
}
