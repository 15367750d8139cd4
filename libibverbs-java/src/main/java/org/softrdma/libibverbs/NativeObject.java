// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.util.Map;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * An object of C that belongs to a context. A closed object refuses every use with EINVAL: its address would be that of freed memory. Who
 * uses the address holds this object's monitor, or one of its subclass's that {@link #close} takes as well.
 */
abstract class NativeObject implements AutoCloseable {
    private final NativeContext context;
    private final String kind;
    private final long key;
    private volatile long address;
    /** Lock of the count: an event may arrive and be acknowledged while the library waits for that in {@link #close}. */
    private final Object events = new Object();
    private int unacknowledged;

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
        synchronized (events) {
            unacknowledged++;
        }
    }

    /**
     * Counts events as acknowledged, and lets the library count them.
     *
     * @throws VerbsException EINVAL: more than were received
     */
    final void acknowledge(int count, String verb, Runnable call) {
        synchronized (events) {
            if (count < 0 || count > unacknowledged) {
                throw new VerbsException(Errno.EINVAL, verb, count + " events; not acknowledged of the " + kind + ": " + unacknowledged);
            }
            unacknowledged -= count;
            call.run();
            events.notifyAll();
        }
    }

    /** Waits here, where debuggers show it, rather than in the library. An interrupt does not end the wait. */
    private void awaitAcknowledgements() {
        boolean interrupted = false;
        synchronized (events) {
            while (unacknowledged > 0) {
                try {
                    events.wait();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
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
        awaitAcknowledgements();
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
