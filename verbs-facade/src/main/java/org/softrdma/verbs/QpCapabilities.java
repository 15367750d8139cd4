// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/**
 * Queue sizes of a queue pair ({@code struct ibv_qp_cap}). A device may grant more than is requested, never less. Sizes by name:
 *
 * <pre>{@code
 * QpCapabilities.ofDepth(16).withMaxInlineData(64)
 * }</pre>
 *
 * @param maxSendWr     work requests the send queue holds
 * @param maxRecvWr     work requests the receive queue holds; ignored with a shared receive queue
 * @param maxSendSge    scatter/gather elements of one send work request
 * @param maxRecvSge    scatter/gather elements of one receive work request
 * @param maxInlineData bytes of one inline work request
 */
public record QpCapabilities(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {
    /** One work request in each queue, with one element each, and no inline data. */
    public static final QpCapabilities MINIMAL = new QpCapabilities(1, 1, 1, 1, 0);

    /**
     * Makes room for work requests with one element each, and no inline data.
     *
     * @param workRequests in each queue
     * @return new sizes
     */
    public static QpCapabilities ofDepth(int workRequests) {
        return new QpCapabilities(workRequests, workRequests, 1, 1, 0);
    }

    /**
     * Replaces the size of the send queue.
     *
     * @param maxSendWr work requests
     * @return new sizes
     */
    public QpCapabilities withMaxSendWr(int maxSendWr) {
        return new QpCapabilities(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData);
    }

    /**
     * Replaces the size of the receive queue.
     *
     * @param maxRecvWr work requests
     * @return new sizes
     */
    public QpCapabilities withMaxRecvWr(int maxRecvWr) {
        return new QpCapabilities(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData);
    }

    /**
     * Replaces the room for elements of a send work request.
     *
     * @param maxSendSge scatter/gather elements
     * @return new sizes
     */
    public QpCapabilities withMaxSendSge(int maxSendSge) {
        return new QpCapabilities(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData);
    }

    /**
     * Replaces the room for elements of a receive work request.
     *
     * @param maxRecvSge scatter/gather elements
     * @return new sizes
     */
    public QpCapabilities withMaxRecvSge(int maxRecvSge) {
        return new QpCapabilities(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData);
    }

    /**
     * Replaces the room for inline data.
     *
     * @param maxInlineData bytes of one work request
     * @return new sizes
     */
    public QpCapabilities withMaxInlineData(int maxInlineData) {
        return new QpCapabilities(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData);
    }

    @Override
    public String toString() {
        return "max_send_wr " + maxSendWr + ", max_recv_wr " + maxRecvWr + ", max_send_sge " + maxSendSge + ", max_recv_sge " + maxRecvSge
            + ", max_inline_data " + maxInlineData;
    }
}
