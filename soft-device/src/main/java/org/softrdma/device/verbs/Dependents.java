// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Map;
import java.util.TreeMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Counters of the open objects that depend on a parent, by kind; the parent refuses to close while there are any. Thread-safe. */
public final class Dependents {
    private final Map<String, Integer> living = new TreeMap<>();

    /**
     * Counts one more dependent.
     *
     * @param kind in the plural, for the message: {@code queue pairs}
     */
    public synchronized void add(String kind) {
        living.merge(kind, 1, Integer::sum);
    }

    public synchronized void remove(String kind) {
        living.merge(kind, -1, (now, change) -> now + change == 0 ? null : now + change);
    }

    /**
     * Number of open dependents of all kinds.
     *
     * @return 0 or more
     */
    synchronized int count() {
        int all = 0;
        for (int each : living.values()) {
            all += each;
        }
        return all;
    }

    /**
     * Refuses to close the parent while any dependent is open.
     *
     * @throws VerbsException EBUSY; the message names the kinds and their numbers
     */
    public synchronized void refuseIfAny(String verb) {
        if (!living.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, verb, "close these first: " + living);
        }
    }
}
