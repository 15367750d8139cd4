// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.util.Map;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.provider.EventAcks;

/**
 * An object of C that belongs to a context. A closed object refuses every use with EINVAL: its address would be that of freed memory. Who
 * uses the address holds this object's monitor, or one of its subclass's that {@link #close} takes as well.
 */
abstract class NativeObject implements AutoCloseable {
    private final NativeContext context;
    private final String kind;
    private final long key;
    private volatile long address;
    /** An event may arrive and be acknowledged while {@link #close} waits for that. */
    private final EventAcks events = new EventAcks();

    /**
     * @param kind    in words, for messages
     * @param address of the structure in C
     */
    NativeObject(NativeContext context, String kind, long address) {
        this.context = context;
        this.kind = kind;
        this.address = address;
        key = address;
        context.add(this);
    }

    final NativeContext nativeContext() {
        return context;
    }

    /** Kind of object in words. */
    final String kind() {
        return kind;
    }

    /** Address that the object has or had. */
    final long key() {
        return key;
    }

    /**
     * Returns the address of the structure.
     *
     * @param verb for the message
     * @throws VerbsException EINVAL: the object is closed
     */
    final long address(String verb) {
        long now = address;
        if (now == 0) {
            throw new VerbsException(Errno.EINVAL, verb, label() + "the " + kind + " is closed");
        }
        return now;
    }

    /** Counts an event that the application received and must acknowledge. */
    final void delivered() {
        events.deliver();
    }

    /**
     * Counts events as acknowledged, and lets the library count them.
     *
     * @throws VerbsException EINVAL: more than were received
     */
    final void acknowledge(int count, String verb, Runnable call) {
        events.ack(count, verb, kind, call);
    }

    final boolean isClosed() {
        return address == 0;
    }

    /** Text before messages about this object, which tells it from others. */
    String label() {
        return "";
    }

    /** Returns whether this object needs another one, which then cannot be closed. */
    boolean uses(NativeObject other) {
        return false;
    }

    /** Destroys the structure. Returns 0 or an errno value; then it still exists. */
    abstract int destroy(long structure);

    /** The verb that destroys it, without prefix. */
    abstract String destroyVerb();

    @Override
    public synchronized void close() {
        if (address == 0) {
            return;
        }
        Map<String, Integer> users = context.users(this);
        if (!users.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, destroyVerb(), "the " + kind + " is used: " + users);
        }
        // Here, where debuggers show it, rather than in the library.
        events.awaitAll();
        int refused = destroy(address);
        if (!context.isGone(refused)) {
            Libibverbs.check(refused, destroyVerb(), "the " + kind);
        }
        context.remove(this);
        address = 0;
    }

    /**
     * Checks that an argument is an open object of a context.
     *
     * @param name of the argument, for the message
     */
    static <T extends NativeObject> T own(Class<T> type, Object object, NativeContext context, String verb, String name) {
        if (object == null) {
            throw new VerbsException(Errno.EINVAL, verb, name + " is missing");
        }
        if (!type.isInstance(object) || type.cast(object).nativeContext() != context) {
            throw new VerbsException(Errno.EINVAL, verb, name + " belongs to another context");
        }
        T own = type.cast(object);
        if (((NativeObject) own).address == 0) {
            throw new VerbsException(Errno.EINVAL, verb, name + " is closed");
        }
        return own;
    }
}
