// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.PortSpace;

/**
 * What the parts of an identifier share: its state, and what it has by then (librdmacm's structure has that name, too). Its monitor is the
 * identifier's: it guards the fields here and those of the parts, and is never held while a transport, a queue pair or a device is called;
 * it is held while an event is queued, so that events keep their order when the identifier migrates.
 */
final class CmIdPrivate {
    private static final AtomicInteger LAST_NUMBER = new AtomicInteger();

    /** Distinguishes it from every other identifier of the process. */
    final int number = LAST_NUMBER.incrementAndGet();
    final SoftConnectionManager manager;
    final PortSpace space;
    final QpType type;
    CmState state = CmState.IDLE;
    volatile InetSocketAddress local = new InetSocketAddress(0);
    InetSocketAddress peer;
    CmPathOptions options = CmPathOptions.DEFAULT;
    OpenDevice device;
    CmConnection connection;
    CmQueuePair queuePair;
    /** What was requested, of one that a request made. */
    ConnectionParameters requested;
    /** It was accepted. */
    boolean answered;
    /** The peer accepted, the queue pair did not follow: what the peer says about it now is no news. */
    boolean failed;

    CmIdPrivate(SoftConnectionManager manager, PortSpace space, QpType type) {
        this.manager = manager;
        this.space = space;
        this.type = type;
    }

    /** One that a request makes. */
    CmIdPrivate(CmIdPrivate listener, OpenDevice device, CmConnection connection, CmRequest request) {
        this(listener.manager, listener.space, listener.type);
        options = listener.options;
        this.device = device;
        this.connection = connection;
        local = request.local();
        peer = request.remote();
        requested = request.parameters();
        state = CmState.CONNECT;
    }

    /** @throws VerbsException EINVAL: the call does not fit the state */
    synchronized void require(CmCall call) {
        call.requireFits(state);
    }

    synchronized boolean is(CmState expected) {
        return state == expected;
    }

    /** @throws VerbsException EINVAL: it is on no device yet */
    synchronized OpenDevice requireDevice(String verb) {
        if (device == null) {
            throw new VerbsException(Errno.EINVAL, verb, "no device is known yet: bind to an address of one, or resolve first");
        }
        return device;
    }

    /** The value of an attribute; null if there is none. */
    synchronized CmQueuePair queuePair() {
        return queuePair;
    }
}
