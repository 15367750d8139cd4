// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.AllocMwCommand;
import org.softrdma.abi.uverbs.AllocMwResponse;
import org.softrdma.abi.uverbs.CreateAhCommand;
import org.softrdma.abi.uverbs.CreateAhResponse;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceCommand;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceResponse;
import org.softrdma.abi.uverbs.GidEntry;
import org.softrdma.abi.uverbs.McastCommand;
import org.softrdma.abi.uverbs.MmapInfo;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.ModifySrqCommand;
import org.softrdma.abi.uverbs.QpCapabilitiesRecord;
import org.softrdma.abi.uverbs.QueryDeviceResponse;
import org.softrdma.abi.uverbs.QueryPortResponse;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.abi.uverbs.RegMrResponse;
import org.softrdma.abi.uverbs.ResizeCqCommand;
import org.softrdma.abi.uverbs.ResizeCqResponse;
import org.softrdma.abi.uverbs.RxeAhResponse;
import org.softrdma.abi.uverbs.RxeSrqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.rxe.Rxe;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Gid;

/**
 * The ioctl of an rxe device on the loopback interface, called as libibverbs does. Numbers of errors, states, opcodes and events are those
 * of Linux's headers.
 */
final class UverbsFileTest {
    private static final int EBADF = -9;
    private static final int ENOENT = -2;
    private static final int EFAULT = -14;
    private static final int EBUSY = -16;
    private static final int EINVAL = -22;
    private static final int ENOSPC = -28;
    private static final int ENODATA = -61;
    private static final int EPROTONOSUPPORT = -93;
    private static final int EOPNOTSUPP = -95;

    private static final int SEND = 2;
    private static final int RDMA_WRITE = 0;
    private static final int SIGNALED = 2;
    private static final int WR_FLUSH_ERR = 5;
    private static final int SRQ_LIMIT_REACHED = 15;
    private static final int CQ_ERR = 0;
    private static final int PAGE = 4096;
    /** No user process has memory there. */
    private static final long NOWHERE = 0x10;

    private static UverbsDevice device;

    private final List<FakeProgram> programs = new ArrayList<>();
    private final FakeProgram program = opened();
    private final FakeObjects objects = new FakeObjects(program);

    @BeforeAll
    static void startDevice() {
        device = new UverbsDevice(Rxe.device("uverbs-test", "lo"), 7);
    }

    @AfterAll
    static void stopDevice() {
        device.close();
    }

    private FakeProgram opened() {
        FakeProgram made = FakeProgram.withContext(device);
        programs.add(made);
        return made;
    }

    @AfterEach
    void shouldLeaveNothingBehind() {
        programs.forEach(FakeProgram::close);
        assertEquals(List.of(), device.filesOf(program.pid()));
        for (FakeProgram each : programs) {
            assertEquals(0, each.file.objectCount());
        }
        assertEquals(0, programs.getFirst().file.context().memory().regionCount());
    }

    // ---- the call itself

    @Test
    void shouldAnswerTheProbeBeforeThereIsAContext() {
        FakeProgram fresh = new FakeProgram(device);
        programs.add(fresh);
        assertEquals(ENOSPC, fresh.ioctl(UverbsObject.DEVICE, UverbsMethod.INVOKE_WRITE)
            .value(UverbsAttribute.WRITE_CMD, UverbsCommand.QUERY_DEVICE, 8).run());
        assertEquals(EINVAL, fresh.command(UverbsCommand.ALLOC_PD, fresh.room(8), fresh.room(4)));
        assertEquals(EINVAL, fresh.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT).run());
        assertEquals(0, fresh.ioctl(UverbsObject.DEVICE, UverbsMethod.GET_CONTEXT).run());
        assertEquals(EINVAL, fresh.ioctl(UverbsObject.DEVICE, UverbsMethod.GET_CONTEXT).run());
        assertEquals(0, fresh.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT).run());
    }

    @Test
    void shouldRefuseWhatItDoesNotKnow() {
        assertEquals(EPROTONOSUPPORT, program.ioctl(UverbsObject.DM, UverbsMethod.DM_ALLOC).run());
        assertEquals(EPROTONOSUPPORT, program.ioctl(UverbsObject.PD, 9).run());
        assertEquals(EOPNOTSUPP, program.command(UverbsCommand.REREG_MR, program.room(48), program.room(8)));
        assertEquals(EOPNOTSUPP, program.command(UverbsCommand.OPEN_XRCD, program.room(16), program.room(4)));
        assertEquals(EINVAL, program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT).driver(18).run());
        assertEquals(EPROTONOSUPPORT, program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT).value(20, 0, 4).run());
        assertEquals(0, program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT).optional(20, 0, 4).run());
    }

    @Test
    void shouldRefuseMalformedArguments() {
        FakeProgram.Ioctl call = program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT);
        assertEquals(EFAULT, call.runAt(NOWHERE));
        MemorySegment bundle = program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT).bundle();
        bundle.set(AbiLayout.U16, 0, (short) 23);
        assertEquals(EINVAL, program.ioctl(0, 0).runAt(bundle.address()));
        bundle.set(AbiLayout.U16, 0, (short) 24);
        bundle.set(AbiLayout.U64, 8, 1L);
        assertEquals(EPROTONOSUPPORT, program.ioctl(0, 0).runAt(bundle.address()));
        assertEquals(EINVAL, program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_PORT).outputs(UverbsAttribute.QUERY_PORT_RESP, 48).run(),
            "the port is missing");
        assertEquals(EINVAL, program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_PORT).value(UverbsAttribute.QUERY_PORT_PORT_NUM, 1, 8)
            .outputs(UverbsAttribute.QUERY_PORT_RESP, 8).run(), "too little room");
        assertEquals(EFAULT, program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_PORT).value(UverbsAttribute.QUERY_PORT_PORT_NUM, 1, 8)
            .value(UverbsAttribute.QUERY_PORT_RESP, NOWHERE, 48).run());
        assertEquals(EFAULT, program.ioctl(UverbsObject.DEVICE, UverbsMethod.INVOKE_WRITE)
            .value(UverbsAttribute.WRITE_CMD, UverbsCommand.ALLOC_PD, 8).value(UverbsAttribute.CORE_IN, NOWHERE, 16)
            .outputs(UverbsAttribute.CORE_OUT, 4).run());
    }

    @Test
    void shouldUndoACreationWhoseAnswerCannotBeWritten() {
        assertEquals(EFAULT, program.ioctl(UverbsObject.DEVICE, UverbsMethod.INVOKE_WRITE)
            .value(UverbsAttribute.WRITE_CMD, UverbsCommand.ALLOC_PD, 8).input(UverbsAttribute.CORE_IN, program.room(16))
            .value(UverbsAttribute.CORE_OUT, NOWHERE, 4).run());
        assertEquals(EINVAL, objects.createCq(4, 1, -1, 0, program.room(4), program.room(8)).run(), "no room for the ring's place");
        assertEquals(0, program.file.objectCount());
    }

    // ---- device, port and GIDs

    @Test
    void shouldDescribeTheDevice() {
        MemorySegment out = program.room(QueryDeviceResponse.BYTES);
        FakeProgram.Ioctl call = program.legacy(UverbsCommand.QUERY_DEVICE, program.room(8), out);
        assertEquals(0, call.run());
        assertTrue(call.isWritten(UverbsAttribute.CORE_OUT));
        assertEquals(0xffffff, QueryDeviceResponse.vendorId(out, 0));
        assertEquals(1, QueryDeviceResponse.physPortCnt(out, 0));
        assertEquals(32, QueryDeviceResponse.maxSge(out, 0));
        assertEquals(0, QueryDeviceResponse.deviceCapFlags(out, 0) & 1 << 20, "XRC");
        assertEquals(program.file.context().queryDevice().nodeGuid(), out.get(AbiLayout.BE64, QueryDeviceResponse.NODE_GUID_OFFSET));

        MemorySegment more = program.room(ExtendedQueryDeviceResponse.BYTES);
        assertEquals(0, program.command(UverbsCommand.EXTENDED | UverbsCommand.EXTENDED_QUERY_DEVICE,
            program.room(ExtendedQueryDeviceCommand.BYTES), more));
        assertEquals(ExtendedQueryDeviceResponse.BYTES, ExtendedQueryDeviceResponse.responseLength(more, 0));
        assertEquals(-1, out.mismatch(more.asSlice(0, QueryDeviceResponse.BYTES)));
        assertEquals(3, ExtendedQueryDeviceResponse.odpGeneralCaps(more, 0));
        assertEquals(0x3f, ExtendedQueryDeviceResponse.rcOdpCaps(more, 0));
        assertNotEquals(0, ExtendedQueryDeviceResponse.deviceCapFlagsEx(more, 0) & 1L << 40, "ATOMIC_WRITE");
        MemorySegment unknown = program.room(ExtendedQueryDeviceCommand.BYTES);
        ExtendedQueryDeviceCommand.compMask(unknown, 0, 1);
        assertEquals(EINVAL, program.command(UverbsCommand.EXTENDED | UverbsCommand.EXTENDED_QUERY_DEVICE, unknown, more));
    }

    private int queryPort(int port, MemorySegment out) {
        return program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_PORT).value(UverbsAttribute.QUERY_PORT_PORT_NUM, port, 8)
            .output(UverbsAttribute.QUERY_PORT_RESP, out).run();
    }

    @Test
    void shouldDescribeThePort() {
        MemorySegment out = program.room(QueryPortResponse.BYTES);
        assertEquals(0, queryPort(1, out));
        assertEquals(4, QueryPortResponse.state(out, 0), "active");
        assertEquals(2, QueryPortResponse.linkLayer(out, 0), "Ethernet");
        assertEquals(0x00010000, QueryPortResponse.portCapFlags(out, 0));
        assertEquals(0x800000, QueryPortResponse.maxMsgSz(out, 0));
        assertEquals(1, QueryPortResponse.flags(out, 0), "GRH required");
        assertEquals(16, QueryPortResponse.gidTblLen(out, 0));
        assertEquals(EINVAL, queryPort(0, out));
        assertEquals(EINVAL, queryPort(2, out));
    }

    private int queryGid(int port, int index, MemorySegment out) {
        return program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_GID_ENTRY).value(UverbsAttribute.QUERY_GID_ENTRY_PORT, port, 8)
            .value(UverbsAttribute.QUERY_GID_ENTRY_GID_INDEX, index, 8).value(UverbsAttribute.QUERY_GID_ENTRY_FLAGS, 0, 4)
            .output(UverbsAttribute.QUERY_GID_ENTRY_RESP_ENTRY, out).run();
    }

    private static Gid gid(FakeProgram of) {
        return entry(of).gid();
    }

    private static org.softrdma.verbs.GidEntry entry(FakeProgram of) {
        return of.file.context().queryGidTable().stream().filter(each -> each.gid().isIpv4Mapped()).findFirst().orElseThrow();
    }

    @Test
    void shouldListGids() {
        MemorySegment out = program.room(GidEntry.BYTES);
        assertEquals(0, queryGid(1, entry(program).index(), out));
        assertEquals(gid(program), GidBytes.read(out, GidEntry.GID_OFFSET));
        assertEquals(2, GidEntry.gidType(out, 0), "RoCE v2");
        assertEquals(ENODATA, queryGid(1, 15, out));
        assertEquals(EINVAL, queryGid(1, 16, out));
        assertEquals(EINVAL, queryGid(2, 0, out));

        int used = program.file.context().queryGidTable().size();
        MemorySegment table = program.room(GidEntry.BYTES * used);
        MemorySegment count = program.room(8);
        assertEquals(0, gidTable(table, count, GidEntry.BYTES));
        assertEquals(used, count.get(AbiLayout.U64, 0));
        assertEquals(EINVAL, gidTable(program.room(GidEntry.BYTES * used - 1), count, GidEntry.BYTES));
        assertEquals(EINVAL, gidTable(program.room(0), count, GidEntry.BYTES));
        assertEquals(EINVAL, gidTable(table, count, 0));
    }

    private int gidTable(MemorySegment table, MemorySegment count, long entryBytes) {
        return program.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_GID_TABLE)
            .value(UverbsAttribute.QUERY_GID_TABLE_ENTRY_SIZE, entryBytes, 8).output(UverbsAttribute.QUERY_GID_TABLE_RESP_ENTRIES, table)
            .output(UverbsAttribute.QUERY_GID_TABLE_RESP_NUM_ENTRIES, count).run();
    }

    // ---- objects and handles

    @Test
    void shouldNameObjectsByHandlesOfTheContextAlone() {
        FakeProgram other = opened();
        FakeObjects others = new FakeObjects(other);
        int pd = objects.pd();
        int second = objects.pd();
        assertNotEquals(pd, second);
        assertEquals(ENOENT, others.destroyPd(pd));
        assertEquals(ENOENT, objects.destroyPd(-1));
        assertEquals(ENOENT, objects.destroyPd(1 << 30));
        FakeObjects.Cq cq = objects.cq(4, 1, -1);
        assertEquals(EINVAL, objects.destroyPd(cq.handle), "another kind");
        assertEquals(0, objects.destroyPd(second));
        assertEquals(ENOENT, objects.destroyPd(second));
        assertEquals(second, objects.pd(), "the lowest free handle");
        assertEquals(3, program.file.objectCount());

        MemorySegment list = program.room(8);
        MemorySegment total = program.room(4);
        assertEquals(0, program.ioctl(UverbsObject.DEVICE, UverbsMethod.INFO_HANDLES)
            .value(UverbsAttribute.INFO_OBJECT_ID, UverbsObject.PD, 8).output(UverbsAttribute.INFO_TOTAL_HANDLES, total)
            .output(UverbsAttribute.INFO_HANDLES_LIST, list).run());
        assertEquals(2, total.get(AbiLayout.U32, 0));
        assertEquals(pd, list.get(AbiLayout.U32, 0));
        assertEquals(second, list.get(AbiLayout.U32, 4));
    }

    @Test
    void shouldRefuseToDestroyWhatIsInUse() {
        int pd = objects.pd();
        FakeObjects.Mr mr = objects.mr(pd, program.room(PAGE), FakeObjects.LOCAL_WRITE);
        assertEquals(EBUSY, objects.destroyPd(pd));
        assertEquals(0, objects.deregister(mr));
        FakeObjects.Cq cq = objects.cq(4, 1, -1);
        FakeObjects.Qp qp = objects.qp(pd, cq, null, FakeObjects.RC, 2);
        assertEquals(EBUSY, cq.tryDestroy(program.room(8)));
        assertEquals(EBUSY, objects.destroyPd(pd));
        assertEquals(0, qp.destroy());
        assertEquals(ENOENT, qp.destroy(program.room(4)));
        assertArrayEquals(new int[] {0, 0}, cq.destroy());
        assertEquals(0, objects.destroyPd(pd));
    }

    @Test
    void shouldDestroyEverythingWithTheFile() {
        FakeProgram ended = opened();
        FakeObjects its = new FakeObjects(ended);
        int pd = its.pd();
        its.mr(pd, ended.room(PAGE), FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Cq cq = its.cq(4, 1, its.channel());
        FakeObjects.Srq srq = its.srq(pd, 4, 0, 5);
        FakeObjects.Qp qp = its.qp(pd, cq, srq, 4, 2);
        MemorySegment in = ended.room(McastCommand.BYTES);
        GidBytes.write(in, McastCommand.GID_OFFSET, Gid.ofIpv4(0xe0000001));
        McastCommand.qpHandle(in, 0, qp.handle);
        assertEquals(0, ended.command(UverbsCommand.ATTACH_MCAST, in, null));
        assertEquals(EBUSY, qp.destroy(ended.room(4)), "attached");
        assertEquals(5, ended.file.objectCount());
        assertEquals(ended.file.queuePair(qp.number).qp().qpNum(), qp.number);
        ended.file.closed();
        assertEquals(0, ended.file.objectCount());
        assertNull(ended.file.queuePair(qp.number));
        assertEquals(-5, ended.ioctl(UverbsObject.DEVICE, UverbsMethod.QUERY_CONTEXT).run(), "EIO");
    }

    @Test
    void shouldCloseTheContextWithItsLastFileOfAsynchronousEvents() {
        FakeProgram ended = opened();
        new FakeObjects(ended).pd();
        ended.at(ended.asyncFd).closed();
        assertEquals(0, ended.file.objectCount());
        assertFalse(device.filesOf(program.pid()).contains(ended.file));
    }

    // ---- memory

    @Test
    void shouldCheckMemoryWhenItIsRegistered() {
        int pd = objects.pd();
        MemorySegment memory = program.room(2 * PAGE);
        MemorySegment out = program.room(RegMrResponse.BYTES);
        long at = memory.address();
        assertEquals(EFAULT, objects.register(pd, NOWHERE & -8, 64, NOWHERE & -8, FakeObjects.LOCAL_WRITE, out));
        assertEquals(EINVAL, objects.register(pd, at, 64, at, 2, out), "REMOTE_WRITE without LOCAL_WRITE");
        assertEquals(EINVAL, objects.register(pd, at, 64, at, 8, out), "REMOTE_ATOMIC without LOCAL_WRITE");
        assertEquals(EINVAL, objects.register(pd, at, 64, at + 1, 1, out), "another offset in the page");
        assertEquals(EINVAL, objects.register(pd, at, -1, at, 1, out), "around the end");
        assertEquals(EINVAL, objects.register(pd, at, 64, at, 1 << 15, out), "unknown access");
        assertEquals(EINVAL, objects.register(99, at, 64, at, 1, out), "no such domain");
        assertEquals(0, program.file.context().memory().regionCount());
        assertEquals(0, objects.register(pd, NOWHERE, 64, NOWHERE, 1 | 1 << 6, out), "on demand");
        assertEquals(0, objects.register(pd, 0, -1, 0, 1 | 1 << 6, out), "all memory on demand");
        assertEquals(0, objects.register(pd, at, 64, at, 1, out));
        assertEquals(0, RegMrResponse.rkey(out, 0), "no remote rights");
        assertEquals(0, objects.register(pd, at, 64, at, 1 | 4, out));
        assertEquals(RegMrResponse.lkey(out, 0), RegMrResponse.rkey(out, 0));
        assertEquals(0, program.command(UverbsCommand.DEREG_MR, handle(RegMrResponse.mrHandle(out, 0)), null));
        assertEquals(ENOENT, program.command(UverbsCommand.DEREG_MR, handle(RegMrResponse.mrHandle(out, 0)), null));
    }

    private MemorySegment handle(int value) {
        MemorySegment in = program.room(4);
        in.set(AbiLayout.U32, 0, value);
        return in;
    }

    @Test
    void shouldAllocateWindows() {
        int pd = objects.pd();
        MemorySegment in = program.room(AllocMwCommand.BYTES);
        AllocMwCommand.pdHandle(in, 0, pd);
        MemorySegment out = program.room(AllocMwResponse.BYTES);
        assertEquals(EINVAL, program.command(UverbsCommand.ALLOC_MW, in, out), "type 0");
        AllocMwCommand.mwType(in, 0, 2);
        assertEquals(0, program.command(UverbsCommand.ALLOC_MW, in, out));
        assertEquals(EBUSY, objects.destroyPd(pd));
        assertEquals(0, program.ioctl(UverbsObject.MW, UverbsMethod.MW_DESTROY)
            .number(UverbsAttribute.DESTROY_MW_HANDLE, AllocMwResponse.mwHandle(out, 0)).run());
        assertEquals(0, objects.destroyPd(pd));
    }

    // ---- completion queues

    @Test
    void shouldCheckCompletionQueues() {
        MemorySegment cqe = program.room(4);
        MemorySegment hardware = program.room(MmapInfo.BYTES);
        assertEquals(EINVAL, objects.createCq(0, 1, -1, 0, cqe, hardware).run());
        assertEquals(EINVAL, objects.createCq(32_768, 1, -1, 0, cqe, hardware).run());
        assertEquals(EINVAL, objects.createCq(4, 1, -1, Runtime.getRuntime().availableProcessors(), cqe, hardware).run());
        assertEquals(EBADF, objects.createCq(4, 1, 12345, 0, cqe, hardware).run());
        assertEquals(EBADF, objects.createCq(4, 1, program.asyncFd, 0, cqe, hardware).run(), "not a channel");
        FakeProgram other = opened();
        int foreign = new FakeObjects(other).channel();
        assertEquals(EBADF, objects.createCq(4, 1, program.take(other.at(foreign)), 0, cqe, hardware).run(), "another context's");
        FakeObjects.Cq cq = objects.cq(5, 1, -1);
        assertEquals(7, cq.cqe, "slots of a power of two, one stays free");
        assertEquals(7, cq.ring.mask());
    }

    private int resize(FakeObjects.Cq cq, int cqe, MemorySegment out, MemorySegment hardware) {
        MemorySegment in = program.room(ResizeCqCommand.BYTES);
        ResizeCqCommand.cqHandle(in, 0, cq.handle);
        ResizeCqCommand.cqe(in, 0, cqe);
        return program.legacy(UverbsCommand.RESIZE_CQ, in, out).output(UverbsAttribute.UHW_OUT, hardware).run();
    }

    /** Two connected queue pairs of one context, each with a receive queue. */
    private FakeObjects.Qp[] pair(int pd, FakeObjects.Cq cq, FakeObjects.Srq srq) {
        FakeObjects.Qp one = objects.qp(pd, cq, srq, FakeObjects.RC, 0x101);
        FakeObjects.Qp other = objects.qp(pd, cq, srq, FakeObjects.RC, 0x102);
        int index = entry(program).index();
        one.connect(other.number, gid(program), index);
        other.connect(one.number, gid(program), index);
        return new FakeObjects.Qp[] {one, other};
    }

    @Test
    void shouldKeepCompletionsWhenAQueueIsResized() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(8, 1, -1);
        FakeObjects.Mr mr = objects.mr(pd, program.room(PAGE), FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Qp[] pair = pair(pd, cq, null);
        for (int i = 0; i < 3; i++) {
            pair[0].post(RDMA_WRITE, SIGNALED, 70 + i, mr, 8, mr.address(), mr.rkey());
        }
        long endNs = System.nanoTime() + 10_000_000_000L;
        while (cq.ring.producer() < 3) {
            assertTrue(System.nanoTime() - endNs < 0, cq.ring.producer() + " of 3 completions");
            Thread.onSpinWait();
        }
        MemorySegment out = program.room(ResizeCqResponse.BYTES);
        MemorySegment hardware = program.room(MmapInfo.BYTES);
        assertEquals(EINVAL, resize(cq, 2, out, hardware), "holds three");
        assertEquals(EINVAL, resize(cq, 0, out, hardware));
        assertEquals(0, resize(cq, 20, out, hardware));
        assertEquals(31, ResizeCqResponse.cqe(out, 0));
        cq.ring = objects.ring(hardware, 0);
        List<long[]> all = cq.await(3);
        assertEquals(70, all.get(0)[0]);
        assertEquals(72, all.get(2)[0]);
    }

    // ---- queue pairs

    @Test
    void shouldGrantAndEchoSizesOfAQueuePair() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(4, 1, -1);
        MemorySegment[] out = objects.answers();
        FakeProgram.Ioctl call = objects.createQp(pd, cq, null, FakeObjects.RC, FakeObjects.caps(program, 10, 12, 2, 100), 9, out);
        assertEquals(0, call.run());
        assertEquals(15, QpCapabilitiesRecord.maxSendWr(out[0], 0), "a ring of 16 slots, of which one stays free");
        assertEquals(15, QpCapabilitiesRecord.maxRecvWr(out[0], 0));
        assertEquals(6, QpCapabilitiesRecord.maxSendSge(out[0], 0), "100 bytes of inline data are six elements");
        assertEquals(2, QpCapabilitiesRecord.maxRecvSge(out[0], 0));
        assertEquals(100, QpCapabilitiesRecord.maxInlineData(out[0], 0));
        assertEquals(EINVAL, objects.createQp(pd, cq, null, 2, FakeObjects.caps(program, 1 << 21, 1, 1, 0), 9, out).run());
        assertEquals(EINVAL, objects.createQp(pd, cq, null, 2, FakeObjects.caps(program, -1, 1, 1, 0), 9, out).run());
        assertEquals(EINVAL, objects.createQp(pd, cq, null, 2, FakeObjects.caps(program, 1, 1, 33, 0), 9, out).run());
        assertEquals(EINVAL, objects.createQp(pd, cq, null, 2, FakeObjects.caps(program, 1, 1, 1, 513), 9, out).run());
        assertEquals(EOPNOTSUPP, objects.createQp(pd, cq, null, 8, FakeObjects.caps(program, 1, 1, 1, 0), 9, out).run(), "RAW_PACKET");
        assertEquals(EOPNOTSUPP, objects.createQp(pd, cq, null, 9, FakeObjects.caps(program, 1, 1, 1, 0), 9, out).run(), "XRC_SEND");
        assertEquals(ENOENT, objects.createQp(77, cq, null, 2, FakeObjects.caps(program, 1, 1, 1, 0), 9, out).run());
        assertEquals(EINVAL, objects.createQp(cq.handle, cq, null, 2, FakeObjects.caps(program, 1, 1, 1, 0), 9, out).run());
    }

    @Test
    void shouldChangeAndTellTheStateOfAQueuePair() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(4, 1, -1);
        FakeObjects.Qp qp = objects.qp(pd, cq, null, FakeObjects.RC, 9);
        assertEquals(0, QueryQpResponse.qpState(qp.query(), 0), "RESET");
        assertEquals(EINVAL, qp.modify(qp.change(3, 1)), "RESET to RTS");
        assertEquals(EINVAL, qp.modify(qp.change(1, 1)), "attributes are missing");
        assertEquals(EINVAL, qp.modify(qp.change(9, 1)), "no state");
        MemorySegment wrongPort = qp.change(1, FakeObjects.INIT_MASK);
        ModifyQpCommand.portNum(wrongPort, 0, 2);
        assertEquals(EINVAL, qp.modify(wrongPort));
        assertEquals(0, qp.init());
        assertEquals(1, QueryQpResponse.qpState(qp.query(), 0), "INIT");
        MemorySegment unrouted = qp.change(2, FakeObjects.RTR_MASK);
        ModifyQpCommand.pathMtu(unrouted, 0, 3);
        assertEquals(EINVAL, qp.modify(unrouted), "no GRH");
        qp.modify(qp.change(0, 1));
        qp.connect(0x123456, gid(program), entry(program).index());
        MemorySegment now = qp.query();
        assertEquals(3, QueryQpResponse.qpState(now, 0), "RTS");
        assertEquals(0x123456, QueryQpResponse.destQpNum(now, 0));
        assertEquals(14, QueryQpResponse.timeout(now, 0));
        assertEquals(FakeObjects.ALL_REMOTE, QueryQpResponse.qpAccessFlags(now, 0));
        assertEquals(3, QueryQpResponse.pathMtu(now, 0));
        assertEquals(gid(program), GidBytes.read(now, QueryQpResponse.DEST_OFFSET));
        assertEquals(7, QueryQpResponse.maxSendWr(now, 0));
        assertEquals(EOPNOTSUPP, qp.modify(qp.change(3, 1 << 25)), "rate limit");
        assertEquals(0, qp.modify(qp.change(6, 1)));
        assertEquals(6, QueryQpResponse.qpState(qp.query(), 0), "ERR");
    }

    @Test
    void shouldRefuseDoorbellsWhileNothingMaySend() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(4, 1, -1);
        assertEquals(EINVAL, program.ring());
        FakeObjects.Qp[] pair = pair(pd, cq, null);
        assertEquals(32, program.ring());
        assertEquals(0, pair[0].modify(pair[0].change(0, 1)), "RESET");
        assertEquals(32, program.ring(), "the other may send");
        assertEquals(0, pair[1].modify(pair[1].change(6, 1)), "ERR");
        assertEquals(32, program.ring());
        assertEquals(0, pair[1].modify(pair[1].change(0, 1)));
        assertEquals(EINVAL, program.ring());
    }

    @Test
    void shouldMoveDataBetweenContexts() {
        FakeProgram other = opened();
        FakeObjects others = new FakeObjects(other);
        int pd = objects.pd();
        int otherPd = others.pd();
        FakeObjects.Cq cq = objects.cq(8, 1, -1);
        FakeObjects.Cq otherCq = others.cq(8, 1, -1);
        MemorySegment source = program.room(PAGE);
        MemorySegment target = other.room(PAGE);
        FakeObjects.Mr mr = objects.mr(pd, source, FakeObjects.LOCAL_WRITE);
        FakeObjects.Mr otherMr = others.mr(otherPd, target, FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Qp qp = objects.qp(pd, cq, null, FakeObjects.RC, 1);
        FakeObjects.Qp otherQp = others.qp(otherPd, otherCq, null, FakeObjects.RC, 1);
        assertNotEquals(qp.number, otherQp.number);
        int index = entry(program).index();
        qp.connect(otherQp.number, gid(program), index);
        otherQp.connect(qp.number, gid(program), index);

        source.fill((byte) 0x5a);
        FakeObjects.postReceive(otherQp.receives, 31, otherMr, 2048, 100);
        qp.post(SEND, SIGNALED, 21, mr, 100, 0, 0);
        assertArrayEquals(new long[] {21, 0, 0, 100, qp.number}, withoutBytes(cq.await(1).getFirst(), 100));
        assertArrayEquals(new long[] {31, 0, 128, 100, otherQp.number}, otherCq.await(1).getFirst());
        assertEquals(0x5a, target.get(AbiLayout.U8, 2048 + 99));
        assertEquals(0, target.get(AbiLayout.U8, 2048 + 100));

        qp.post(RDMA_WRITE, SIGNALED, 22, mr, 1000, target.address() + 8, otherMr.rkey());
        assertEquals(0, cq.await(1).getFirst()[1]);
        assertEquals(0x5a, target.get(AbiLayout.U8, 8 + 999));
        qp.post(RDMA_WRITE, SIGNALED, 23, mr, 8, target.address(), otherMr.rkey() ^ 0x100);
        assertEquals(10, cq.await(1).getFirst()[1], "REM_ACCESS_ERR: a key of nobody");
        assertEquals(6, QueryQpResponse.qpState(qp.query(), 0));
        qp.post(SEND, SIGNALED, 24, mr, 8, 0, 0);
        assertEquals(WR_FLUSH_ERR, cq.await(1).getFirst()[1]);
    }

    /** The length of a send's completion is of no meaning. */
    private static long[] withoutBytes(long[] completion, long bytes) {
        completion[3] = bytes;
        return completion;
    }

    @Test
    void shouldFailWhenMemoryOnDemandIsGone() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(8, 1, -1);
        MemorySegment out = program.room(RegMrResponse.BYTES);
        assertEquals(0, objects.register(pd, 0, -1, 0, 1 | 1 << 6, out));
        FakeObjects.Mr all = new FakeObjects.Mr(RegMrResponse.mrHandle(out, 0), RegMrResponse.lkey(out, 0), 0, 0);
        FakeObjects.Qp[] pair = pair(pd, cq, null);
        pair[0].post(SEND, SIGNALED, 5, all, 8, 0, 0);
        assertEquals(4, cq.await(1).getFirst()[1], "LOC_PROT_ERR");
    }

    // ---- events

    @Test
    void shouldCountTheEventsThatTheProgramHasRead() {
        int pd = objects.pd();
        int channel = objects.channel();
        FakeObjects.Cq cq = objects.cq(8, 0xc001, channel);
        FakeObjects.Cq silent = objects.cq(8, 0xc002, channel);
        FakeObjects.Mr mr = objects.mr(pd, program.room(PAGE), FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Qp[] pair = pair(pd, cq, null);
        for (int i = 0; i < 3; i++) {
            assertEquals(0, cq.arm(false));
            pair[0].post(RDMA_WRITE, SIGNALED, i, mr, 8, mr.address(), mr.rkey());
            cq.await(1);
        }
        awaitBytes(channel, 24);
        assertEquals(0xc001, program.read(channel, 8).getLong());
        pair[0].destroy();
        pair[1].destroy();
        assertArrayEquals(new int[] {1, 0}, cq.destroy(), "one of three was read");
        assertEquals(0, program.waiting(channel), "the others are dropped");
        assertArrayEquals(new int[] {0, 0}, silent.destroy());
    }

    private void awaitBytes(int descriptor, int bytes) {
        long end = System.nanoTime() + 10_000_000_000L;
        while (program.waiting(descriptor) < bytes) {
            assertTrue(System.nanoTime() - end < 0, program.waiting(descriptor) + " of " + bytes + " bytes");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldAnnounceTheLimitOfASharedReceiveQueue() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(8, 1, -1);
        FakeObjects.Srq srq = objects.srq(pd, 4, 0, 0x5e1);
        FakeObjects.Mr mr = objects.mr(pd, program.room(PAGE), FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Qp[] pair = pair(pd, cq, srq);
        FakeObjects.postReceive(srq.ring(), 1, mr, 0, 64);
        FakeObjects.postReceive(srq.ring(), 2, mr, 0, 64);
        MemorySegment in = program.room(ModifySrqCommand.BYTES);
        ModifySrqCommand.srqHandle(in, 0, srq.handle());
        ModifySrqCommand.attrMask(in, 0, 2);
        ModifySrqCommand.srqLimit(in, 0, 5);
        assertEquals(EINVAL, program.command(UverbsCommand.MODIFY_SRQ, in, null), "above max_wr");
        ModifySrqCommand.srqLimit(in, 0, 2);
        assertEquals(0, program.command(UverbsCommand.MODIFY_SRQ, in, null));
        pair[0].post(SEND, SIGNALED, 9, mr, 8, 0, 0);
        cq.await(2);
        awaitBytes(program.asyncFd, 16);
        ByteBuffer record = program.read(program.asyncFd, 16);
        assertEquals(0x5e1, record.getLong());
        assertEquals(SRQ_LIMIT_REACHED, record.getInt());
        pair[0].destroy();
        pair[1].destroy();
        assertEquals(1, objects.destroy(srq));
    }

    @Test
    void shouldAnnounceAnOverrun() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(1, 0xc0de, -1);
        FakeObjects.Mr mr = objects.mr(pd, program.room(PAGE), FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Qp[] pair = pair(pd, cq, null);
        pair[0].post(RDMA_WRITE, SIGNALED, 1, mr, 8, mr.address(), mr.rkey());
        pair[0].post(RDMA_WRITE, SIGNALED, 2, mr, 8, mr.address(), mr.rkey());
        awaitBytes(program.asyncFd, 16);
        assertEquals(6, QueryQpResponse.qpState(pair[0].query(), 0), "ERR");
        assertEquals(16, program.waiting(program.asyncFd), "announced once");
        pair[0].destroy();
        pair[1].destroy();
        ByteBuffer record = program.read(program.asyncFd, 16);
        assertEquals(0xc0de, record.getLong());
        assertEquals(CQ_ERR, record.getInt());
        assertArrayEquals(new int[] {0, 1}, cq.destroy());
    }

    @Test
    void shouldAnnounceEventsOfThePort() {
        program.file.context().raise(AsyncEventType.PORT_ERR, 1);
        ByteBuffer record = program.read(program.asyncFd, 16);
        assertEquals(1, record.getLong());
        assertEquals(10, record.getInt());
    }

    // ---- shared receive queues, address handles

    @Test
    void shouldCheckSharedReceiveQueues() {
        int pd = objects.pd();
        MemorySegment hardware = program.room(RxeSrqResponse.BYTES);
        assertEquals(EINVAL, objects.createSrq(pd, 0, 1, 0, 1, hardware).run());
        assertEquals(EINVAL, objects.createSrq(pd, 1 << 20, 1, 0, 1, hardware).run());
        assertEquals(EINVAL, objects.createSrq(pd, 4, 28, 0, 1, hardware).run());
        assertEquals(EINVAL, objects.createSrq(pd, 4, 1, 5, 1, hardware).run());
        assertEquals(ENOENT, objects.createSrq(55, 4, 1, 0, 1, hardware).run());
        FakeObjects.Srq srq = objects.srq(pd, 4, 3, 1);
        MemorySegment in = program.room(16);
        in.set(AbiLayout.U32, 8, srq.handle());
        MemorySegment out = program.room(16);
        assertEquals(0, program.command(UverbsCommand.QUERY_SRQ, in, out));
        assertEquals(4, out.get(AbiLayout.U32, 0));
        assertEquals(1, out.get(AbiLayout.U32, 4));
        assertEquals(3, out.get(AbiLayout.U32, 8));
    }

    @Test
    void shouldNumberAddressHandles() {
        int pd = objects.pd();
        MemorySegment in = program.room(CreateAhCommand.BYTES);
        CreateAhCommand.pdHandle(in, 0, pd);
        long at = CreateAhCommand.ATTR_OFFSET;
        GidBytes.write(in, at, gid(program));
        AhAttributes.sgidIndex(in, at, entry(program).index());
        AhAttributes.portNum(in, at, 1);
        MemorySegment out = program.room(CreateAhResponse.BYTES);
        MemorySegment hardware = program.room(RxeAhResponse.BYTES);
        assertEquals(EINVAL, createAh(in, out, hardware), "no GRH");
        AhAttributes.isGlobal(in, at, 1);
        AhAttributes.portNum(in, at, 2);
        assertEquals(EINVAL, createAh(in, out, hardware), "no such port");
        AhAttributes.portNum(in, at, 1);
        assertEquals(0, createAh(in, out, hardware));
        assertEquals(1, RxeAhResponse.ahNum(hardware, 0));
        int first = CreateAhResponse.ahHandle(out, 0);
        assertEquals(0, createAh(in, out, hardware));
        assertEquals(2, RxeAhResponse.ahNum(hardware, 0));
        assertEquals(gid(program), program.file.objects().addressHandle(2).vector().dgid());
        assertEquals(0, program.ioctl(UverbsObject.AH, UverbsMethod.AH_DESTROY).number(UverbsAttribute.DESTROY_AH_HANDLE, first).run());
        assertNull(program.file.objects().addressHandle(1));
    }

    private int createAh(MemorySegment in, MemorySegment out, MemorySegment hardware) {
        return program.legacy(UverbsCommand.CREATE_AH, in, out).output(UverbsAttribute.UHW_OUT, hardware).run();
    }
}
