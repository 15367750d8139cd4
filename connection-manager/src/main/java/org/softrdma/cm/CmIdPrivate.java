// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.host.inspect.Owner;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * State shared by the parts of an identifier (named after librdmacm's structure). Its monitor is the identifier's: it guards the fields
 * here and those of the parts, and is never held while a transport, a queue pair or a device is called; it is held while an event is
 * queued, so that events keep their order when the identifier migrates.
 */
final class CmIdPrivate {
    private static final AtomicInteger LAST_NUMBER = new AtomicInteger();

    /** Number that is unique among the identifiers of the process. */
    final int number = LAST_NUMBER.incrementAndGet();
    final SoftConnectionManager manager;
    final PortSpace space;
    final QpType type;
    /** The program that has the identifier, if it is not this process; inherited by those of requests. */
    volatile Owner owner;
    CmState state = CmState.IDLE;
    volatile InetSocketAddress local = new InetSocketAddress(0);
    InetSocketAddress peer;
    /** The port that has the peer's address, where a {@link CmResolver} finds it; else null. */
    Gid peerPort;
    CmPathOptions options = CmPathOptions.DEFAULT;
    OpenDevice device;
    CmConnection connection;
    CmQueuePair queuePair;
    /** Parameters of the request, for an identifier created by a request; else null. */
    ConnectionParameters requested;
    /** True once the request was accepted. */
    boolean answered;
    /** True if the peer accepted but our queue pair could not be moved: the failure was reported, later events of the peer are ignored. */
    boolean failed;

    CmIdPrivate(SoftConnectionManager manager, PortSpace space, QpType type) {
        this.manager = manager;
        this.space = space;
        this.type = type;
    }

    /** Creates the state of an identifier for a request. */
    CmIdPrivate(CmIdPrivate listener, OpenDevice device, CmConnection connection, CmRequest request) {
        this(listener.manager, listener.space, listener.type);
        options = listener.options;
        owner = listener.owner;
        this.device = device;
        this.connection = connection;
        local = request.local();
        peer = request.remote();
        requested = request.parameters();
        state = CmState.CONNECT;
    }

    /**
     * Checks the state.
     *
     * @throws VerbsException EINVAL: the call is not allowed in the state
     */
    synchronized void require(CmCall call) {
        call.requireFits(state);
    }

    synchronized boolean is(CmState expected) {
        return state == expected;
    }

    /** Returns whether there was a connection that has ended, or whose device was removed. */
    synchronized boolean hasEnded() {
        return state == CmState.DISCONNECT || state == CmState.DEVICE_REMOVAL;
    }

    /**
     * Requires that the identifier is not closed.
     *
     * @throws VerbsException EINVAL
     */
    synchronized void requireOpen(String verb) {
        if (state == CmState.DESTROYING) {
            throw CmCall.refusal(verb, state, List.of());
        }
    }

    /**
     * Returns the device.
     *
     * @throws VerbsException EINVAL: not bound to a device yet
     */
    synchronized OpenDevice requireDevice(String verb) {
        requireOpen(verb);
        if (device == null) {
            throw new VerbsException(Errno.EINVAL, verb, "the identifier has no device yet: bind to an address of one, or resolve first");
        }
        return device;
    }

    /** Returns the queue pair, or null if there is none. */
    synchronized CmQueuePair queuePair() {
        return queuePair;
    }
}
