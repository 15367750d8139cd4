// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.CreateCompChannelResponse;
import org.softrdma.abi.uverbs.DestroyCqResponse;
import org.softrdma.abi.uverbs.ReqNotifyCqCommand;
import org.softrdma.abi.uverbs.ResizeCqCommand;
import org.softrdma.abi.uverbs.ResizeCqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.verbs.DeviceAttributes;

/** Methods and commands of completion queues and channels. */
final class CqMethods {
    private CqMethods() {
    }

    static void create(UverbsFile file, UverbsCall call) {
        file.requireContext();
        int cqe = count(file, call.value(UverbsAttribute.CREATE_CQ_CQE));
        int vector = call.count(UverbsAttribute.CREATE_CQ_COMP_VECTOR);
        if (vector >= file.context().queryDevice().numCompVectors()) {
            throw Refusals.invalid("comp_vector " + vector);
        }
        if (call.value(UverbsAttribute.CREATE_CQ_FLAGS) != 0) {
            throw Refusals.unsupported("flags of a completion queue");
        }
        CompletionChannelFile channel = call.has(UverbsAttribute.CREATE_CQ_COMP_CHANNEL)
            ? file.eventFile(call, call.number(UverbsAttribute.CREATE_CQ_COMP_CHANNEL), CompletionChannelFile.class) : null;
        EventCookie cookie = new EventCookie(call.value(UverbsAttribute.CREATE_CQ_USER_HANDLE),
            file.asyncFile(call, UverbsAttribute.CREATE_CQ_EVENT_FD));
        file.handles().requireRoom();
        HeldCq made = new HeldCq(file, cqe, vector, channel, cookie);
        file.admit(made, () -> {
            file.driver().cqCreated(call, made);
            call.reply(UverbsAttribute.CREATE_CQ_RESP_CQE, made.ring().capacity());
            call.replyNumber(UverbsAttribute.CREATE_CQ_HANDLE, made.handle());
        });
    }

    private static int count(UverbsFile file, long cqe) {
        DeviceAttributes limits = file.context().queryDevice();
        if (cqe < 1 || cqe > limits.maxCqe()) {
            throw Refusals.invalid("cqe " + cqe + " is not in 1.." + limits.maxCqe());
        }
        return (int) cqe;
    }

    static void destroy(UverbsFile file, UverbsCall call) {
        HeldCq cq = file.object(call.number(UverbsAttribute.DESTROY_CQ_HANDLE), HeldCq.class);
        file.destroy(cq);
        MemorySegment room = call.room();
        DestroyCqResponse.compEventsReported(room, 0, cq.settleCompletions());
        DestroyCqResponse.asyncEventsReported(room, 0, cq.settleAsync());
        call.reply(UverbsAttribute.DESTROY_CQ_RESP, room, DestroyCqResponse.BYTES);
    }

    static void resize(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        HeldCq cq = file.legacyObject(ResizeCqCommand.cqHandle(in, 0), HeldCq.class);
        cq.resize(count(file, Integer.toUnsignedLong(ResizeCqCommand.cqe(in, 0))));
        file.driver().cqResized(call.whole(), cq);
        MemorySegment room = call.room();
        ResizeCqResponse.cqe(room, 0, cq.ring().capacity());
        call.reply(room, ResizeCqResponse.BYTES);
    }

    static void requestNotify(UverbsFile file, LegacyCall call) {
        MemorySegment in = call.input();
        file.legacyObject(ReqNotifyCqCommand.cqHandle(in, 0), HeldCq.class).arm(ReqNotifyCqCommand.solicitedOnly(in, 0) != 0);
    }

    static void createChannel(UverbsFile file, LegacyCall call) {
        int descriptor = file.give(call.whole(), new CompletionChannelFile(file));
        MemorySegment room = call.room();
        CreateCompChannelResponse.fd(room, 0, descriptor);
        call.reply(room, CreateCompChannelResponse.BYTES);
    }
}
