// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Objects by number. A new object gets the lowest free number, from 0, as in the kernel. Any thread. */
final class NumberTable<T> {
    private final int limit;
    private final String what;
    private final BitSet taken = new BitSet();
    private final List<T> objects = new ArrayList<>();

    /**
     * Creates an empty table.
     *
     * @param limit most objects at a time
     * @param what  name of the objects in the plural, for the message
     */
    NumberTable(int limit, String what) {
        this.limit = limit;
        this.what = what;
    }

    /**
     * Enters an object.
     *
     * @return its number
     * @throws VerbsException ENOMEM: the table is full
     */
    synchronized int add(T object) {
        int number = taken.nextClearBit(0);
        if (number >= limit) {
            throw new VerbsException(Errno.ENOMEM, "rdma_ucm", "all " + limit + " " + what + " are in use");
        }
        taken.set(number);
        if (number == objects.size()) {
            objects.add(object);
        } else {
            objects.set(number, object);
        }
        return number;
    }

    /** Returns an object, or null if the number is free; any number may be given. */
    synchronized T get(int number) {
        return number >= 0 && number < objects.size() ? objects.get(number) : null;
    }

    /**
     * Removes an object, unless the number stands for another one by now.
     *
     * @return whether it was in the table
     */
    synchronized boolean remove(int number, T object) {
        if (get(number) != object) {
            return false;
        }
        taken.clear(number);
        objects.set(number, null);
        return true;
    }

    synchronized int size() {
        return taken.cardinality();
    }
}
