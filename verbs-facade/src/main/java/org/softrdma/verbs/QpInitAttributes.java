// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * What {@code create_qp} needs ({@code struct ibv_qp_init_attr}).
 *
 * @param recvCq      where receives complete; means nothing to XRC_SEND, and neither do the receive sizes, which are granted as 0
 * @param srq         a shared receive queue, or null for a receive queue of its own; {@code cap.maxRecvWr} and {@code cap.maxRecvSge} then
 *     mean nothing and are granted as 0
 * @param signalAll   every send work request completes visibly ({@code sq_sig_all})
 */
public record QpInitAttributes(
    QpType type, CompletionQueue sendCq, CompletionQueue recvCq, SharedReceiveQueue srq, QpCapabilities cap, boolean signalAll) {

    /** An RC queue pair with one completion queue for both directions and no shared receive queue. */
    public static QpInitAttributes rc(CompletionQueue cq, QpCapabilities cap) {
        return new QpInitAttributes(QpType.RC, cq, cq, null, cap, false);
    }

    /** An XRC initiator. */
    public static QpInitAttributes xrcSend(CompletionQueue sendCq, QpCapabilities cap) {
        return new QpInitAttributes(QpType.XRC_SEND, sendCq, null, null, cap, false);
    }
}
