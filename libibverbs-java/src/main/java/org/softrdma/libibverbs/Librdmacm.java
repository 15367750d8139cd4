// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeFunction.INT;
import static org.softrdma.libibverbs.NativeFunction.LONG;

import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.libibverbs.layout.IbvContext;

/**
 * Exported functions of {@code librdmacm.so.1}, each with the errors of its manual page: null or -1, and errno; what a function without a
 * result seems to return is meaningless. The library opens every device once and keeps it; those contexts are wrapped once, too.
 */
final class Librdmacm {
    private static final String NAME = "librdmacm.so.1";
    private static final SymbolLookup LIBRARY = NativeFunction.library(NAME);
    private static final Map<Long, NativeContext> CONTEXTS = new ConcurrentHashMap<>();

    static final NativeFunction CREATE_EVENT_CHANNEL = NativeFunction.of(LIBRARY, "rdma_create_event_channel", LONG);
    static final NativeFunction DESTROY_EVENT_CHANNEL = function("rdma_destroy_event_channel", LONG);
    static final NativeFunction CREATE_ID = function("rdma_create_id", LONG, LONG, LONG, INT);
    static final NativeFunction DESTROY_ID = function("rdma_destroy_id", LONG);
    static final NativeFunction BIND_ADDR = function("rdma_bind_addr", LONG, LONG);
    static final NativeFunction RESOLVE_ADDR = function("rdma_resolve_addr", LONG, LONG, LONG, INT);
    static final NativeFunction RESOLVE_ROUTE = function("rdma_resolve_route", LONG, INT);
    static final NativeFunction CREATE_QP = function("rdma_create_qp", LONG, LONG, LONG);
    static final NativeFunction CREATE_QP_EX = function("rdma_create_qp_ex", LONG, LONG);
    static final NativeFunction DESTROY_QP = function("rdma_destroy_qp", LONG);
    static final NativeFunction INIT_QP_ATTR = function("rdma_init_qp_attr", LONG, LONG, LONG);
    static final NativeFunction CONNECT = function("rdma_connect", LONG, LONG);
    static final NativeFunction ESTABLISH = function("rdma_establish", LONG);
    static final NativeFunction LISTEN = function("rdma_listen", LONG, INT);
    static final NativeFunction GET_REQUEST = function("rdma_get_request", LONG, LONG);
    static final NativeFunction ACCEPT = function("rdma_accept", LONG, LONG);
    static final NativeFunction REJECT = function("rdma_reject", LONG, LONG, INT);
    static final NativeFunction NOTIFY = function("rdma_notify", LONG, INT);
    static final NativeFunction DISCONNECT = function("rdma_disconnect", LONG);
    static final NativeFunction JOIN_MULTICAST_EX = function("rdma_join_multicast_ex", LONG, LONG, LONG);
    static final NativeFunction LEAVE_MULTICAST = function("rdma_leave_multicast", LONG, LONG);
    static final NativeFunction GET_CM_EVENT = function("rdma_get_cm_event", LONG, LONG);
    static final NativeFunction ACK_CM_EVENT = function("rdma_ack_cm_event", LONG);
    static final NativeFunction SET_OPTION = function("rdma_set_option", LONG, INT, INT, LONG, LONG);
    static final NativeFunction MIGRATE_ID = function("rdma_migrate_id", LONG, LONG);

    private Librdmacm() {
    }

    private static NativeFunction function(String name, ValueLayout... arguments) {
        return NativeFunction.of(LIBRARY, name, INT, arguments);
    }

    static boolean isInstalled() {
        return LIBRARY != null && CREATE_ID.isThere();
    }

    /**
     * Returns the context that the library has at an address.
     *
     * @param verbs 0 for none
     * @return null for none
     */
    static NativeContext context(long verbs) {
        return verbs == 0 ? null : CONTEXTS.computeIfAbsent(verbs,
            address -> new NativeContext(NativeDevice.of(IbvContext.DEVICE.get(NativeMemory.ALL, address)), address, true));
    }
}
