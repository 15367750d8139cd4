// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.AllocMwCommand;
import org.softrdma.abi.uverbs.AllocMwResponse;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceCommand;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceResponse;
import org.softrdma.abi.uverbs.GidEntry;
import org.softrdma.abi.uverbs.McastCommand;
import org.softrdma.abi.uverbs.QueryDeviceResponse;
import org.softrdma.abi.uverbs.QueryPortResponse;
import org.softrdma.abi.uverbs.RegMrResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.daemon.trap.DeviceFile;
import org.softrdma.verbs.Gid;

/**
 * The ioctl of an rxe device, called as libibverbs does: the call itself, the device, handles and memory. Numbers of errors, states and
 * sizes are those of Linux's headers.
 */
final class UverbsFileTest extends LoopbackPrograms {
    private static final int ENOENT = -2;
    private static final int EFAULT = -14;
    private static final int EBUSY = -16;
    private static final int EINVAL = -22;
    private static final int ENOSPC = -28;
    private static final int ENODATA = -61;
    private static final int EPROTONOSUPPORT = -93;
    private static final int EOPNOTSUPP = -95;
    private static final int PAGE = 4096;
    /** No user process has memory there. */
    private static final long NOWHERE = 0x10;

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
        assertEquals(0xff, ExtendedQueryDeviceResponse.rcOdpCaps(more, 0), "with FLUSH and ATOMIC WRITE: verbs.h of rdma-core 60");
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
        int channel = its.channel();
        FakeObjects.Cq cq = its.cq(4, 1, channel);
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
        for (int events : List.of(channel, ended.asyncFd)) {
            assertEquals(DeviceFile.NONE, ended.at(events).lastCloseDescriptor(), "programs find its end");
        }
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
}
