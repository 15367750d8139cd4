// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.Map;
import java.util.TreeMap;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Counts what lives on a parent, so that it can refuse to close and say why. Thread-safe. */
public final class Dependents {
    private final Map<String, Integer> living = new TreeMap<>();

    /** @param kind in the plural, for the message: {@code queue pairs} */
    public synchronized void add(String kind) {
        living.merge(kind, 1, Integer::sum);
    }

    public synchronized void remove(String kind) {
        living.merge(kind, -1, (now, change) -> now + change == 0 ? null : now + change);
    }

    /** How many live, of whatever kind. */
    synchronized int count() {
        int all = 0;
        for (int each : living.values()) {
            all += each;
        }
        return all;
    }

    /** @throws VerbsException EBUSY if anything lives */
    public synchronized void refuseIfAny(String verb) {
        if (!living.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, verb, "close these first: " + living);
        }
    }
}
