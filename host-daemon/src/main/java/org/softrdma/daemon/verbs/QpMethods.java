// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.DestroyResponse;
import org.softrdma.abi.uverbs.ExtendedModifyQpCommand;
import org.softrdma.abi.uverbs.ExtendedModifyQpResponse;
import org.softrdma.abi.uverbs.McastCommand;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.QpCapabilitiesRecord;
import org.softrdma.abi.uverbs.QueryQpCommand;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsValue;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpType;

/** Methods and commands of queue pairs. */
final class QpMethods {
    private QpMethods() {
    }

    static void create(UverbsFile file, UverbsCall call) {
        file.requireContext();
        HeldQp.Parts parts = parts(file, call);
        EventCookie cookie = new EventCookie(call.value(UverbsAttribute.CREATE_QP_USER_HANDLE),
            file.asyncFile(call, UverbsAttribute.CREATE_QP_EVENT_FD));
        file.handles().requireRoom();
        HeldQp made = new HeldQp(file, parts, cookie);
        file.admit(made, () -> {
            file.driver().qpCreated(call, made);
            MemorySegment room = call.room();
            write(room, made.granted());
            call.reply(UverbsAttribute.CREATE_QP_RESP_CAP, room, QpCapabilitiesRecord.BYTES);
            call.reply(UverbsAttribute.CREATE_QP_RESP_QP_NUM, made.qp().qpNum());
            call.replyNumber(UverbsAttribute.CREATE_QP_HANDLE, made.handle());
        });
    }

    private static HeldQp.Parts parts(UverbsFile file, UverbsCall call) {
        long number = call.value(UverbsAttribute.CREATE_QP_TYPE);
        QpType type = number < 0 || number > Byte.MAX_VALUE ? null : QpType.of((int) number);
        if (type == null || !file.driver().hasType(type)) {
            throw Refusals.unsupported("queue pairs of type " + number);
        }
        long flags = call.value(UverbsAttribute.CREATE_QP_FLAGS);
        if ((flags & ~UverbsValue.QP_SQ_SIG_ALL) != 0) {
            throw Refusals.invalid("flags 0x" + Long.toHexString(flags));
        }
        if (call.has(UverbsAttribute.CREATE_QP_XRCD_HANDLE) || call.has(UverbsAttribute.CREATE_QP_IND_TABLE_HANDLE)
            || call.has(UverbsAttribute.CREATE_QP_SOURCE_QPN) || !call.has(UverbsAttribute.CREATE_QP_PD_HANDLE)
            || !call.has(UverbsAttribute.CREATE_QP_SEND_CQ_HANDLE) || !call.has(UverbsAttribute.CREATE_QP_RECV_CQ_HANDLE)) {
            throw Refusals.invalid("objects that do not belong to type " + type);
        }
        HeldSrq srq = call.has(UverbsAttribute.CREATE_QP_SRQ_HANDLE)
            ? file.object(call.number(UverbsAttribute.CREATE_QP_SRQ_HANDLE), HeldSrq.class) : null;
        return new HeldQp.Parts(type, file.object(call.number(UverbsAttribute.CREATE_QP_PD_HANDLE), HeldPd.class),
            file.object(call.number(UverbsAttribute.CREATE_QP_SEND_CQ_HANDLE), HeldCq.class),
            file.object(call.number(UverbsAttribute.CREATE_QP_RECV_CQ_HANDLE), HeldCq.class), srq, grant(file, call, srq != null),
            (flags & UverbsValue.QP_SQ_SIG_ALL) != 0);
    }

    /** Sizes of a receive queue mean nothing with a shared one. */
    private static QpCapabilities grant(UverbsFile file, UverbsCall call, boolean shared) {
        MemorySegment in = call.input(UverbsAttribute.CREATE_QP_CAP);
        QpCapabilities most = DeviceCapabilities.limits(file);
        int recvWr = shared ? 0 : limited("max_recv_wr", QpCapabilitiesRecord.maxRecvWr(in, 0), most.maxRecvWr());
        int recvSge = shared ? 0 : limited("max_recv_sge", QpCapabilitiesRecord.maxRecvSge(in, 0), most.maxRecvSge());
        return file.driver().rings().grant(new QpCapabilities(
            limited("max_send_wr", QpCapabilitiesRecord.maxSendWr(in, 0), most.maxSendWr()), recvWr,
            limited("max_send_sge", QpCapabilitiesRecord.maxSendSge(in, 0), most.maxSendSge()), recvSge,
            limited("max_inline_data", QpCapabilitiesRecord.maxInlineData(in, 0), most.maxInlineData())));
    }

    private static int limited(String what, int asked, int max) {
        if (Integer.compareUnsigned(asked, max) > 0) {
            throw Refusals.invalid(what + ' ' + Integer.toUnsignedString(asked) + " is not in 0.." + max);
        }
        return asked;
    }

    private static void write(MemorySegment room, QpCapabilities granted) {
        QpCapabilitiesRecord.maxSendWr(room, 0, granted.maxSendWr());
        QpCapabilitiesRecord.maxRecvWr(room, 0, granted.maxRecvWr());
        QpCapabilitiesRecord.maxSendSge(room, 0, granted.maxSendSge());
        QpCapabilitiesRecord.maxRecvSge(room, 0, granted.maxRecvSge());
        QpCapabilitiesRecord.maxInlineData(room, 0, granted.maxInlineData());
    }

    static void destroy(UverbsFile file, UverbsCall call) {
        HeldQp qp = file.object(call.number(UverbsAttribute.DESTROY_QP_HANDLE), HeldQp.class);
        file.destroy(qp);
        MemorySegment room = call.room();
        DestroyResponse.eventsReported(room, 0, qp.settleAsync());
        call.reply(UverbsAttribute.DESTROY_QP_RESP, room, DestroyResponse.BYTES);
    }

    static void modify(UverbsFile file, LegacyCall call) {
        modify(file, call.input(), ModifyQpTranslation.STANDARD);
    }

    /** The extended command's only further attribute is a rate limit, which neither driver has. */
    static void modifyExtended(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        modify(file, in.asSlice(ExtendedModifyQpCommand.BASE_OFFSET), ModifyQpTranslation.STANDARD);
        MemorySegment room = call.room();
        ExtendedModifyQpResponse.responseLength(room, 0, Math.min(call.responseRoom(), ExtendedModifyQpResponse.BYTES));
        call.reply(room, ExtendedModifyQpResponse.BYTES);
    }

    private static void modify(UverbsFile file, MemorySegment in, int allowed) {
        HeldQp qp = file.legacyObject(ModifyQpCommand.qpHandle(in, 0), HeldQp.class);
        if ((ModifyQpCommand.attrMask(in, 0) & ~allowed) != 0) {
            throw Refusals.unsupported("mask 0x" + Integer.toHexString(ModifyQpCommand.attrMask(in, 0)));
        }
        qp.modify(ModifyQpTranslation.of(in, file.driver().ignoredAttributes()));
    }

    static void query(UverbsFile file, LegacyCall call) {
        HeldQp qp = file.legacyObject(QueryQpCommand.qpHandle(call.input(), 0), HeldQp.class);
        MemorySegment room = call.room();
        QueryQpTranslation.write(room, qp);
        call.reply(room, QueryQpResponse.BYTES);
    }

    static void attach(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        file.legacyObject(McastCommand.qpHandle(in, 0), HeldQp.class).attach(group(in));
    }

    static void detach(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        file.legacyObject(McastCommand.qpHandle(in, 0), HeldQp.class).detach(group(in));
    }

    private static Gid group(MemorySegment in) {
        return GidBytes.read(in, McastCommand.GID_OFFSET);
    }
}
