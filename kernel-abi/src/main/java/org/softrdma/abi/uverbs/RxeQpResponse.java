// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.uverbs;

/**
 * Driver output of QP_CREATE for librxe.
 *
 * <p>Source: {@code struct rxe_create_qp_resp}.
 */
public final class RxeQpResponse {
    /** Size in bytes. */
    public static final int BYTES = 32;
    /** {@link MmapInfo}: receive queue; zeros with a shared one. */
    public static final int RECEIVE_QUEUE_OFFSET = 0;
    /** {@link MmapInfo}: send queue. */
    public static final int SEND_QUEUE_OFFSET = 16;

    private RxeQpResponse() {
    }
}
