// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.util.Map;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.provider.EventAcks;

/** An object of a context that the daemon knows by a handle. A closed object refuses every use with EINVAL. */
abstract class JoinedObject implements AutoCloseable {
    private final JoinedContext context;
    private final String kind;
    private final long key;
    private int handle;
    private volatile boolean closed;
    private final EventAcks events = new EventAcks();

    /**
     * Names an object; {@link #created} follows when the daemon has made it.
     *
     * @param kind in words, for messages
     */
    JoinedObject(JoinedContext context, String kind) {
        this.context = context;
        this.kind = kind;
        key = context.newKey();
    }

    /** Enters the object, which exists now. */
    final void created(int number) {
        handle = number;
        context.add(this);
    }

    final JoinedContext joinedContext() {
        return context;
    }

    final String kind() {
        return kind;
    }

    /** Number by which events name the object; not 0. */
    final long key() {
        return key;
    }

    /**
     * Returns the handle.
     *
     * @param verb for the message
     * @throws VerbsException EINVAL: the object is closed
     */
    final int handle(String verb) {
        requireOpen(verb);
        return handle;
    }

    final void requireOpen(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, label() + "the " + kind + " is closed");
        }
    }

    final boolean isClosed() {
        return closed;
    }

    /** Counts an event that the application received and must acknowledge. */
    final void delivered() {
        events.deliver();
    }

    /**
     * Counts events as acknowledged.
     *
     * @throws VerbsException EINVAL: more than were received
     */
    final void acknowledge(int count, String verb) {
        events.ack(count, verb, kind);
    }

    /** Text before messages about this object, which tells it from others. */
    String label() {
        return "";
    }

    /** Returns whether this object needs another one, which then cannot be closed. */
    boolean uses(JoinedObject other) {
        return false;
    }

    /**
     * Has the daemon destroy the object.
     *
     * @throws VerbsException it refuses
     */
    abstract void destroy(int number);

    /** The verb that destroys it, without prefix. */
    abstract String destroyVerb();

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        Map<String, Integer> users = context.users(this);
        if (!users.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, destroyVerb(), "the " + kind + " is used: " + users);
        }
        events.awaitAll();
        try {
            destroy(handle);
        } catch (VerbsException refused) {
            // With EIO the device is gone, and the object with it.
            if (refused.errno() != Errno.EIO) {
                throw refused;
            }
        }
        closed = true;
        context.remove(this);
    }

    /**
     * Checks that an argument is an open object of a context.
     *
     * @param name of the argument, for the message
     */
    static <T extends JoinedObject> T own(Class<T> type, Object object, JoinedContext context, String verb, String name) {
        if (object == null) {
            throw new VerbsException(Errno.EINVAL, verb, name + " is missing");
        }
        if (!type.isInstance(object) || type.cast(object).joinedContext() != context) {
            throw new VerbsException(Errno.EINVAL, verb, name + " belongs to another context");
        }
        T own = type.cast(object);
        if (own.isClosed()) {
            throw new VerbsException(Errno.EINVAL, verb, name + " is closed");
        }
        return own;
    }
}
