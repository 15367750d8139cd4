// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/**
 * The life cycle of a queue pair, without its protocol: state, attributes, reset, error, drain and flush. A transport's machine extends it
 * and adds input and output.
 *
 * <p>A machine is pure: input, time and commands are method calls; output is written by its transmit method and pushed through
 * {@link WorkQueues}; it uses no socket, lock, thread or clock. The caller, a device engine or a test, holds the device's lock and
 * <ul>
 * <li>calls {@link #onDoorbell} after a work request was posted,
 * <li>calls {@link #onTimer} when {@link #deadlineNs} has passed; the deadline may change with every call of the machine,
 * <li>calls the machine's transmit method after any other call, until nothing more is sent: input, doorbells, timers and commands can all
 *     leave something to send,
 * <li>calls {@link #close} once, as the last command.
 * </ul>
 * Completions and events are delivered before the call that causes them returns. {@link #state}, alone, may be read by any thread.
 */
public abstract class QueuePairCore extends DeadlineHeap.Timed implements FaultDomain {
    private final int qpn;
    private final WorkQueues queues;
    private final MemoryTable memory;
    private final QpAttributes attributes;
    private QueuePairObserver observer = QueuePairObserver.NONE;
    private volatile QpState state = QpState.RESET;
    /** In SQD: the send queue is drained when all work requests before this sequence number have completed. */
    private long drainEnd;
    private boolean drained;
    /** Last failure since RESET; null for none. */
    private Failure failure;

    /**
     * Creates a queue pair in RESET.
     *
     * @param qpn        number, 24 bits
     * @param attributes the attributes that the service has, with their initial values
     */
    protected QueuePairCore(int qpn, WorkQueues queues, MemoryTable memory, QpAttributes attributes) {
        this.qpn = qpn;
        this.queues = queues;
        this.memory = memory;
        this.attributes = attributes;
    }

    /** Sets the observer of the machine's events, before the queue pair is used. */
    public final void observe(QueuePairObserver by) {
        observer = by;
    }

    /** Observer of the machine's events. */
    public final QueuePairObserver observer() {
        return observer;
    }

    // ---- commands ----

    /**
     * Applies a modify call that was checked before: merges the attributes, then enters the state.
     *
     * @param change attributes to merge, except {@link QpAttributes#state}
     * @param to     state to enter; may be the current one
     */
    protected final void apply(QpAttributes change, QpState to) {
        QpState from = state;
        attributes.merge(change);
        if (to == QpState.RESET) {
            reset();
        } else if (to == QpState.ERR) {
            if (from != QpState.ERR) {
                onFailure(RecordedEvent.Effect.FAILED, Failure.of(Reason.ERR_BY_APPLICATION));
            }
            enterError();
        } else {
            onTransition(from, to);
            enter(to);
            if (from == QpState.RTS && to == QpState.SQD) {
                drainEnd = drainEnd();
                drained = false;
                checkDrained();
            }
        }
    }

    /** Discards everything posted, without completions (IBA vol 1 §10.3.1.1). */
    private void reset() {
        enter(QpState.RESET);
        failure = null;
        queues.sends().release(queues.sends().tail());
        queues.receives().forget();
        onReset();
    }

    /** Closes the queue pair: as in RESET, it accepts no input and sends nothing new. */
    public final void close() {
        enter(QpState.RESET);
        onClosed();
    }

    /** Flushes work requests that were posted in an error state. In other states, the next transmit starts posted work requests. */
    public final void onDoorbell() {
        observer.posted(queues.sends().tail());
        if (state == QpState.ERR) {
            flush();
        } else if (state == QpState.SQE) {
            flushSends();
        }
    }

    /**
     * Takes note of why a work request fails, or the queue pair. Must be called before the completions are delivered that follow from it.
     *
     * @param effect {@link RecordedEvent.Effect#FAILED}, or REFUSED for a request of the peer
     */
    public final void onFailure(RecordedEvent.Effect effect, Failure why) {
        failure = why;
        observer.failed(effect, why);
        queues.onFailure(qpn, why);
    }

    /** Whether {@link #onFailure} was called since RESET. */
    protected final boolean hasFailed() {
        return failure != null;
    }

    /**
     * Enters ERR: everything posted is flushed. An overriding method must first put its protocol into the state for ERR and then call this
     * method.
     */
    public void enterError() {
        boolean isNew = state != QpState.ERR;
        enter(QpState.ERR);
        flush();
        if (!isNew) {
            return;
        }
        queues.onError(failure);
        if (queues.sharesReceives()) {
            // The queue pair takes no more shared receives: an application may now stop waiting for its completions. IBA vol 1 §11.6.3.1
            raise(AsyncEventType.QP_LAST_WQE_REACHED);
        }
    }

    /**
     * Enters SQE after a send work request failed on which nothing but the send queue depends: sends are flushed, receiving goes on. Not
     * for reliable services. IBA vol 1 §10.3.1.6; kernel rxe goes to ERR instead.
     */
    public final void enterSendQueueError() {
        enter(QpState.SQE);
        flushSends();
    }

    /** Enters a state without transition hooks. */
    protected final void enter(QpState to) {
        QpState from = state;
        state = to;
        if (from != to) {
            observer.stateChanged(from, to);
        }
    }

    /** Completes everything posted with WR_FLUSH_ERR: sends, then receives. */
    protected void flush() {
        flushSends();
        flushReceives();
    }

    /** Detects the end of a drain. Called whenever a send work request completed or another condition for the end may have changed. */
    public final void checkDrained() {
        if (state == QpState.SQD && !drained && queues.sends().head() >= drainEnd && isRestDrained()) {
            drained = true;
            onDrained();
        }
    }

    @Override
    public final String faultOutcome() {
        return "queue pair 0x" + Integer.toHexString(qpn) + " moved to ERR";
    }

    /** Stops this queue pair with QP_FATAL. Where assertions are enabled, in tests, the failure ends the test instead. */
    @Override
    public void onFault(Throwable cause) {
        assert false : cause;
        onFailure(RecordedEvent.Effect.FAILED, Failure.of(Reason.INTERNAL_ERROR));
        raise(AsyncEventType.QP_FATAL);
        enterError();
    }

    // ---- hooks ----

    /** Prepares the protocol for a state other than RESET and ERR. The attributes are merged; {@link #state} is still {@code from}. */
    protected abstract void onTransition(QpState from, QpState to);

    /** Resets the protocol, including all state of earlier work requests. The queues are empty. */
    protected abstract void onReset();

    /** Releases resources that the device shares among queue pairs, because this one is destroyed. Must not complete work requests. */
    protected abstract void onClosed();

    /** Completes everything in the send queue, oldest first, and discards the state of requests in progress. Called in ERR and SQE. */
    protected abstract void flushSends();

    /** Completes the current receive and all receives posted for this queue pair alone. Called in ERR. */
    protected abstract void flushReceives();

    /** Returns the sequence number after the last send work request that is still executed in SQD; called once, on entry to SQD. */
    protected abstract long drainEnd();

    /** Returns whether a drain need not wait for anything but send work requests, such as responses owed to the peer. */
    protected boolean isRestDrained() {
        return true;
    }

    /** Ends a drain: all sends before {@link #drainEnd} have completed. Called once per entry to SQD; may change the state. */
    protected abstract void onDrained();

    // ---- accessors ----

    /** Returns the current state. Any thread. */
    public final QpState state() {
        return state;
    }

    /** Returns the attributes that were set or negotiated, and the state. Machines override this to add their sequence numbers. */
    public QpAttributes query() {
        QpState now = state;
        return new QpAttributes().merge(attributes).state(now).curState(now);
    }

    /** Returns whether a send work request may be started: any in RTS, in SQD only those before the end of the drain. */
    public final boolean mayStart(long wqe) {
        QpState now = state;
        return now == QpState.RTS || now == QpState.SQD && wqe < drainEnd;
    }

    public final int qpn() {
        return qpn;
    }

    /** Returns the number of the protection domain that keys of this queue pair's work requests must belong to. */
    public final int pd() {
        return queues.pdNumber();
    }

    public final WorkQueues queues() {
        return queues;
    }

    public final MemoryTable memory() {
        return memory;
    }

    /** Returns the current attributes. They are changed by modify calls and by the negotiation of a connection. */
    public final QpAttributes attributes() {
        return attributes;
    }

    /** Raises an asynchronous event of this queue pair. */
    public void raise(AsyncEventType type) {
        observer.raised(type);
        queues.raise(type);
    }
}
