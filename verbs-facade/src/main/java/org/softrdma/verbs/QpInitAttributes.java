// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Arguments of {@link ProtectionDomain#createQp} ({@code struct ibv_qp_init_attr}). Values by name:
 *
 * <pre>{@code
 * QpInitAttributes.ud(cq, capabilities).withSrq(srq).withSignalAll(true)
 * }</pre>
 *
 * @param recvCq      completion queue of receives; ignored for XRC_SEND, as are the receive sizes, which are granted as 0
 * @param srq         a shared receive queue, or null for a receive queue of its own; {@code cap.maxRecvWr} and {@code cap.maxRecvSge} are
 *     ignored with it and granted as 0
 * @param signalAll   every send work request generates a completion ({@code sq_sig_all})
 */
public record QpInitAttributes(
    QpType type, CompletionQueue sendCq, CompletionQueue recvCq, SharedReceiveQueue srq, QpCapabilities cap, boolean signalAll) {

    /**
     * Attributes with one completion queue for both directions, no shared receive queue, and completions of signaled requests only.
     *
     * @param cq may be null where the queue pair is made with {@link org.softrdma.verbs.cm.CmId#createQp}, which then makes the queues
     */
    public static QpInitAttributes of(QpType type, CompletionQueue cq, QpCapabilities cap) {
        return new QpInitAttributes(type, cq, cq, null, cap, false);
    }

    /** An RC queue pair with one completion queue for both directions and no shared receive queue. */
    public static QpInitAttributes rc(CompletionQueue cq, QpCapabilities cap) {
        return of(QpType.RC, cq, cap);
    }

    /** A UC queue pair with one completion queue for both directions and no shared receive queue. */
    public static QpInitAttributes uc(CompletionQueue cq, QpCapabilities cap) {
        return of(QpType.UC, cq, cap);
    }

    /** A UD queue pair with one completion queue for both directions and no shared receive queue. */
    public static QpInitAttributes ud(CompletionQueue cq, QpCapabilities cap) {
        return of(QpType.UD, cq, cap);
    }

    /** An XRC initiator. */
    public static QpInitAttributes xrcSend(CompletionQueue sendCq, QpCapabilities cap) {
        return new QpInitAttributes(QpType.XRC_SEND, sendCq, null, null, cap, false);
    }

    public QpInitAttributes withType(QpType type) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    public QpInitAttributes withSendCq(CompletionQueue sendCq) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    public QpInitAttributes withRecvCq(CompletionQueue recvCq) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    public QpInitAttributes withSrq(SharedReceiveQueue srq) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    public QpInitAttributes withCap(QpCapabilities cap) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    public QpInitAttributes withSignalAll(boolean signalAll) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }
}
