// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.verbs.cm.CmId;

/** An identifier of a program: a number that it has in the kernel's interface, for one of the connection manager's identifiers. */
final class UcmIdentifier {
    private final int number;
    private final Map<Integer, UcmMembership> memberships = new HashMap<>();
    private final AtomicInteger eventsReported = new AtomicInteger();
    /** Held while the identifier moves to another file. */
    private final Object moving = new Object();
    private volatile UcmFile file;
    private volatile CmId cm;
    private volatile long uid;
    private volatile boolean removed;
    private volatile IbAddress ibAddress;

    /**
     * Creates an identifier and gives it a number.
     *
     * @param uid the library's cookie; 0 for the identifier of a request, until it is accepted
     * @throws org.softrdma.verbs.VerbsException ENOMEM: there are too many
     */
    UcmIdentifier(UcmFile file, long uid) {
        this.file = file;
        this.uid = uid;
        number = file.device().identifiers().add(this);
    }

    int number() {
        return number;
    }

    /** Returns the file that the identifier's commands are written to and that its events are read from. */
    UcmFile file() {
        return file;
    }

    void file(UcmFile other) {
        file = other;
    }

    Object moving() {
        return moving;
    }

    CmId cm() {
        return cm;
    }

    void cm(CmId identifier) {
        cm = identifier;
    }

    /** Returns the library's cookie. Without one, an identifier has no events: the kernel drops them. */
    long uid() {
        return uid;
    }

    void uid(long cookie) {
        uid = cookie;
    }

    /** Returns whether the identifier's device was removed: it can only be destroyed. */
    boolean isRemoved() {
        return removed;
    }

    void markRemoved() {
        removed = true;
    }

    /** Returns the InfiniBand address it was bound to; null for IP addresses. */
    IbAddress ibAddress() {
        return ibAddress;
    }

    void ibAddress(IbAddress address) {
        ibAddress = address;
    }

    /** Counts an event that the program has read; those of the identifiers of requests count for the listener. */
    void countEvent() {
        eventsReported.incrementAndGet();
    }

    int eventsReported() {
        return eventsReported.get();
    }

    /** Returns the memberships by number; guarded by the identifier's monitor. */
    Map<Integer, UcmMembership> memberships() {
        return memberships;
    }

    /**
     * Gives the numbers back: nothing finds the identifier any more.
     *
     * @return false if another thread has done so
     */
    boolean leaveTables() {
        UcmDevice device = file.device();
        if (!device.identifiers().remove(number, this)) {
            return false;
        }
        synchronized (this) {
            memberships.values().forEach(each -> device.memberships().remove(each.number(), each));
            memberships.clear();
        }
        return true;
    }
}
