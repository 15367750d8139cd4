// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.AllocMwCommand;
import org.softrdma.abi.uverbs.AllocMwResponse;
import org.softrdma.abi.uverbs.CreateAhCommand;
import org.softrdma.abi.uverbs.CreateAhResponse;
import org.softrdma.abi.uverbs.McastCommand;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.ModifySrqCommand;
import org.softrdma.abi.uverbs.QueryQpCommand;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.abi.uverbs.QuerySrqCommand;
import org.softrdma.abi.uverbs.RegMrResponse;
import org.softrdma.abi.uverbs.ReqNotifyCqCommand;
import org.softrdma.abi.uverbs.ResizeCqCommand;
import org.softrdma.abi.uverbs.RxeAhResponse;
import org.softrdma.abi.uverbs.RxeSrqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.verbs.Gid;

/** Calls of a stranger that name handles of another program, and work requests with its keys: all are refused and change nothing. */
final class ForeignHandlesTest extends LoopbackPrograms {
    private static final int RDMA_WRITE = 0;
    private static final int SEND = 2;
    private static final int RDMA_READ = 4;
    private static final int SIGNALED = 2;
    private static final int LOC_PROT_ERR = 4;
    private static final int REM_ACCESS_ERR = 10;
    private static final int RTS = 3;
    private static final int ERR = 6;
    private static final int STATE = 1;
    private static final int PAGE = 4096;
    private static final byte SECRET = 0x5e;

    private final FakeProgram stranger = opened();
    private final FakeObjects strangers = new FakeObjects(stranger);
    private int ownPd;
    private FakeObjects.Cq ownCq;
    private int pd;
    private FakeObjects.Cq cq;
    private FakeObjects.Srq srq;
    private FakeObjects.Mr mr;
    private MemorySegment memory;
    private FakeObjects.Qp[] pair;
    private int datagrams;
    private int window;
    private int addressHandle;

    /** The stranger's own objects have the lowest handles, which the other program uses for nothing that is named here. */
    @BeforeEach
    void createObjects() {
        ownPd = strangers.pd();
        ownCq = strangers.cq(8, 1, -1);
        for (int i = 0; i < 8; i++) {
            objects.pd();
        }
        pd = objects.pd();
        cq = objects.cq(8, 1, -1);
        srq = objects.srq(pd, 4, 0, 2);
        memory = program.room(PAGE);
        memory.fill(SECRET);
        mr = objects.mr(pd, memory, FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        pair = pair(pd, cq, null);
        datagrams = objects.qp(pd, cq, srq, 4, 9).handle;
        MemorySegment out = program.room(AllocMwResponse.BYTES);
        assertEquals(0, allocateWindow(program, pd, out));
        window = AllocMwResponse.mwHandle(out, 0);
        MemorySegment handle = program.room(CreateAhResponse.BYTES);
        assertEquals(0, createAh(program, pd, handle));
        addressHandle = CreateAhResponse.ahHandle(handle, 0);
    }

    private static int allocateWindow(FakeProgram by, int domain, MemorySegment out) {
        MemorySegment in = by.room(AllocMwCommand.BYTES);
        AllocMwCommand.pdHandle(in, 0, domain);
        AllocMwCommand.mwType(in, 0, 2);
        return by.command(UverbsCommand.ALLOC_MW, in, out);
    }

    private static int createAh(FakeProgram by, int domain, MemorySegment out) {
        MemorySegment in = by.room(CreateAhCommand.BYTES);
        CreateAhCommand.pdHandle(in, 0, domain);
        long at = CreateAhCommand.ATTR_OFFSET;
        GidBytes.write(in, at, gid(by));
        AhAttributes.sgidIndex(in, at, entry(by).index());
        AhAttributes.portNum(in, at, 1);
        AhAttributes.isGlobal(in, at, 1);
        return by.legacy(UverbsCommand.CREATE_AH, in, out).outputs(UverbsAttribute.UHW_OUT, RxeAhResponse.BYTES).run();
    }

    private int named(int command, int bytes, int offset, int handle, int outBytes) {
        MemorySegment in = stranger.room(bytes);
        in.set(AbiLayout.U32, offset, handle);
        return stranger.command(command, in, outBytes == 0 ? null : stranger.room(outBytes));
    }

    private int destroy(int object, int method, int attribute, int handle, int response, int bytes) {
        FakeProgram.Ioctl call = stranger.ioctl(object, method).number(attribute, handle);
        return (bytes == 0 ? call : call.outputs(response, bytes)).run();
    }

    private Map<String, IntSupplier> calls() {
        Map<String, IntSupplier> calls = new LinkedHashMap<>();
        calls.put("destroy_pd", () -> strangers.destroyPd(pd));
        calls.put("dereg_mr", () -> destroy(UverbsObject.MR, UverbsMethod.MR_DESTROY, UverbsAttribute.DESTROY_MR_HANDLE, mr.handle(),
            0, 0));
        calls.put("old dereg_mr", () -> named(UverbsCommand.DEREG_MR, 4, 0, mr.handle(), 0));
        calls.put("query_mr", () -> stranger.ioctl(UverbsObject.MR, UverbsMethod.QUERY_MR)
            .number(UverbsAttribute.QUERY_MR_HANDLE, mr.handle()).outputs(UverbsAttribute.QUERY_MR_RESP_LKEY, 4)
            .outputs(UverbsAttribute.QUERY_MR_RESP_RKEY, 4).outputs(UverbsAttribute.QUERY_MR_RESP_LENGTH, 8)
            .outputs(UverbsAttribute.QUERY_MR_RESP_IOVA, 8).run());
        calls.put("dealloc_mw", () -> destroy(UverbsObject.MW, UverbsMethod.MW_DESTROY, UverbsAttribute.DESTROY_MW_HANDLE, window, 0, 0));
        calls.put("destroy_ah", () -> destroy(UverbsObject.AH, UverbsMethod.AH_DESTROY, UverbsAttribute.DESTROY_AH_HANDLE, addressHandle,
            0, 0));
        calls.put("destroy_srq", () -> destroy(UverbsObject.SRQ, UverbsMethod.SRQ_DESTROY, UverbsAttribute.DESTROY_SRQ_HANDLE,
            srq.handle(), UverbsAttribute.DESTROY_SRQ_RESP, 4));
        calls.put("destroy_cq", () -> destroy(UverbsObject.CQ, UverbsMethod.CQ_DESTROY, UverbsAttribute.DESTROY_CQ_HANDLE, cq.handle,
            UverbsAttribute.DESTROY_CQ_RESP, 8));
        calls.put("destroy_qp", () -> destroy(UverbsObject.QP, UverbsMethod.QP_DESTROY, UverbsAttribute.DESTROY_QP_HANDLE, datagrams,
            UverbsAttribute.DESTROY_QP_RESP, 4));
        calls.put("destroy connected qp", () -> destroy(UverbsObject.QP, UverbsMethod.QP_DESTROY, UverbsAttribute.DESTROY_QP_HANDLE,
            pair[0].handle, UverbsAttribute.DESTROY_QP_RESP, 4));
        calls.put("modify_qp", () -> {
            MemorySegment in = stranger.room(ModifyQpCommand.BYTES);
            ModifyQpCommand.qpHandle(in, 0, pair[0].handle);
            ModifyQpCommand.qpState(in, 0, ERR);
            ModifyQpCommand.attrMask(in, 0, STATE);
            return stranger.command(UverbsCommand.MODIFY_QP, in, null);
        });
        calls.put("query_qp", () -> named(UverbsCommand.QUERY_QP, QueryQpCommand.BYTES, QueryQpCommand.QP_HANDLE_OFFSET, pair[0].handle,
            QueryQpResponse.BYTES));
        calls.put("attach_mcast", () -> multicast(UverbsCommand.ATTACH_MCAST));
        calls.put("detach_mcast", () -> multicast(UverbsCommand.DETACH_MCAST));
        calls.put("modify_srq", () -> {
            MemorySegment in = stranger.room(ModifySrqCommand.BYTES);
            ModifySrqCommand.srqHandle(in, 0, srq.handle());
            ModifySrqCommand.attrMask(in, 0, 2);
            ModifySrqCommand.srqLimit(in, 0, 1);
            return stranger.command(UverbsCommand.MODIFY_SRQ, in, null);
        });
        calls.put("query_srq", () -> named(UverbsCommand.QUERY_SRQ, QuerySrqCommand.BYTES, QuerySrqCommand.SRQ_HANDLE_OFFSET,
            srq.handle(), 16));
        calls.put("req_notify_cq", () -> named(UverbsCommand.REQ_NOTIFY_CQ, ReqNotifyCqCommand.BYTES, ReqNotifyCqCommand.CQ_HANDLE_OFFSET,
            cq.handle, 0));
        calls.put("resize_cq", () -> {
            MemorySegment in = stranger.room(ResizeCqCommand.BYTES);
            ResizeCqCommand.cqHandle(in, 0, cq.handle);
            ResizeCqCommand.cqe(in, 0, 64);
            return stranger.legacy(UverbsCommand.RESIZE_CQ, in, stranger.room(8)).outputs(UverbsAttribute.UHW_OUT, 16).run();
        });
        return calls;
    }

    private int multicast(int command) {
        MemorySegment in = stranger.room(McastCommand.BYTES);
        GidBytes.write(in, McastCommand.GID_OFFSET, Gid.ofIpv4(0xe0000001));
        McastCommand.qpHandle(in, 0, datagrams);
        return stranger.command(command, in, null);
    }

    /** Objects made of another program's. */
    private Map<String, IntSupplier> creations() {
        Map<String, IntSupplier> calls = new LinkedHashMap<>();
        MemorySegment room = stranger.room(PAGE);
        calls.put("reg_mr", () -> strangers.register(pd, room.address(), PAGE, room.address(), FakeObjects.LOCAL_WRITE,
            stranger.room(RegMrResponse.BYTES)));
        calls.put("alloc_mw", () -> allocateWindow(stranger, pd, stranger.room(AllocMwResponse.BYTES)));
        calls.put("create_ah", () -> createAh(stranger, pd, stranger.room(CreateAhResponse.BYTES)));
        calls.put("create_srq", () -> strangers.createSrq(pd, 4, 1, 0, 1, stranger.room(RxeSrqResponse.BYTES)).run());
        calls.put("qp in a foreign pd", () -> createQp(pd, ownCq, null));
        calls.put("qp with a foreign cq", () -> createQp(ownPd, cq, null));
        calls.put("qp with a foreign srq", () -> createQp(ownPd, ownCq, srq));
        return calls;
    }

    private int createQp(int domain, FakeObjects.Cq queue, FakeObjects.Srq shared) {
        return strangers.createQp(domain, queue, shared, FakeObjects.RC, FakeObjects.caps(stranger, 4, 4, 1, 0), 1, strangers.answers())
            .run();
    }

    @Test
    void shouldRefuseHandlesOfAnotherProgram() {
        int its = program.file.objectCount();
        int own = stranger.file.objectCount();
        Map<String, IntSupplier> all = calls();
        all.putAll(creations());
        all.forEach((name, call) -> {
            int answer = call.getAsInt();
            assertTrue(answer == -2 || answer == -22, name + ": " + answer);
            assertEquals(its, program.file.objectCount(), name);
            assertEquals(own, stranger.file.objectCount(), name);
        });
        assertEquals(RTS, QueryQpResponse.qpState(pair[0].query(), 0));
        exchange();
    }

    private void exchange() {
        FakeObjects.postReceive(pair[1].receives, 31, mr, 2048, 100);
        pair[0].post(SEND, SIGNALED, 21, mr, 100, 0, 0);
        cq.await(2).forEach(each -> assertEquals(0, each[1]));
    }

    /** Local and remote keys of another program, used by a connected pair of the stranger's. */
    @Test
    void shouldRefuseKeysOfAnotherProgram() {
        MemorySegment own = stranger.room(PAGE);
        FakeObjects.Mr ownMr = strangers.mr(ownPd, own, FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Mr stolen = new FakeObjects.Mr(mr.handle(), mr.lkey(), mr.rkey(), mr.address());
        assertEquals(LOC_PROT_ERR, outcome(qp -> qp.post(RDMA_WRITE, SIGNALED, 1, stolen, 64, ownMr.address(), ownMr.rkey())));
        assertEquals(REM_ACCESS_ERR, outcome(qp -> qp.post(RDMA_WRITE, SIGNALED, 2, ownMr, 64, mr.address(), mr.rkey())));
        assertEquals(REM_ACCESS_ERR, outcome(qp -> qp.post(RDMA_READ, SIGNALED, 3, ownMr, 64, mr.address(), mr.rkey())));
        assertEquals(LOC_PROT_ERR, outcome(qp -> qp.post(RDMA_READ, SIGNALED, 4, stolen, 64, ownMr.address(), ownMr.rkey())));
        assertEquals(-1, own.mismatch(stranger.room(PAGE)), "nothing was read");
        memory.asSlice(0, PAGE).elements(AbiLayout.U8).forEach(each -> assertEquals(SECRET, each.get(AbiLayout.U8, 0)));
        exchange();
    }

    /** Posts to a new connected pair of the stranger's: the status of its completion. */
    private long outcome(Consumer<FakeObjects.Qp> post) {
        FakeObjects.Qp one = strangers.qp(ownPd, ownCq, null, FakeObjects.RC, 0x201);
        FakeObjects.Qp other = strangers.qp(ownPd, ownCq, null, FakeObjects.RC, 0x202);
        int index = entry(stranger).index();
        one.connect(other.number, gid(stranger), index);
        other.connect(one.number, gid(stranger), index);
        post.accept(one);
        long status = ownCq.await(1).getFirst()[1];
        one.destroy();
        other.destroy();
        return status;
    }
}
