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
 * @param type        service
 * @param sendCq      for completions of send work requests
 * @param cap         sizes of the queues
 * @param srq         a shared receive queue, or null for a receive queue of its own; {@code cap.maxRecvWr} and {@code cap.maxRecvSge} are
 *     ignored with it and granted as 0
 * @param signalAll   every send work request generates a completion ({@code sq_sig_all})
 */
public record QpInitAttributes(
    QpType type, CompletionQueue sendCq, CompletionQueue recvCq, SharedReceiveQueue srq, QpCapabilities cap, boolean signalAll) {

    /**
     * Attributes with one completion queue for both directions, no shared receive queue, and completions of signaled requests only.
     *
     * @param type service
     * @param cq   may be null where the queue pair is made with {@link org.softrdma.verbs.cm.CmId#createQp}, which then makes the queues
     * @param cap  sizes of its queues
     * @return new attributes
     */
    public static QpInitAttributes of(QpType type, CompletionQueue cq, QpCapabilities cap) {
        return new QpInitAttributes(type, cq, cq, null, cap, false);
    }

    /**
     * Describes an RC queue pair without a shared receive queue.
     *
     * @param cq  for both directions
     * @param cap sizes of its queues
     * @return new attributes
     */
    public static QpInitAttributes rc(CompletionQueue cq, QpCapabilities cap) {
        return of(QpType.RC, cq, cap);
    }

    /**
     * Describes a UC queue pair without a shared receive queue.
     *
     * @param cq  for both directions
     * @param cap sizes of its queues
     * @return new attributes
     */
    public static QpInitAttributes uc(CompletionQueue cq, QpCapabilities cap) {
        return of(QpType.UC, cq, cap);
    }

    /**
     * Describes a UD queue pair without a shared receive queue.
     *
     * @param cq  for both directions
     * @param cap sizes of its queues
     * @return new attributes
     */
    public static QpInitAttributes ud(CompletionQueue cq, QpCapabilities cap) {
        return of(QpType.UD, cq, cap);
    }

    /**
     * Describes an XRC initiator, which has no receive queue.
     *
     * @param sendCq for its work requests
     * @param cap    sizes of its send queue
     * @return new attributes
     */
    public static QpInitAttributes xrcSend(CompletionQueue sendCq, QpCapabilities cap) {
        return new QpInitAttributes(QpType.XRC_SEND, sendCq, null, null, cap, false);
    }

    /**
     * Replaces the service.
     *
     * @param type service
     * @return new attributes
     */
    public QpInitAttributes withType(QpType type) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    /**
     * Replaces the completion queue of send work requests.
     *
     * @param sendCq of the device that creates the queue pair
     * @return new attributes
     */
    public QpInitAttributes withSendCq(CompletionQueue sendCq) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    /**
     * Replaces the completion queue of receives.
     *
     * @param recvCq of the device that creates the queue pair
     * @return new attributes
     */
    public QpInitAttributes withRecvCq(CompletionQueue recvCq) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    /**
     * Replaces the shared receive queue.
     *
     * @param srq null for a receive queue of its own
     * @return new attributes
     */
    public QpInitAttributes withSrq(SharedReceiveQueue srq) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    /**
     * Replaces the sizes.
     *
     * @param cap sizes of the queues
     * @return new attributes
     */
    public QpInitAttributes withCap(QpCapabilities cap) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }

    /**
     * Replaces whether every send work request generates a completion.
     *
     * @param signalAll otherwise signaled ones only
     * @return new attributes
     */
    public QpInitAttributes withSignalAll(boolean signalAll) {
        return new QpInitAttributes(type, sendCq, recvCq, srq, cap, signalAll);
    }
}
