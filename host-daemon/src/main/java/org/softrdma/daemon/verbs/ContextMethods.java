// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.abi.uverbs.UverbsValue;

/** Methods of contexts, and their files of asynchronous events. */
final class ContextMethods {
    private ContextMethods() {
    }

    static void getContext(UverbsFile file, UverbsCall call) {
        file.beginContext();
        queryContext(file, call);
    }

    /** The numbers of the two methods' attributes are the same. */
    static void queryContext(UverbsFile file, UverbsCall call) {
        file.requireContext();
        call.reply(UverbsAttribute.GET_CONTEXT_NUM_COMP_VECTORS, file.context().queryDevice().numCompVectors());
        call.reply(UverbsAttribute.GET_CONTEXT_CORE_SUPPORT, (long) UverbsValue.CORE_SUPPORT_OPTIONAL_MR_ACCESS);
        file.driver().contextCreated(call, file.device().index());
    }

    static void allocateAsyncEvents(UverbsFile file, UverbsCall call) {
        file.requireContext();
        AsyncEventFile events = new AsyncEventFile(file);
        int descriptor = file.give(call, events);
        file.useForEvents(events);
        call.replyNumber(UverbsAttribute.ASYNC_EVENT_ALLOC_FD_HANDLE, descriptor);
    }

    /** Lists as many handles of a kind as the program has room for. */
    static void listHandles(UverbsFile file, UverbsCall call) {
        file.requireContext();
        HeldObject.Kind kind = kind((int) call.value(UverbsAttribute.INFO_OBJECT_ID));
        List<HeldObject> all = file.handles().all(kind);
        int room = Math.min(call.length(UverbsAttribute.INFO_HANDLES_LIST), UverbsCall.MAX_OUTPUT) / Integer.BYTES;
        int count = Math.min(all.size(), room);
        MemorySegment list = call.room();
        for (int i = 0; i < count; i++) {
            list.setAtIndex(AbiLayout.U32, i, all.get(i).handle());
        }
        call.reply(UverbsAttribute.INFO_HANDLES_LIST, list, count * Integer.BYTES);
        call.reply(UverbsAttribute.INFO_TOTAL_HANDLES, count);
    }

    private static HeldObject.Kind kind(int object) {
        return switch (object) {
            case UverbsObject.PD -> HeldObject.Kind.PD;
            case UverbsObject.CQ -> HeldObject.Kind.CQ;
            case UverbsObject.QP -> HeldObject.Kind.QP;
            case UverbsObject.SRQ -> HeldObject.Kind.SRQ;
            case UverbsObject.AH -> HeldObject.Kind.AH;
            case UverbsObject.MR -> HeldObject.Kind.MR;
            case UverbsObject.MW -> HeldObject.Kind.MW;
            default -> throw Refusals.invalid("object " + object + " has no handles here");
        };
    }
}
