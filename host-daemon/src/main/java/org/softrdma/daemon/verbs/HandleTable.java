// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.softrdma.daemon.trap.HeapRoom;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The objects of one context by handle. Handles are the lowest free numbers, for all kinds of objects together, as in the kernel. Handles
 * of other contexts are not known here. Used with the lock of the {@link UverbsFile} held.
 */
final class HandleTable {
    /** Objects of one context at most; ENOMEM beyond. */
    static final int MAX_OBJECTS = 1 << 20;

    private final ArrayList<HeldObject> objects = new ArrayList<>();
    private final BitSet used = new BitSet();

    /**
     * Requires that there is room for one more object, in the context and in the daemon's memory.
     *
     * @throws VerbsException ENOMEM
     */
    void requireRoom() {
        HeapRoom.require("ioctl");
        if (used.nextClearBit(0) >= MAX_OBJECTS) {
            throw new VerbsException(Errno.ENOMEM, "ioctl", "a context holds " + MAX_OBJECTS + " objects at most");
        }
    }

    /** Adds an object and gives it its handle. {@link #requireRoom} was called before. */
    void add(HeldObject object) {
        int handle = used.nextClearBit(0);
        used.set(handle);
        if (handle == objects.size()) {
            objects.add(object);
        } else {
            objects.set(handle, object);
        }
        object.handle(handle);
    }

    void remove(HeldObject object) {
        objects.set(object.handle(), null);
        used.clear(object.handle());
    }

    /**
     * Finds an object.
     *
     * @param handle u32 from a program
     * @return null if there is none with that handle
     */
    HeldObject find(long handle) {
        return handle >= 0 && handle < objects.size() ? objects.get((int) handle) : null;
    }

    /** Returns the number of objects. */
    int count() {
        return used.cardinality();
    }

    /** Returns the objects of a kind, by handle. */
    List<HeldObject> all(HeldObject.Kind kind) {
        List<HeldObject> found = new ArrayList<>();
        for (HeldObject each : objects) {
            if (each != null && each.kind() == kind) {
                found.add(each);
            }
        }
        return found;
    }
}
