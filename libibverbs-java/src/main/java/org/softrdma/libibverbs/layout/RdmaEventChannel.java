// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** A channel of events. Source: {@code struct rdma_event_channel} of {@code rdma/rdma_cma.h}. */
public final class RdmaEventChannel {
    /** Size in bytes. */
    public static final int BYTES = 4;
    public static final U32 FD = new U32(0);

    private RdmaEventChannel() {
    }
}
