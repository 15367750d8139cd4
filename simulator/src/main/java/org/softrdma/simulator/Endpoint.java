// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;

/** A queue pair and what its application did to it. */
final class Endpoint {
    final Side side;
    final QueuePair qp;
    final QpType service;
    /** Memory for this queue pair alone, to whose region something will happen; null for none. */
    final ShadowedMemory doomed;
    /** Where its receives come from; null if each is posted for a certain message. */
    final ReceivePool pool;
    /** Messages the network delivered to it; null for RC. */
    final Arrivals arrivals;
    /** A completion queue of its own, which will overrun; null for none. */
    final CompletionQueue narrow;
    /** By which the peer uses {@link #doomed}; null for none. */
    MemoryWindow window;
    /** The application moved it to ERR. */
    boolean toldToFail;
    /** The application destroyed it. */
    boolean closed;
    /** The application has made {@link #narrow} too short, and does not look at it. */
    boolean tooNarrow;
    boolean asleep;
    /** That queue has overrun. */
    boolean overrun;
    /** It shares receives, and the device said that it takes no more. */
    boolean saidLast;
    /** In SQD by the application's wish, until when; and whether an event is due, or came. */
    boolean draining;
    long drainsUntilNs;
    boolean awaitsDrained;
    /** The peer, if the device probes it when the connection is idle; null if it does not. */
    private Endpoint probed;
    /** The network may lose all transmissions of a probe. */
    private boolean mayLoseProbes;
    /** The device said why it gave the queue pair up; null before. */
    AsyncEventType event;

    Endpoint(Side side, QueuePair qp, ShadowedMemory doomed, ReceivePool pool, CompletionQueue narrow) {
        this.side = side;
        this.qp = qp;
        service = qp.type();
        this.doomed = doomed;
        this.pool = pool;
        this.narrow = narrow;
        arrivals = service == QpType.RC ? null : new Arrivals();
    }

    /** Takes no packets any more. */
    boolean isDead() {
        return closed || qp.state() == QpState.ERR;
    }

    /**
     * Destroys the queue pair; a member of a group leaves it first.
     *
     * @param take takes the completions of what was sent at the end
     */
    void destroy(Runnable take) {
        if (!closed && service == QpType.UD && side.group != null) {
            qp.detachMulticast(side.group);
        }
        qp.close();
        take.run();
        closed = true;
    }

    /** Work requests may be flushed without one that failed before. */
    boolean mayBeFlushed() {
        return toldToFail || event != null || overrun;
    }

    /** The peer, or the device itself, can be refused memory of this endpoint. */
    private boolean lostMemory() {
        return doomed != null && doomed.isClosedToPeers();
    }

    /** Its device probes the peer when the connection is idle. */
    void probes(Endpoint peer, boolean mayLose) {
        probed = peer;
        mayLoseProbes = mayLose;
    }

    private boolean mayMissItsPeer() {
        return probed != null && (mayLoseProbes || probed.isDead());
    }

    boolean sharesReceives() {
        return pool != null && pool.isShared();
    }

    /** An asynchronous event, each of which needs its reason, and comes once. */
    void onEvent(AsyncEventType type) {
        boolean good = switch (type) {
            case QP_ACCESS_ERR -> service == QpType.RC && lostMemory() && event == null;
            case QP_FATAL -> service == QpType.RC && (lostMemory() || mayMissItsPeer()) && event == null;
            case QP_LAST_WQE_REACHED -> sharesReceives() && isDead() && !saidLast;
            case SQ_DRAINED -> draining && awaitsDrained;
            default -> false;
        };
        if (!good) {
            throw new AssertionError("asynchronous event " + type + " after " + event + (lostMemory() ? "" : ", nothing was deregistered"));
        }
        switch (type) {
            case QP_LAST_WQE_REACHED -> saidLast = true;
            case SQ_DRAINED -> awaitsDrained = false;
            default -> event = type;
        }
    }
}
