// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeFunction.INT;
import static org.softrdma.libibverbs.NativeFunction.LONG;

import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Exported functions of {@code libibverbs.so.1}, and the C library's {@code poll} and {@code fcntl} for its descriptors. Each has the
 * errors of its manual page: a number, or null or -1 and errno.
 */
final class Libibverbs {
    static final String NAME = "libibverbs.so.1";

    /** Calls for a device that was removed while it was open have EIO. */
    private static final String REMOVED = "; the device may have been removed";
    private static final SymbolLookup LIBRARY = NativeFunction.library(NAME);

    static final NativeFunction GET_DEVICE_LIST = function("ibv_get_device_list", LONG, LONG);
    static final NativeFunction FREE_DEVICE_LIST = function("ibv_free_device_list", INT, LONG);
    static final NativeFunction GET_DEVICE_GUID = function("ibv_get_device_guid", LONG, LONG);
    static final NativeFunction GET_DEVICE_INDEX = function("ibv_get_device_index", INT, LONG);
    static final NativeFunction OPEN_DEVICE = function("ibv_open_device", LONG, LONG);
    static final NativeFunction CLOSE_DEVICE = function("ibv_close_device", INT, LONG);
    static final NativeFunction QUERY_DEVICE = function("ibv_query_device", INT, LONG, LONG);
    static final NativeFunction QUERY_PORT = function("ibv_query_port", INT, LONG, INT, LONG);
    static final NativeFunction QUERY_GID = function("ibv_query_gid", INT, LONG, INT, INT, LONG);
    static final NativeFunction QUERY_GID_EX = function("_ibv_query_gid_ex", INT, LONG, INT, INT, LONG, INT, LONG);
    static final NativeFunction QUERY_GID_TABLE = function("_ibv_query_gid_table", LONG, LONG, LONG, LONG, INT, LONG);
    static final NativeFunction QUERY_PKEY = function("ibv_query_pkey", INT, LONG, INT, INT, LONG);
    static final NativeFunction ALLOC_PD = function("ibv_alloc_pd", LONG, LONG);
    static final NativeFunction DEALLOC_PD = function("ibv_dealloc_pd", INT, LONG);
    static final NativeFunction REG_MR = function("ibv_reg_mr", LONG, LONG, LONG, LONG, INT);
    static final NativeFunction REG_MR_IOVA = function("ibv_reg_mr_iova", LONG, LONG, LONG, LONG, LONG, INT);
    /** As {@link #REG_MR_IOVA}, but clears optional rights that the kernel does not know. */
    static final NativeFunction REG_MR_IOVA2 = function("ibv_reg_mr_iova2", LONG, LONG, LONG, LONG, LONG, INT);
    static final NativeFunction REREG_MR = function("ibv_rereg_mr", INT, LONG, INT, LONG, LONG, LONG, INT);
    static final NativeFunction DEREG_MR = function("ibv_dereg_mr", INT, LONG);
    static final NativeFunction CREATE_COMP_CHANNEL = function("ibv_create_comp_channel", LONG, LONG);
    static final NativeFunction DESTROY_COMP_CHANNEL = function("ibv_destroy_comp_channel", INT, LONG);
    static final NativeFunction CREATE_CQ = function("ibv_create_cq", LONG, LONG, INT, LONG, LONG, INT);
    static final NativeFunction RESIZE_CQ = function("ibv_resize_cq", INT, LONG, INT);
    static final NativeFunction DESTROY_CQ = function("ibv_destroy_cq", INT, LONG);
    static final NativeFunction GET_CQ_EVENT = function("ibv_get_cq_event", INT, LONG, LONG, LONG);
    static final NativeFunction ACK_CQ_EVENTS = function("ibv_ack_cq_events", INT, LONG, INT);
    static final NativeFunction CREATE_QP = function("ibv_create_qp", LONG, LONG, LONG);
    static final NativeFunction QP_TO_QP_EX = function("ibv_qp_to_qp_ex", LONG, LONG);
    static final NativeFunction MODIFY_QP = function("ibv_modify_qp", INT, LONG, LONG, INT);
    static final NativeFunction QUERY_QP = function("ibv_query_qp", INT, LONG, LONG, INT, LONG);
    static final NativeFunction DESTROY_QP = function("ibv_destroy_qp", INT, LONG);
    static final NativeFunction ATTACH_MCAST = function("ibv_attach_mcast", INT, LONG, LONG, INT);
    static final NativeFunction DETACH_MCAST = function("ibv_detach_mcast", INT, LONG, LONG, INT);
    static final NativeFunction CREATE_AH = function("ibv_create_ah", LONG, LONG, LONG);
    static final NativeFunction DESTROY_AH = function("ibv_destroy_ah", INT, LONG);
    static final NativeFunction CREATE_SRQ = function("ibv_create_srq", LONG, LONG, LONG);
    static final NativeFunction MODIFY_SRQ = function("ibv_modify_srq", INT, LONG, LONG, INT);
    static final NativeFunction QUERY_SRQ = function("ibv_query_srq", INT, LONG, LONG);
    static final NativeFunction DESTROY_SRQ = function("ibv_destroy_srq", INT, LONG);
    /** Came with release 64; not called. */
    static final NativeFunction ALLOC_BUF = function("ibv_alloc_buf", LONG, LONG, LONG, LONG);
    static final NativeFunction GET_ASYNC_EVENT = function("ibv_get_async_event", INT, LONG, LONG);
    static final NativeFunction ACK_ASYNC_EVENT = function("ibv_ack_async_event", INT, LONG);

    private Libibverbs() {
    }

    private static NativeFunction function(String name, ValueLayout result, ValueLayout... arguments) {
        return NativeFunction.of(LIBRARY, name, result, arguments);
    }

    /** Returns whether the library could be loaded. */
    static boolean isInstalled() {
        return LIBRARY != null && GET_DEVICE_LIST.isThere();
    }

    /** Returns why the library is not used. */
    static String missing() {
        String missing = NativeFunction.missing(NAME);
        return missing != null ? missing : NAME + " has no ibv_get_device_list";
    }

    /**
     * Checks the result of a function that returns an errno value or -1.
     *
     * @param verb as in {@link VerbsException#verb}
     */
    static void check(long result, String verb, String detail) {
        if (result != 0) {
            throw failure(result < 0 ? NativeFunction.errno() : (int) result, verb, detail);
        }
    }

    /**
     * Checks the result of a function that returns an object, or null and errno.
     *
     * @return the object's address
     */
    static long created(long object, String verb, String detail) {
        if (object == 0) {
            throw failure(NativeFunction.errno(), verb, detail);
        }
        return object;
    }

    static VerbsException failure(int errno, String verb, String detail) {
        Errno known = Errno.of(errno);
        return known != null ? new VerbsException(known, verb, known == Errno.EIO ? detail + REMOVED : detail)
            : new VerbsException(Errno.EIO, verb, detail + ": errno " + errno);
    }
}
