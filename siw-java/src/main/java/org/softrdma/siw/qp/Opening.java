// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import java.nio.ByteBuffer;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.wire.iwarp.RdmapOpcode;
import org.softrdma.wire.iwarp.TaggedHeader;
import org.softrdma.wire.iwarp.UntaggedHeader;

/**
 * The first steps of sending on a new connection: the pause before it, the first message of a peer-to-peer initiator (RFC 6581 §9.2), and
 * {@link Reminders} of what the peer may have missed.
 */
final class Opening {
    /** Result of {@link #nextLength}: there is no message of the opening to send. */
    static final int NOTHING = 0;

    private final Counters<SiwCounter> counters;
    private final Reminders reminders = new Reminders();
    private MpaOptions.Rtr firstMessage = MpaOptions.Rtr.NONE;
    /** Time before which nothing may be sent; {@link Deadline#NEVER}: not before the peer has sent something. */
    private long sendNotBeforeNs;
    private boolean peerHeard;

    Opening(Counters<SiwCounter> counters) {
        this.counters = counters;
    }

    /** Resets all state: the stream has ended, or a new one begins. */
    void end() {
        peerHeard = false;
        firstMessage = MpaOptions.Rtr.NONE;
        reminders.end();
    }

    /**
     * Begins the opening of a connection.
     *
     * @param first       message to send before anything else
     * @param notBeforeNs {@link SiwMachine#AT_ONCE}, a time, or {@link Deadline#NEVER} for as soon as the peer has sent something
     */
    void begin(MpaOptions.Rtr first, long notBeforeNs) {
        firstMessage = first;
        sendNotBeforeNs = notBeforeNs;
    }

    /** Begins the reminders, for a peer that may miss the first frames. */
    void beginReminders() {
        reminders.begin();
    }

    /** Records a frame of the peer: it has finished the set-up. */
    void onReceived() {
        if (!peerHeard) {
            peerHeard = true;
            reminders.onHeard();
            sendNotBeforeNs = sendNotBeforeNs == Deadline.NEVER ? SiwMachine.AT_ONCE : sendNotBeforeNs;
        }
    }

    /** Whether the peer has sent anything, and so has finished the set-up. */
    boolean isPeerHeard() {
        return peerHeard;
    }

    /** Whether the pause is over. */
    boolean maySend(long nowNs) {
        return sendNotBeforeNs == SiwMachine.AT_ONCE || Deadline.isDue(sendNotBeforeNs, nowNs);
    }

    /** Returns the bytes of the next message of the opening, or {@link #NOTHING}; a reminder never divides a message. */
    int nextLength(boolean midMessage) {
        return switch (firstMessage) {
            case WRITE -> TaggedHeader.LENGTH;
            case READ -> UntaggedHeader.LENGTH + RdmapOpcode.bodyLength(RdmapOpcode.RDMA_READ_REQUEST);
            case NONE -> reminders.isDue() && !midMessage ? TaggedHeader.LENGTH : NOTHING;
        };
    }

    /** Writes the message that {@link #nextLength} announced. */
    void write(ByteBuffer b, int at, Requester requester) {
        switch (firstMessage) {
            case WRITE -> putEmptyWrite(b, at);
            case READ -> requester.writeReadyToReceiveRead(b, at);
            case NONE -> {
                putEmptyWrite(b, at);
                reminders.onReminded();
                counters.count(SiwCounter.SENT_REMINDERS);
            }
        }
        firstMessage = MpaOptions.Rtr.NONE;
    }

    private static void putEmptyWrite(ByteBuffer b, int at) {
        TaggedHeader.put(b, at, true, RdmapOpcode.RDMA_WRITE, 0, 0);
    }

    /** Records that frames of any kind were sent. */
    void onSent(long nowNs) {
        reminders.onSent(nowNs);
    }

    /** When {@link #onTimer} must be called, or {@link Deadline#NEVER}. */
    long deadlineNs() {
        return sendNotBeforeNs != SiwMachine.AT_ONCE ? sendNotBeforeNs : reminders.deadlineNs();
    }

    /** Handles the end of the pause, and the time of a reminder. */
    void onTimer(long nowNs) {
        if (maySend(nowNs)) {
            sendNotBeforeNs = SiwMachine.AT_ONCE;
        }
        reminders.onTimer(nowNs);
    }
}
