// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.DestroyResponse;
import org.softrdma.abi.uverbs.ModifySrqCommand;
import org.softrdma.abi.uverbs.QuerySrqCommand;
import org.softrdma.abi.uverbs.QuerySrqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;

/** Methods and commands of shared receive queues. */
final class SrqMethods {
    /** {@code enum ib_uverbs_srq_type}: neither for XRC nor for tag matching. */
    private static final int BASIC = 0;
    /** Bits of {@code enum ibv_srq_attr_mask}. */
    private static final int MAX_WR = 1;
    private static final int LIMIT = 1 << 1;

    private SrqMethods() {
    }

    static void create(UverbsFile file, UverbsCall call) {
        HeldPd pd = file.object(call.number(UverbsAttribute.CREATE_SRQ_PD_HANDLE), HeldPd.class);
        if (call.value(UverbsAttribute.CREATE_SRQ_TYPE) != BASIC) {
            throw Refusals.unsupported("type " + call.value(UverbsAttribute.CREATE_SRQ_TYPE) + " of a shared receive queue");
        }
        int maxWr = call.count(UverbsAttribute.CREATE_SRQ_MAX_WR);
        int maxSge = call.count(UverbsAttribute.CREATE_SRQ_MAX_SGE);
        int limit = call.count(UverbsAttribute.CREATE_SRQ_LIMIT);
        if (maxWr < 1 || maxWr > DeviceCapabilities.maxSrqWr(file) || maxSge > DeviceCapabilities.maxSrqSge(file) || limit > maxWr) {
            throw Refusals.invalid("max_wr " + maxWr + ", max_sge " + maxSge + ", limit " + limit);
        }
        EventCookie cookie = new EventCookie(call.value(UverbsAttribute.CREATE_SRQ_USER_HANDLE),
            file.asyncFile(call, UverbsAttribute.CREATE_SRQ_EVENT_FD));
        file.handles().requireRoom();
        HeldSrq made = new HeldSrq(file, pd, maxWr, maxSge, limit, cookie);
        file.admit(made, () -> {
            file.driver().srqCreated(call, made);
            call.reply(UverbsAttribute.CREATE_SRQ_RESP_MAX_WR, made.maxWr());
            call.reply(UverbsAttribute.CREATE_SRQ_RESP_MAX_SGE, made.maxSge());
            call.reply(UverbsAttribute.CREATE_SRQ_RESP_SRQ_NUM, made.queue().number());
            call.replyNumber(UverbsAttribute.CREATE_SRQ_HANDLE, made.handle());
        });
    }

    static void destroy(UverbsFile file, UverbsCall call) {
        HeldSrq srq = file.object(call.number(UverbsAttribute.DESTROY_SRQ_HANDLE), HeldSrq.class);
        file.destroy(srq);
        MemorySegment room = call.room();
        DestroyResponse.eventsReported(room, 0, srq.settleAsync());
        call.reply(UverbsAttribute.DESTROY_SRQ_RESP, room, DestroyResponse.BYTES);
    }

    static void modify(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        HeldSrq srq = file.legacyObject(ModifySrqCommand.srqHandle(in, 0), HeldSrq.class);
        int mask = ModifySrqCommand.attrMask(in, 0);
        if ((mask & ~(MAX_WR | LIMIT)) != 0) {
            throw Refusals.invalid("mask 0x" + Integer.toHexString(mask));
        }
        if ((mask & MAX_WR) != 0) {
            throw Refusals.unsupported("a shared receive queue cannot be resized");
        }
        if ((mask & LIMIT) != 0) {
            int limit = ModifySrqCommand.srqLimit(in, 0);
            if (limit < 0 || limit > srq.maxWr()) {
                throw Refusals.invalid("limit " + Integer.toUnsignedString(limit));
            }
            srq.queue().modifyLimit(limit);
        }
    }

    static void query(UverbsFile file, LegacyCall call) {
        HeldSrq srq = file.legacyObject(QuerySrqCommand.srqHandle(call.input(), 0), HeldSrq.class);
        MemorySegment room = call.room();
        QuerySrqResponse.maxWr(room, 0, srq.maxWr());
        QuerySrqResponse.maxSge(room, 0, srq.maxSge());
        QuerySrqResponse.srqLimit(room, 0, srq.queue().query().limit());
        call.reply(room, QuerySrqResponse.BYTES);
    }
}
