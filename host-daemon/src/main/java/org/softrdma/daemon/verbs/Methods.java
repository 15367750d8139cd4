// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.softrdma.daemon.verbs.AttributeSpec.bits;
import static org.softrdma.daemon.verbs.AttributeSpec.input;
import static org.softrdma.daemon.verbs.AttributeSpec.inputFrom;
import static org.softrdma.daemon.verbs.AttributeSpec.number;
import static org.softrdma.daemon.verbs.AttributeSpec.output;

import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.abi.uverbs.DestroyCqResponse;
import org.softrdma.abi.uverbs.DestroyResponse;
import org.softrdma.abi.uverbs.GidEntry;
import org.softrdma.abi.uverbs.QpCapabilitiesRecord;
import org.softrdma.abi.uverbs.QueryPortResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;

/** The methods of the ioctl, by object and number. What is not in this table is answered with EPROTONOSUPPORT. */
final class Methods {
    private static final int METHOD_BITS = 16;
    private static final Int2ObjectHashMap<Method> ALL = new Int2ObjectHashMap<>();

    static {
        addDevice();
        addMemory();
        addQueues();
        add(UverbsObject.PD, UverbsMethod.PD_DESTROY, Method.of(PdMethods::destroy, number(UverbsAttribute.DESTROY_PD_HANDLE)));
        add(UverbsObject.AH, UverbsMethod.AH_DESTROY, Method.of(AhMethods::destroy, number(UverbsAttribute.DESTROY_AH_HANDLE)));
        add(UverbsObject.ASYNC_EVENT, UverbsMethod.ASYNC_EVENT_ALLOC, Method.of(ContextMethods::allocateAsyncEvents,
            number(UverbsAttribute.ASYNC_EVENT_ALLOC_FD_HANDLE)));
    }

    private Methods() {
    }

    private static void add(int object, int method, Method entry) {
        ALL.put(object << METHOD_BITS | method, entry);
    }

    /**
     * Finds a method.
     *
     * @param object u16
     * @param method u16
     * @throws org.softrdma.verbs.VerbsException EPROTONOSUPPORT
     */
    static Method find(int object, int method) {
        Method found = ALL.get(object << METHOD_BITS | method);
        if (found == null) {
            throw Refusals.unknownMethod("object " + object + " has no method " + method);
        }
        return found;
    }

    private static void addDevice() {
        add(UverbsObject.DEVICE, UverbsMethod.INVOKE_WRITE, Method.of(LegacyCommands::invoke,
            inputFrom(UverbsAttribute.CORE_IN, Integer.BYTES).optional(), output(UverbsAttribute.CORE_OUT, 0).optional(),
            bits(UverbsAttribute.WRITE_CMD)));
        add(UverbsObject.DEVICE, UverbsMethod.INFO_HANDLES, Method.of(ContextMethods::listHandles,
            bits(UverbsAttribute.INFO_OBJECT_ID), output(UverbsAttribute.INFO_TOTAL_HANDLES, Integer.BYTES).optional(),
            output(UverbsAttribute.INFO_HANDLES_LIST, Integer.BYTES)));
        add(UverbsObject.DEVICE, UverbsMethod.QUERY_PORT, Method.of(DeviceMethods::queryPort,
            bits(UverbsAttribute.QUERY_PORT_PORT_NUM), output(UverbsAttribute.QUERY_PORT_RESP, QueryPortResponse.FLAGS_OFFSET)));
        add(UverbsObject.DEVICE, UverbsMethod.GET_CONTEXT, Method.of(ContextMethods::getContext,
            output(UverbsAttribute.GET_CONTEXT_NUM_COMP_VECTORS, Integer.BYTES).optional(),
            output(UverbsAttribute.GET_CONTEXT_CORE_SUPPORT, Long.BYTES).optional()));
        add(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT, Method.of(ContextMethods::queryContext,
            output(UverbsAttribute.QUERY_CONTEXT_NUM_COMP_VECTORS, Integer.BYTES).optional(),
            output(UverbsAttribute.QUERY_CONTEXT_CORE_SUPPORT, Long.BYTES).optional()));
        add(UverbsObject.DEVICE, UverbsMethod.QUERY_GID_TABLE, Method.of(DeviceMethods::queryGidTable,
            bits(UverbsAttribute.QUERY_GID_TABLE_ENTRY_SIZE), bits(UverbsAttribute.QUERY_GID_TABLE_FLAGS).optional(),
            output(UverbsAttribute.QUERY_GID_TABLE_RESP_ENTRIES, 0), output(UverbsAttribute.QUERY_GID_TABLE_RESP_NUM_ENTRIES, Long.BYTES)));
        add(UverbsObject.DEVICE, UverbsMethod.QUERY_GID_ENTRY, Method.of(DeviceMethods::queryGidEntry,
            bits(UverbsAttribute.QUERY_GID_ENTRY_PORT), bits(UverbsAttribute.QUERY_GID_ENTRY_GID_INDEX),
            bits(UverbsAttribute.QUERY_GID_ENTRY_FLAGS).optional(),
            output(UverbsAttribute.QUERY_GID_ENTRY_RESP_ENTRY, GidEntry.NETDEV_IFINDEX_OFFSET)));
    }

    private static void addMemory() {
        add(UverbsObject.MR, UverbsMethod.MR_DESTROY, Method.of(MrMethods::destroy, number(UverbsAttribute.DESTROY_MR_HANDLE)));
        add(UverbsObject.MR, UverbsMethod.ADVISE_MR, Method.of(MrMethods::advise,
            number(UverbsAttribute.ADVISE_MR_PD_HANDLE), bits(UverbsAttribute.ADVISE_MR_ADVICE),
            bits(UverbsAttribute.ADVISE_MR_FLAGS).optional(), inputFrom(UverbsAttribute.ADVISE_MR_SGE_LIST, MrMethods.ELEMENT_BYTES)));
        add(UverbsObject.MR, UverbsMethod.QUERY_MR, Method.of(MrMethods::query,
            number(UverbsAttribute.QUERY_MR_HANDLE), output(UverbsAttribute.QUERY_MR_RESP_LKEY, Integer.BYTES),
            output(UverbsAttribute.QUERY_MR_RESP_RKEY, Integer.BYTES), output(UverbsAttribute.QUERY_MR_RESP_LENGTH, Long.BYTES),
            output(UverbsAttribute.QUERY_MR_RESP_IOVA, Long.BYTES).optional()));
        add(UverbsObject.MW, UverbsMethod.MW_DESTROY, Method.of(MrMethods::destroyWindow, number(UverbsAttribute.DESTROY_MW_HANDLE)));
    }

    private static void addQueues() {
        add(UverbsObject.CQ, UverbsMethod.CQ_CREATE, Method.of(CqMethods::create,
            number(UverbsAttribute.CREATE_CQ_HANDLE), input(UverbsAttribute.CREATE_CQ_CQE, Integer.BYTES),
            input(UverbsAttribute.CREATE_CQ_USER_HANDLE, Long.BYTES), number(UverbsAttribute.CREATE_CQ_COMP_CHANNEL).optional(),
            input(UverbsAttribute.CREATE_CQ_COMP_VECTOR, Integer.BYTES), bits(UverbsAttribute.CREATE_CQ_FLAGS).optional(),
            output(UverbsAttribute.CREATE_CQ_RESP_CQE, Integer.BYTES), number(UverbsAttribute.CREATE_CQ_EVENT_FD).optional()));
        add(UverbsObject.CQ, UverbsMethod.CQ_DESTROY, Method.of(CqMethods::destroy,
            number(UverbsAttribute.DESTROY_CQ_HANDLE), output(UverbsAttribute.DESTROY_CQ_RESP, DestroyCqResponse.BYTES)));
        add(UverbsObject.QP, UverbsMethod.QP_CREATE, Method.of(QpMethods::create,
            number(UverbsAttribute.CREATE_QP_HANDLE), number(UverbsAttribute.CREATE_QP_XRCD_HANDLE).optional(),
            number(UverbsAttribute.CREATE_QP_PD_HANDLE).optional(), number(UverbsAttribute.CREATE_QP_SRQ_HANDLE).optional(),
            number(UverbsAttribute.CREATE_QP_SEND_CQ_HANDLE).optional(), number(UverbsAttribute.CREATE_QP_RECV_CQ_HANDLE).optional(),
            number(UverbsAttribute.CREATE_QP_IND_TABLE_HANDLE).optional(), input(UverbsAttribute.CREATE_QP_USER_HANDLE, Long.BYTES),
            inputFrom(UverbsAttribute.CREATE_QP_CAP, QpCapabilitiesRecord.BYTES), bits(UverbsAttribute.CREATE_QP_TYPE),
            bits(UverbsAttribute.CREATE_QP_FLAGS).optional(), input(UverbsAttribute.CREATE_QP_SOURCE_QPN, Integer.BYTES).optional(),
            number(UverbsAttribute.CREATE_QP_EVENT_FD).optional(), output(UverbsAttribute.CREATE_QP_RESP_CAP, QpCapabilitiesRecord.BYTES),
            output(UverbsAttribute.CREATE_QP_RESP_QP_NUM, Integer.BYTES)));
        add(UverbsObject.QP, UverbsMethod.QP_DESTROY, Method.of(QpMethods::destroy,
            number(UverbsAttribute.DESTROY_QP_HANDLE), output(UverbsAttribute.DESTROY_QP_RESP, DestroyResponse.BYTES)));
        add(UverbsObject.SRQ, UverbsMethod.SRQ_CREATE, Method.of(SrqMethods::create,
            number(UverbsAttribute.CREATE_SRQ_HANDLE), number(UverbsAttribute.CREATE_SRQ_PD_HANDLE),
            number(UverbsAttribute.CREATE_SRQ_XRCD_HANDLE).optional(), number(UverbsAttribute.CREATE_SRQ_CQ_HANDLE).optional(),
            input(UverbsAttribute.CREATE_SRQ_USER_HANDLE, Long.BYTES), input(UverbsAttribute.CREATE_SRQ_MAX_WR, Integer.BYTES),
            input(UverbsAttribute.CREATE_SRQ_MAX_SGE, Integer.BYTES), input(UverbsAttribute.CREATE_SRQ_LIMIT, Integer.BYTES),
            input(UverbsAttribute.CREATE_SRQ_MAX_NUM_TAGS, Integer.BYTES).optional(), bits(UverbsAttribute.CREATE_SRQ_TYPE),
            number(UverbsAttribute.CREATE_SRQ_EVENT_FD).optional(), output(UverbsAttribute.CREATE_SRQ_RESP_MAX_WR, Integer.BYTES),
            output(UverbsAttribute.CREATE_SRQ_RESP_MAX_SGE, Integer.BYTES),
            output(UverbsAttribute.CREATE_SRQ_RESP_SRQ_NUM, Integer.BYTES).optional()));
        add(UverbsObject.SRQ, UverbsMethod.SRQ_DESTROY, Method.of(SrqMethods::destroy,
            number(UverbsAttribute.DESTROY_SRQ_HANDLE), output(UverbsAttribute.DESTROY_SRQ_RESP, DestroyResponse.BYTES)));
    }
}
