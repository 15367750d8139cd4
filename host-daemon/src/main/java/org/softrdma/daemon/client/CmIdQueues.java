// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.util.function.BooleanSupplier;
import org.softrdma.cm.CompletionWait;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.cm.ConnectionParameters;
import org.softrdma.verbs.cm.DatagramParameters;

/** The queue pair of an identifier, and the completion queues that the application left to it, with a channel each. */
final class CmIdQueues {
    /** Interval at which a thread that waits for a receive looks whether the connection has ended. */
    private static final long LOOK_NS = 100_000_000;

    /** Names both queues. */
    private final QpInitAttributes attributes;
    /** Null if the queue is the application's. */
    private final CompletionChannel sendChannel;
    /** Null if the queue is the application's. */
    private final CompletionChannel receiveChannel;
    private final QueuePair qp;

    /** Creates the queue pair, in INIT; one of datagrams in RTS. */
    CmIdQueues(ProtectionDomain pd, QpInitAttributes given) {
        sendChannel = given.sendCq() == null ? pd.context().createCompletionChannel() : null;
        receiveChannel = given.recvCq() == null ? pd.context().createCompletionChannel() : null;
        QpInitAttributes filled = given;
        QueuePair made = null;
        boolean ready = false;
        try {
            if (sendChannel != null) {
                filled = filled.withSendCq(pd.context().createCq(Math.max(1, given.cap().maxSendWr()), this, sendChannel, 0));
            }
            if (receiveChannel != null) {
                filled = filled.withRecvCq(pd.context().createCq(Math.max(1, given.cap().maxRecvWr()), this, receiveChannel, 0));
            }
            made = pd.createQp(filled);
            prepare(made);
            ready = true;
        } finally {
            if (!ready) {
                close(made, filled);
            }
        }
        attributes = filled;
        qp = made;
    }

    private static void prepare(QueuePair made) {
        QpAttributes init = new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1);
        if (made.type() != QpType.UD) {
            made.modify(init.accessFlags(0));
            return;
        }
        made.modify(init.qkey(DatagramParameters.UDP_QKEY));
        made.modify(new QpAttributes().state(QpState.RTR));
        made.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
    }

    QueuePair qp() {
        return qp;
    }

    CompletionQueue sendCq() {
        return attributes.sendCq();
    }

    CompletionQueue receiveCq() {
        return attributes.recvCq();
    }

    /** Moves the queue pair to ERR. Never fails, even if another thread destroys the queue pair, or the daemon has ended. */
    void toError() {
        try {
            qp.modify(new QpAttributes().state(QpState.ERR));
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.EINVAL && gone.errno() != Errno.EIO) {
                throw gone;
            }
        }
    }

    /** Waits for a send, which completes whatever becomes of the connection. */
    void awaitSend(WorkCompletion into) {
        WorkCompletion[] one = {into};
        boolean completed;
        do {
            completed = CompletionWait.await("get_send_comp", sendCq(), sendChannel, one, -1);
        } while (!completed);
    }

    /**
     * Waits for a receive.
     *
     * @param ended whether the connection has ended: then nothing is received any more, and the receives that remain are flushed
     */
    void awaitReceive(WorkCompletion into, BooleanSupplier ended) {
        WorkCompletion[] one = {into};
        while (!CompletionWait.await("get_recv_comp", receiveCq(), receiveChannel, one, LOOK_NS)) {
            if (ended.getAsBoolean()) {
                toError();
                if (!CompletionWait.await("get_recv_comp", receiveCq(), receiveChannel, one, LOOK_NS)) {
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
    static ConnectionParameters name(ConnectionParameters parameters, CmIdQueues own) {
        return own == null ? parameters : parameters.withQp(own.qp.qpNum(), own.attributes.srq() != null);
    }

    void close() {
        close(qp, attributes);
    }

    private void close(QueuePair toClose, QpInitAttributes queues) {
        if (toClose != null) {
            toClose.close();
        }
        close(sendChannel, queues.sendCq());
        close(receiveChannel, queues.recvCq());
    }

    private static void close(CompletionChannel channel, CompletionQueue cq) {
        if (channel != null) {
            if (cq != null) {
                cq.close();
            }
            channel.close();
        }
    }
}
