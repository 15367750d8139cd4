// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.queue.OutsideCompletions;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/**
 * A completion queue in a program's memory. The device's owner pushes; {@link #resize} and {@link #arm} are called with the owner's lock
 * held.
 */
public abstract class RingCompletions implements OutsideCompletions {
    private final CompletionEvents events;
    /** Queue pairs whose sends complete here, by number. */
    private final Int2ObjectHashMap<RingQueuePair> senders = new Int2ObjectHashMap<>();
    private boolean overrun;

    RingCompletions(CompletionEvents events) {
        this.events = events;
    }

    final void addSender(int qpNum, RingQueuePair qp) {
        senders.put(qpNum, qp);
    }

    final void removeSender(int qpNum) {
        senders.remove(qpNum);
    }

    /** Returns the place of the ring in the program's file. */
    public abstract RingSpace.Extent extent();

    /** Returns the number of completions that fit; at least what was asked for. */
    @Override
    public abstract int capacity();

    @Override
    public abstract int size();

    /**
     * Moves the completions that were not taken into a new ring.
     *
     * @return the old extent, which the caller frees
     * @throws org.softrdma.verbs.VerbsException EINVAL: fewer than {@link #size}, or the library cannot resize; ENOMEM
     */
    public abstract RingSpace.Extent resize(RingSpace space, int cqe);

    /** Arms the queue for one event. */
    public abstract void arm(boolean solicitedOnly);

    @Override
    public final boolean push(long wrId, WcStatus status, WcOpcode opcode, int byteLength, int immediate, int qpNum, int sourceQp,
                              int flags, boolean solicited) {
        return push(wrId, status, opcode, 0, byteLength, immediate, qpNum, sourceQp, flags, solicited);
    }

    @Override
    public final boolean pushFailure(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int qpNum) {
        return push(wrId, status, opcode, vendorError, 0, 0, qpNum, 0, 0, false);
    }

    /** A program that shortens the file of its rings makes the JVM throw an InternalError; its completion is lost as by an overrun. */
    private boolean push(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediate, int qpNum,
                         int sourceQp, int flags, boolean solicited) {
        try {
            RingQueuePair sender = senders.get(qpNum);
            if (sender != null) {
                // The slot must be free before the completion is seen: a program with a send queue of one posts again at once.
                sender.releaseCompleted();
            }
            boolean written = !overrun && write(wrId, status, opcode, vendorError, byteLength, immediate, qpNum, sourceQp, flags);
            boolean awaited = written && takeArmed(solicited || status != WcStatus.SUCCESS);
            LostPages.raise();
            if (!written) {
                return lost();
            }
            if (awaited) {
                events.completed();
            }
            return true;
        } catch (InternalError vanished) {
            return lost();
        }
    }

    private boolean lost() {
        if (!overrun) {
            overrun = true;
            events.overrun();
        }
        return false;
    }

    /**
     * Writes a completion and publishes it.
     *
     * @return false if the ring is full
     */
    abstract boolean write(long wrId, WcStatus status, WcOpcode opcode, int vendorError, int byteLength, int immediate, int qpNum,
                           int sourceQp, int flags);

    /**
     * Returns whether the program waits for an event of such a completion; it is disarmed then.
     *
     * @param solicited the completion is a failure, or its sender asked for an event
     */
    abstract boolean takeArmed(boolean solicited);
}
