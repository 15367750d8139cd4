// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.qp;

import org.softrdma.recording.RecordedEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/**
 * The port through which a protocol machine reports its events, one call each. An observer must not change the machine, throw, or block.
 * Called by the device's owner only. The time of an event is that of the round of work in which it is reported.
 */
public interface QueuePairObserver {
    /** Bit of a packet: it was sent before. Bits 0 to 6 are the transport's. */
    int AGAIN = 1 << 7;

    /** Observer of a machine that nobody observes. */
    QueuePairObserver NONE = new QueuePairObserver() {
        @Override
        public void stateChanged(QpState from, QpState to) {
        }

        @Override
        public void posted(long tail) {
        }

        @Override
        public void packet(boolean sent, int opcode, int bits, int psn, int length, long wrId, long place, long header1, long header2) {
        }

        @Override
        public void moreHeaders(long header3, long header4, long header5, long header6) {
        }

        @Override
        public void completed(boolean send, long wrId, WcStatus status, WcOpcode opcode, int bytes, Reason reason) {
        }

        @Override
        public void flushed(int requests) {
        }

        @Override
        public void occurred(RecordedEvent.Effect effect, Reason reason, long value1, long value2, long value3) {
        }

        @Override
        public void failed(RecordedEvent.Effect effect, Failure failure) {
        }

        @Override
        public void raised(AsyncEventType type) {
        }
    };

    /** The state has changed. */
    void stateChanged(QpState from, QpState to);

    /** Work requests are posted up to, and not including, this sequence number of the send queue. */
    void posted(long tail);

    /**
     * A packet or segment was written for the link, or passed the checks of the edge.
     *
     * @param opcode  u8
     * @param bits    further bits of the header, as the transport has them, and {@link #AGAIN}
     * @param psn     u24
     * @param length  bytes of the packet, below 2^17
     * @param wrId    work request that it belongs to, if {@code place} is not 0
     * @param place   position in the message from 1 in the upper half, number of packets in the lower half; 0 if it belongs to none
     * @param header1 the first eight bytes of headers behind the basic one
     */
    void packet(boolean sent, int opcode, int bits, int psn, int length, long wrId, long place, long header1, long header2);

    /** Further headers of the packet that was reported last. */
    void moreHeaders(long header3, long header4, long header5, long header6);

    /**
     * A work request completed, except by a flush.
     *
     * @param send   of the send queue; otherwise of a receive queue
     * @param bytes  length of the message, u32
     * @param reason null for SUCCESS
     */
    void completed(boolean send, long wrId, WcStatus status, WcOpcode opcode, int bytes, Reason reason);

    /** Work requests were completed with WR_FLUSH_ERR. */
    void flushed(int requests);

    /**
     * Something happened that has a reason.
     *
     * @param value1 first value of the reason's sentence; those that it does not have are ignored
     */
    void occurred(RecordedEvent.Effect effect, Reason reason, long value1, long value2, long value3);

    /** A request was refused, or the queue pair fails. */
    void failed(RecordedEvent.Effect effect, Failure failure);

    /** An asynchronous event was raised. */
    void raised(AsyncEventType type);
}
