// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeFunction.INT;
import static org.softrdma.libibverbs.NativeFunction.LONG;
import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.ValueLayout;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.Pointer;
import org.softrdma.libibverbs.layout.VerbsContext;

/**
 * Operations of {@code struct verbs_context}, found as {@code verbs_get_ctx_op} of {@code infiniband/verbs.h} finds them. One that the
 * library lacks throws EOPNOTSUPP when it is called; for one that only the driver lacks, the library has a function that returns that.
 */
final class ExtendedOperations {
    /** {@code __VERBS_ABI_IS_EXTENDED}. */
    private static final long EXTENDED = -1;

    final NativeFunction queryDeviceEx;
    final NativeFunction queryRtValues;
    final NativeFunction createCqEx;
    final NativeFunction createQpEx;
    final NativeFunction openQp;
    final NativeFunction createSrqEx;
    final NativeFunction getSrqNum;
    final NativeFunction openXrcd;
    final NativeFunction closeXrcd;
    final NativeFunction allocTd;
    final NativeFunction deallocTd;
    final NativeFunction allocParentDomain;

    /** @param context address of {@code struct ibv_context} */
    ExtendedOperations(long context) {
        queryDeviceEx = find(context, VerbsContext.QUERY_DEVICE_EX, "query_device_ex", INT, LONG, LONG, LONG, LONG);
        queryRtValues = find(context, VerbsContext.QUERY_RT_VALUES, "query_rt_values_ex", INT, LONG, LONG);
        createCqEx = find(context, VerbsContext.CREATE_CQ_EX, "create_cq_ex", LONG, LONG, LONG);
        createQpEx = find(context, VerbsContext.CREATE_QP_EX, "create_qp_ex", LONG, LONG, LONG);
        openQp = find(context, VerbsContext.OPEN_QP, "open_qp", LONG, LONG, LONG);
        createSrqEx = find(context, VerbsContext.CREATE_SRQ_EX, "create_srq_ex", LONG, LONG, LONG);
        getSrqNum = find(context, VerbsContext.GET_SRQ_NUM, "get_srq_num", INT, LONG, LONG);
        openXrcd = find(context, VerbsContext.OPEN_XRCD, "open_xrcd", LONG, LONG, LONG);
        closeXrcd = find(context, VerbsContext.CLOSE_XRCD, "close_xrcd", INT, LONG);
        allocTd = find(context, VerbsContext.ALLOC_TD, "alloc_td", LONG, LONG, LONG);
        deallocTd = find(context, VerbsContext.DEALLOC_TD, "dealloc_td", INT, LONG);
        allocParentDomain = find(context, VerbsContext.ALLOC_PARENT_DOMAIN, "alloc_parent_domain", LONG, LONG, LONG);
    }

    private static NativeFunction find(long context, Pointer operation, String name, ValueLayout result, ValueLayout... arguments) {
        return NativeFunction.at(address(context, operation), name, result, arguments);
    }

    /** Returns the address of an operation; 0 if the library's structure is too small for it. */
    private static long address(long context, Pointer operation) {
        if (IbvContext.ABI_COMPAT.get(ALL, context) != EXTENDED) {
            return 0;
        }
        long table = context - VerbsContext.CONTEXT.offset();
        long needed = VerbsContext.BYTES - operation.offset();
        return Long.compareUnsigned(VerbsContext.SZ.get(ALL, table), needed) < 0 ? 0 : operation.get(ALL, table);
    }
}
