// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.rings.RxeCompletion;
import org.softrdma.abi.rings.RxeElement;
import org.softrdma.abi.rings.RxeQueueHeader;
import org.softrdma.abi.rings.RxeRdmaRequest;
import org.softrdma.abi.rings.RxeReceiveRecord;
import org.softrdma.abi.rings.RxeSendRecord;
import org.softrdma.abi.uverbs.AllocPdResponse;
import org.softrdma.abi.uverbs.CreateCompChannelResponse;
import org.softrdma.abi.uverbs.DestroyCqResponse;
import org.softrdma.abi.uverbs.DestroyResponse;
import org.softrdma.abi.uverbs.MmapInfo;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.QpCapabilitiesRecord;
import org.softrdma.abi.uverbs.QpDestination;
import org.softrdma.abi.uverbs.QueryQpCommand;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.abi.uverbs.RegMrCommand;
import org.softrdma.abi.uverbs.RegMrResponse;
import org.softrdma.abi.uverbs.ReqNotifyCqCommand;
import org.softrdma.abi.uverbs.RxeQpResponse;
import org.softrdma.abi.uverbs.RxeSrqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.verbs.Gid;

/** Objects of a {@link FakeProgram}, made and used as libibverbs and librxe do. */
final class FakeObjects {
    static final int LOCAL_WRITE = 1;
    static final int ALL_REMOTE = 2 | 4 | 8;
    static final int RC = 2;
    /** Bits of ibv_qp_attr_mask for the steps of an RC queue pair, as libibverbs' examples use them. */
    static final int INIT_MASK = 0x39;
    static final int RTR_MASK = 0x129181;
    static final int RTS_MASK = 0x12e01;

    private final FakeProgram program;

    FakeObjects(FakeProgram program) {
        this.program = program;
    }

    int pd() {
        MemorySegment out = program.room(AllocPdResponse.BYTES);
        assertEquals(0, program.command(UverbsCommand.ALLOC_PD, program.room(8), out));
        return AllocPdResponse.pdHandle(out, 0);
    }

    int destroyPd(int handle) {
        return program.ioctl(UverbsObject.PD, UverbsMethod.PD_DESTROY).number(UverbsAttribute.DESTROY_PD_HANDLE, handle).run();
    }

    /** A region, with the keys that the program was given. */
    record Mr(int handle, int lkey, int rkey, long address) {
    }

    /** Runs REG_MR; the response has the handle and keys. */
    int register(int pd, long start, long length, long hcaVa, int access, MemorySegment out) {
        MemorySegment in = program.room(RegMrCommand.BYTES);
        RegMrCommand.start(in, 0, start);
        RegMrCommand.length(in, 0, length);
        RegMrCommand.hcaVa(in, 0, hcaVa);
        RegMrCommand.pdHandle(in, 0, pd);
        RegMrCommand.accessFlags(in, 0, access);
        return program.command(UverbsCommand.REG_MR, in, out);
    }

    Mr mr(int pd, MemorySegment memory, int access) {
        MemorySegment out = program.room(RegMrResponse.BYTES);
        assertEquals(0, register(pd, memory.address(), memory.byteSize(), memory.address(), access, out));
        return new Mr(RegMrResponse.mrHandle(out, 0), RegMrResponse.lkey(out, 0), RegMrResponse.rkey(out, 0), memory.address());
    }

    int deregister(Mr region) {
        return program.ioctl(UverbsObject.MR, UverbsMethod.MR_DESTROY).number(UverbsAttribute.DESTROY_MR_HANDLE, region.handle).run();
    }

    int channel() {
        MemorySegment out = program.room(CreateCompChannelResponse.BYTES);
        assertEquals(0, program.command(UverbsCommand.CREATE_COMP_CHANNEL, program.room(8), out));
        return CreateCompChannelResponse.fd(out, 0);
    }

    /** A ring as the program has mapped it. */
    record Ring(MemorySegment memory) {
        int mask() {
            return RxeQueueHeader.indexMask(memory, 0);
        }

        int log2Bytes() {
            return RxeQueueHeader.log2ElemSize(memory, 0);
        }

        long slot(int index) {
            return RxeQueueHeader.DATA_OFFSET + ((long) (index & mask()) << log2Bytes());
        }

        int producer() {
            return RxeQueueHeader.producerIndex(memory, 0);
        }

        int consumer() {
            return RxeQueueHeader.consumerIndex(memory, 0);
        }

        void publish() {
            RxeQueueHeader.producerIndex(memory, 0, producer() + 1 & mask());
        }
    }

    Ring ring(MemorySegment answer, long at) {
        return new Ring(program.file.shared().map(MmapInfo.offset(answer, at), MmapInfo.size(answer, at), program.arena));
    }

    /** A completion queue. */
    final class Cq {
        final int handle;
        final int cqe;
        final long userHandle;
        Ring ring;

        private Cq(int handle, int cqe, long userHandle, Ring ring) {
            this.handle = handle;
            this.cqe = cqe;
            this.userHandle = userHandle;
            this.ring = ring;
        }

        /** Takes a completion: work request, status, opcode, bytes; null if there is none. */
        long[] poll() {
            int at = ring.consumer();
            if (at == ring.producer()) {
                return null;
            }
            MemorySegment m = ring.memory();
            long slot = ring.slot(at);
            long[] taken = {RxeCompletion.wrId(m, slot), RxeCompletion.status(m, slot), RxeCompletion.opcode(m, slot),
                RxeCompletion.byteLen(m, slot), RxeCompletion.qpNum(m, slot)};
            RxeQueueHeader.consumerIndex(m, 0, at + 1 & ring.mask());
            return taken;
        }

        List<long[]> await(int count) {
            List<long[]> all = new ArrayList<>();
            long end = System.nanoTime() + 10_000_000_000L;
            while (all.size() < count) {
                long[] next = poll();
                if (next != null) {
                    all.add(next);
                } else if (System.nanoTime() - end > 0) {
                    throw new AssertionError(all.size() + " of " + count + " completions");
                } else {
                    Thread.onSpinWait();
                }
            }
            return all;
        }

        int arm(boolean solicitedOnly) {
            MemorySegment in = program.room(ReqNotifyCqCommand.BYTES);
            ReqNotifyCqCommand.cqHandle(in, 0, handle);
            ReqNotifyCqCommand.solicitedOnly(in, 0, solicitedOnly ? 1 : 0);
            return program.command(UverbsCommand.REQ_NOTIFY_CQ, in, null);
        }

        /** Destroys the queue: numbers of completion and asynchronous events that the program has read. */
        int[] destroy() {
            MemorySegment out = program.room(DestroyCqResponse.BYTES);
            assertEquals(0, tryDestroy(out));
            return new int[] {DestroyCqResponse.compEventsReported(out, 0), DestroyCqResponse.asyncEventsReported(out, 0)};
        }

        int tryDestroy(MemorySegment out) {
            return program.ioctl(UverbsObject.CQ, UverbsMethod.CQ_DESTROY).number(UverbsAttribute.DESTROY_CQ_HANDLE, handle)
                .output(UverbsAttribute.DESTROY_CQ_RESP, out).run();
        }
    }

    FakeProgram.Ioctl createCq(long cqe, long userHandle, int channel, int vector, MemorySegment outCqe, MemorySegment hardware) {
        FakeProgram.Ioctl call = program.ioctl(UverbsObject.CQ, UverbsMethod.CQ_CREATE).number(UverbsAttribute.CREATE_CQ_HANDLE, 0)
            .value(UverbsAttribute.CREATE_CQ_CQE, cqe, 4).value(UverbsAttribute.CREATE_CQ_USER_HANDLE, userHandle, 8)
            .value(UverbsAttribute.CREATE_CQ_COMP_VECTOR, vector, 4).output(UverbsAttribute.CREATE_CQ_RESP_CQE, outCqe)
            .output(UverbsAttribute.UHW_OUT, hardware);
        return channel < 0 ? call : call.number(UverbsAttribute.CREATE_CQ_COMP_CHANNEL, channel);
    }

    Cq cq(int cqe, long userHandle, int channel) {
        MemorySegment outCqe = program.room(4);
        MemorySegment hardware = program.room(MmapInfo.BYTES);
        FakeProgram.Ioctl call = createCq(cqe, userHandle, channel, 0, outCqe, hardware);
        assertEquals(0, call.run());
        return new Cq((int) call.number(UverbsAttribute.CREATE_CQ_HANDLE), outCqe.get(AbiLayout.U32, 0), userHandle,
            ring(hardware, 0));
    }

    /** A shared receive queue. */
    record Srq(int handle, long userHandle, int number, Ring ring) {
    }

    FakeProgram.Ioctl createSrq(int pd, long maxWr, long maxSge, long limit, long userHandle, MemorySegment hardware) {
        return program.ioctl(UverbsObject.SRQ, UverbsMethod.SRQ_CREATE).number(UverbsAttribute.CREATE_SRQ_HANDLE, 0)
            .number(UverbsAttribute.CREATE_SRQ_PD_HANDLE, pd).value(UverbsAttribute.CREATE_SRQ_USER_HANDLE, userHandle, 8)
            .value(UverbsAttribute.CREATE_SRQ_MAX_WR, maxWr, 4).value(UverbsAttribute.CREATE_SRQ_MAX_SGE, maxSge, 4)
            .value(UverbsAttribute.CREATE_SRQ_LIMIT, limit, 4).value(UverbsAttribute.CREATE_SRQ_TYPE, 0, 8)
            .outputs(UverbsAttribute.CREATE_SRQ_RESP_MAX_WR, 4).outputs(UverbsAttribute.CREATE_SRQ_RESP_MAX_SGE, 4)
            .outputs(UverbsAttribute.CREATE_SRQ_RESP_SRQ_NUM, 4).output(UverbsAttribute.UHW_OUT, hardware);
    }

    Srq srq(int pd, int maxWr, int limit, long userHandle) {
        MemorySegment hardware = program.room(RxeSrqResponse.BYTES);
        FakeProgram.Ioctl call = createSrq(pd, maxWr, 1, limit, userHandle, hardware);
        assertEquals(0, call.run());
        return new Srq((int) call.number(UverbsAttribute.CREATE_SRQ_HANDLE), userHandle, RxeSrqResponse.srqNum(hardware, 0),
            ring(hardware, RxeSrqResponse.QUEUE_OFFSET));
    }

    /** Destroys a shared receive queue: number of events that the program has read. */
    int destroy(Srq srq) {
        MemorySegment out = program.room(DestroyResponse.BYTES);
        assertEquals(0, program.ioctl(UverbsObject.SRQ, UverbsMethod.SRQ_DESTROY).number(UverbsAttribute.DESTROY_SRQ_HANDLE, srq.handle)
            .output(UverbsAttribute.DESTROY_SRQ_RESP, out).run());
        return DestroyResponse.eventsReported(out, 0);
    }

    static void postReceive(Ring ring, long wrId, Mr mr, long offset, int length) {
        MemorySegment m = ring.memory();
        long at = ring.slot(ring.producer());
        RxeReceiveRecord.wrId(m, at, wrId);
        RxeReceiveRecord.numSge(m, at, 1);
        RxeReceiveRecord.length(m, at, length);
        element(m, at + RxeReceiveRecord.SGE_OFFSET, mr, offset, length);
        ring.publish();
    }

    private static void element(MemorySegment m, long at, Mr mr, long offset, int length) {
        RxeElement.addr(m, at, mr.address + offset);
        RxeElement.length(m, at, length);
        RxeElement.lkey(m, at, mr.lkey);
    }

    /** A queue pair. */
    final class Qp {
        final int handle;
        final int number;
        final MemorySegment caps;
        final Ring sends;
        final Ring receives;

        private Qp(int handle, int number, MemorySegment caps, Ring sends, Ring receives) {
            this.handle = handle;
            this.number = number;
            this.caps = caps;
            this.sends = sends;
            this.receives = receives;
        }

        int destroy(MemorySegment out) {
            return program.ioctl(UverbsObject.QP, UverbsMethod.QP_DESTROY).number(UverbsAttribute.DESTROY_QP_HANDLE, handle)
                .output(UverbsAttribute.DESTROY_QP_RESP, out).run();
        }

        /** Destroys the queue pair: number of events that the program has read. */
        int destroy() {
            MemorySegment out = program.room(DestroyResponse.BYTES);
            assertEquals(0, destroy(out));
            return DestroyResponse.eventsReported(out, 0);
        }

        MemorySegment change(int state, int mask) {
            MemorySegment in = program.room(ModifyQpCommand.BYTES);
            ModifyQpCommand.qpHandle(in, 0, handle);
            ModifyQpCommand.qpState(in, 0, state);
            ModifyQpCommand.attrMask(in, 0, mask);
            return in;
        }

        int modify(MemorySegment in) {
            return program.command(UverbsCommand.MODIFY_QP, in, null);
        }

        int init() {
            MemorySegment in = change(1, INIT_MASK);
            ModifyQpCommand.portNum(in, 0, 1);
            ModifyQpCommand.qpAccessFlags(in, 0, ALL_REMOTE);
            return modify(in);
        }

        void connect(int peer, Gid to, int sgidIndex) {
            assertEquals(0, init());
            MemorySegment in = change(2, RTR_MASK);
            ModifyQpCommand.pathMtu(in, 0, 3);
            ModifyQpCommand.destQpNum(in, 0, peer);
            ModifyQpCommand.maxDestRdAtomic(in, 0, 1);
            ModifyQpCommand.minRnrTimer(in, 0, 12);
            long at = ModifyQpCommand.DEST_OFFSET;
            GidBytes.write(in, at + QpDestination.DGID_OFFSET, to);
            QpDestination.sgidIndex(in, at, sgidIndex);
            QpDestination.hopLimit(in, at, 64);
            QpDestination.isGlobal(in, at, 1);
            QpDestination.portNum(in, at, 1);
            assertEquals(0, modify(in));
            in = change(3, RTS_MASK);
            ModifyQpCommand.timeout(in, 0, 14);
            ModifyQpCommand.retryCnt(in, 0, 7);
            ModifyQpCommand.rnrRetry(in, 0, 7);
            ModifyQpCommand.maxRdAtomic(in, 0, 1);
            assertEquals(0, modify(in));
        }

        MemorySegment query() {
            MemorySegment in = program.room(QueryQpCommand.BYTES);
            QueryQpCommand.qpHandle(in, 0, handle);
            QueryQpCommand.attrMask(in, 0, -1);
            MemorySegment out = program.room(QueryQpResponse.BYTES);
            assertEquals(0, program.command(UverbsCommand.QUERY_QP, in, out));
            return out;
        }

        /** Posts a signaled request and rings. */
        void post(int opcode, int flags, long wrId, Mr from, int length, long remote, int rkey) {
            MemorySegment m = sends.memory();
            long at = sends.slot(sends.producer());
            m.asSlice(at, 1L << sends.log2Bytes()).fill((byte) 0);
            RxeSendRecord.wrId(m, at, wrId);
            RxeSendRecord.opcode(m, at, opcode);
            RxeSendRecord.sendFlags(m, at, flags);
            RxeRdmaRequest.remoteAddr(m, at, remote);
            RxeRdmaRequest.rkey(m, at, rkey);
            RxeSendRecord.numSge(m, at, 1);
            RxeSendRecord.length(m, at, length);
            element(m, at + RxeSendRecord.SGE_OFFSET, from, 0, length);
            sends.publish();
            program.ring();
        }
    }

    static MemorySegment caps(FakeProgram program, int sendWr, int recvWr, int sge, int inline) {
        MemorySegment caps = program.room(QpCapabilitiesRecord.BYTES);
        QpCapabilitiesRecord.maxSendWr(caps, 0, sendWr);
        QpCapabilitiesRecord.maxRecvWr(caps, 0, recvWr);
        QpCapabilitiesRecord.maxSendSge(caps, 0, sge);
        QpCapabilitiesRecord.maxRecvSge(caps, 0, sge);
        QpCapabilitiesRecord.maxInlineData(caps, 0, inline);
        return caps;
    }

    FakeProgram.Ioctl createQp(int pd, Cq cq, Srq srq, int type, MemorySegment caps, long userHandle, MemorySegment[] out) {
        FakeProgram.Ioctl call = program.ioctl(UverbsObject.QP, UverbsMethod.QP_CREATE).number(UverbsAttribute.CREATE_QP_HANDLE, 0)
            .number(UverbsAttribute.CREATE_QP_PD_HANDLE, pd).number(UverbsAttribute.CREATE_QP_SEND_CQ_HANDLE, cq.handle)
            .number(UverbsAttribute.CREATE_QP_RECV_CQ_HANDLE, cq.handle).value(UverbsAttribute.CREATE_QP_USER_HANDLE, userHandle, 8)
            .input(UverbsAttribute.CREATE_QP_CAP, caps).value(UverbsAttribute.CREATE_QP_TYPE, type, 8)
            .value(UverbsAttribute.CREATE_QP_FLAGS, 0, 8).output(UverbsAttribute.CREATE_QP_RESP_CAP, out[0])
            .output(UverbsAttribute.CREATE_QP_RESP_QP_NUM, out[1]).output(UverbsAttribute.UHW_OUT, out[2]);
        return srq == null ? call : call.number(UverbsAttribute.CREATE_QP_SRQ_HANDLE, srq.handle);
    }

    MemorySegment[] answers() {
        return new MemorySegment[] {program.room(QpCapabilitiesRecord.BYTES), program.room(4), program.room(RxeQpResponse.BYTES)};
    }

    Qp qp(int pd, Cq cq, Srq srq, int type, long userHandle) {
        MemorySegment[] out = answers();
        FakeProgram.Ioctl call = createQp(pd, cq, srq, type, caps(program, 4, 4, 1, 0), userHandle, out);
        assertEquals(0, call.run());
        return new Qp((int) call.number(UverbsAttribute.CREATE_QP_HANDLE), out[1].get(AbiLayout.U32, 0), out[0],
            ring(out[2], RxeQpResponse.SEND_QUEUE_OFFSET), srq == null ? ring(out[2], RxeQpResponse.RECEIVE_QUEUE_OFFSET) : null);
    }
}
