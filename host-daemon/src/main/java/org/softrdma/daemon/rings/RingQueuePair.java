// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Reason;

/**
 * A queue pair whose send queue is in a program's memory: posts what it finds there, in order, and frees the slots of what has completed.
 * For the device's owner.
 */
public final class RingQueuePair {
    private static final System.Logger LOG = System.getLogger(RingQueuePair.class.getName());

    private final SoftQueuePair qp;
    private final PostedSends sends;
    private final RingCompletions sendCq;
    private final ObjectTable objects;
    private final RingDoor door;
    private final SendRequest request = new SendRequest();
    /** Completed requests of {@link #qp} when the ring was last empty from a reset, and those that were passed on to the ring since. */
    private long completedAtReset;
    private long released;
    /** The oldest request cannot be executed; it fails when those before it have completed. */
    private boolean refused;
    private boolean closed;
    /** Used by {@link RingDoor}. */
    boolean watched;
    boolean receivesWatched;
    long lastUsedNs;

    /**
     * Creates the posting side of a new queue pair in RESET. With the owner's lock held.
     *
     * @param sendCq  takes the completions of its sends
     * @param objects that its requests name
     */
    public RingQueuePair(SoftQueuePair qp, PostedSends sends, RingCompletions sendCq, ObjectTable objects, RingDoor door) {
        this.qp = qp;
        this.sends = sends;
        this.sendCq = sendCq;
        this.objects = objects;
        this.door = door;
        sendCq.addSender(qp.qpNum(), this);
        if (!qp.sharesReceives()) {
            qp.observeError(() -> door.watchReceives(this));
        }
    }

    public SoftQueuePair qp() {
        return qp;
    }

    /** Returns whether {@link #close} was called. */
    boolean isClosed() {
        return closed;
    }

    /** Takes note of a modify call that succeeded: work requests may wait for the new state. */
    public void onModified(QpState to) {
        if (to == QpState.RESET) {
            reset();
            return;
        }
        door.watch(this);
        poll();
    }

    /**
     * Posts as {@link #poll} does. A failure ends this queue pair's posting and no other's: a program that shortens the file of its rings
     * makes the JVM throw an InternalError.
     */
    int pollContained() {
        try {
            int posted = poll();
            LostPages.raise();
            return posted;
        } catch (RuntimeException | InternalError broken) {
            LOG.log(System.Logger.Level.WARNING, "qp 0x" + Integer.toHexString(qp.qpNum()) + ": its send queue cannot be read; no more "
                + "work is taken from it", broken);
            closed = true;
            qp.raise(AsyncEventType.QP_FATAL);
            return 0;
        }
    }

    /**
     * Posts what the program has put into its ring, as far as the send queue has room.
     *
     * @return number of requests posted
     */
    int poll() {
        releaseCompleted();
        if (closed || refused || !sends.hasNext()) {
            failRefused();
            return 0;
        }
        if (!takesSends(qp.state())) {
            return 0;
        }
        int posted = 0;
        while (sends.hasNext() && !qp.sends().isFull()) {
            if (!post()) {
                refused = true;
                failRefused();
                break;
            }
            sends.accept();
            posted++;
        }
        return posted;
    }

    /** Requests that were posted too early wait in the ring: before RTS nothing is executed. */
    private static boolean takesSends(QpState state) {
        return state.compareTo(QpState.RTS) >= 0;
    }

    private boolean post() {
        if (!sends.read(request, objects)) {
            return false;
        }
        try {
            if (request.opcode() == WrOpcode.BIND_MW) {
                return bind();
            }
            qp.postSend(request);
            return true;
        } catch (VerbsException notExecutable) {
            return false;
        }
    }

    /** Windows of type 1 are bound by ibv_bind_mw, whose work request names the window by its next key; those of type 2 by a request. */
    private boolean bind() {
        MemoryWindow window = objects.window(request.rkey());
        if (window == null) {
            return false;
        }
        if (window.type() == MemoryWindow.Type.TYPE_2) {
            qp.postSend(request);
            return true;
        }
        long length = request.bindLength();
        MemoryRegion region = length == 0 ? null : objects.region(request.lkey(0));
        if (length != 0 && region == null || MemoryWindow.nextRkey(window.rkey()) != request.rkey()) {
            return false;
        }
        // A window has no local rights: programs that name them mean nothing by it, as with kernel rxe.
        int access = request.bindAccess() & ~AccessFlags.LOCAL_WRITE;
        qp.bind(window, request.wrId(), region, request.address(0), length, access, request.flags());
        return true;
    }

    /** Fails the refused request as a device does that finds it in its turn: LOC_QP_OP_ERR, and the queue pair goes to ERR. */
    private void failRefused() {
        if (!refused || closed || !qp.sends().isEmpty()) {
            return;
        }
        refused = false;
        sends.accept();
        completedAtReset--;
        releaseCompleted();
        Reason why = Reason.RING_RECORD_INVALID;
        sendCq.pushFailure(request.wrId(), why.status(), WcOpcode.SEND, why.code(), qp.qpNum());
        qp.modify(new QpAttributes().state(QpState.ERR));
    }

    /**
     * Flushes receives that were posted in ERR.
     *
     * @return false if the queue pair is in another state or closed
     */
    boolean flushLateReceives() {
        return !closed && qp.flushLateReceives();
    }

    /** Frees the slots of requests that have completed. */
    void releaseCompleted() {
        long completed = qp.sends().head() - completedAtReset;
        if (completed != released) {
            released = completed;
            sends.release(completed);
        }
    }

    private void reset() {
        refused = false;
        sends.discard();
        completedAtReset = qp.sends().head();
        released = 0;
    }

    /** Ends the posting, before the queue pair is destroyed. What the program has posted before is taken: its bell may still be unread. */
    public void close() {
        pollContained();
        closed = true;
        sendCq.removeSender(qp.qpNum());
    }
}
