// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.function.BooleanSupplier;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** A queue pair that the connection manager created and moves between states, and the completion queues created with it. */
final class CmQueuePair {
    /** Interval at which a thread that waits for a receive looks whether the connection has ended. */
    private static final long LOOK_NS = 100_000_000;

    private final QpType type;
    private final boolean shared;
    private final CompletionChannel sendChannel;
    private final CompletionChannel receiveChannel;
    private final CompletionQueue sendCq;
    private final CompletionQueue receiveCq;
    private final CompletionQueue givenSendCq;
    private final CompletionQueue givenReceiveCq;
    private final QueuePair qp;

    /** Creates the queue pair, in INIT; a UD queue pair in RTS. */
    CmQueuePair(ProtectionDomain pd, QpInitAttributes wanted) {
        type = wanted.type();
        shared = wanted.srq() != null;
        givenSendCq = wanted.sendCq();
        givenReceiveCq = wanted.recvCq();
        CompletionChannel firstChannel = null;
        CompletionChannel secondChannel = null;
        CompletionQueue firstCq = givenSendCq;
        CompletionQueue secondCq = givenReceiveCq;
        QueuePair made = null;
        try {
            if (firstCq == null) {
                firstChannel = pd.context().createCompletionChannel();
                firstCq = pd.context().createCq(Math.max(1, wanted.cap().maxSendWr()), this, firstChannel, 0);
            }
            if (secondCq == null) {
                secondChannel = pd.context().createCompletionChannel();
                secondCq = pd.context().createCq(Math.max(1, wanted.cap().maxRecvWr()), this, secondChannel, 0);
            }
            made = pd.createQp(new QpInitAttributes(type, firstCq, secondCq, wanted.srq(), wanted.cap(), wanted.signalAll()));
            prepare(made);
        } catch (VerbsException refused) {
            close(made, firstCq, firstChannel, secondCq, secondChannel);
            throw refused;
        }
        sendChannel = firstChannel;
        receiveChannel = secondChannel;
        sendCq = firstCq;
        receiveCq = secondCq;
        qp = made;
    }

    private void prepare(QueuePair made) {
        made.modify(init(type));
        if (type == QpType.UD) {
            made.modify(new QpAttributes().state(QpState.RTR));
            made.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        }
    }

    /** Returns the attributes for INIT that do not depend on a connection. */
    static QpAttributes init(QpType type) {
        QpAttributes attributes = new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1);
        return type == QpType.UD ? attributes.qkey(DatagramParameters.UDP_QKEY) : attributes.accessFlags(0);
    }

    QueuePair qp() {
        return qp;
    }

    boolean isDatagram() {
        return type == QpType.UD;
    }

    CompletionQueue sendCq() {
        return sendCq;
    }

    CompletionQueue receiveCq() {
        return receiveCq;
    }

    /** Sets the access rights that the connection requires, before it is connected. */
    void prepare(CmConnection connection, CmPathOptions options) {
        modify(connection.qpAttributes(QpState.INIT, options));
    }

    /**
     * Moves the queue pair to RTR and RTS.
     *
     * @param responderResources READs and atomics accepted at a time; negative for the value of the connection
     * @param initiatorDepth     READs and atomics outstanding at a time; negative for the value of the connection
     */
    void connect(CmConnection connection, CmPathOptions options, int responderResources, int initiatorDepth) {
        prepare(connection, options);
        QpAttributes rtr = connection.qpAttributes(QpState.RTR, options);
        if (rtr != null && responderResources >= 0 && rtr.has(QpAttributeMask.MAX_DEST_RD_ATOMIC)) {
            rtr.maxDestRdAtomic(responderResources);
        }
        modify(rtr);
        QpAttributes rts = connection.qpAttributes(QpState.RTS, options);
        if (rts != null && initiatorDepth >= 0 && rts.has(QpAttributeMask.MAX_QP_RD_ATOMIC)) {
            rts.maxRdAtomic(initiatorDepth);
        }
        modify(rts);
    }

    private void modify(QpAttributes attributes) {
        if (attributes != null) {
            qp.modify(attributes);
        }
    }

    /** Moves the queue pair to ERR, which flushes outstanding requests. Never fails, even if another thread destroys the queue pair. */
    void toError() {
        try {
            qp.modify(new QpAttributes().state(QpState.ERR));
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.EINVAL) {
                throw gone;
            }
        }
    }

    /** Waits for a send, which completes whatever becomes of the connection. */
    void awaitSend(WorkCompletion into) {
        WorkCompletion[] one = {into};
        boolean completed;
        do {
            completed = CompletionWait.await("get_send_comp", sendCq, sendChannel, one, -1);
        } while (!completed);
    }

    /**
     * Waits for a receive.
     *
     * @param ended whether the connection has ended: then nothing is received any more, and the receives that remain are flushed
     */
    void awaitReceive(WorkCompletion into, BooleanSupplier ended) {
        WorkCompletion[] one = {into};
        while (!CompletionWait.await("get_recv_comp", receiveCq, receiveChannel, one, LOOK_NS)) {
            if (ended.getAsBoolean()) {
                toError();
                if (receiveCq.poll(one) == 0) {
                    throw new VerbsException(Errno.ENOTCONN, "get_recv_comp", "the connection has ended, and no receive is posted");
                }
                return;
            }
        }
    }

    /**
     * Returns connection parameters that name a queue pair.
     *
     * @param own the identifier's; null if the parameters name the queue pair
     */
    static ConnectionParameters name(ConnectionParameters parameters, CmQueuePair own) {
        return own == null ? parameters : parameters.withQp(own.qp.qpNum(), own.shared);
    }

    void close() {
        close(qp, sendCq, sendChannel, receiveCq, receiveChannel);
    }

    private void close(QueuePair toClose, CompletionQueue firstCq, CompletionChannel firstChannel, CompletionQueue secondCq,
                       CompletionChannel secondChannel) {
        if (toClose != null) {
            toClose.close();
        }
        if (firstCq != null && firstCq != givenSendCq) {
            firstCq.close();
        }
        if (firstChannel != null) {
            firstChannel.close();
        }
        if (secondCq != null && secondCq != givenReceiveCq) {
            secondCq.close();
        }
        if (secondChannel != null) {
            secondChannel.close();
        }
    }
}
