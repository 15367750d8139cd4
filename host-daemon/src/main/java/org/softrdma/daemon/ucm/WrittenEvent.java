// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.ucm;

/**
 * Contents of an event that the program has written to a channel of its own.
 *
 * @param type   {@code enum rdma_cm_event_type}: {@link #USER} or {@link #INTERNAL}
 * @param status any
 * @param arg    any, u64
 */
record WrittenEvent(int type, int status, long arg) {
    /** RDMA_CM_EVENT_USER: of rdma_write_cm_event. */
    static final int USER = 18;
    /** RDMA_CM_EVENT_INTERNAL: librdmacm's own, such as for rdma_resolve_addrinfo. */
    static final int INTERNAL = 19;
}
