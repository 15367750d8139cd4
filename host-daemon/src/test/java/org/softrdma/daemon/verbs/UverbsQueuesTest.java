// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.AbiLayout;
import org.softrdma.abi.uverbs.CreateAhCommand;
import org.softrdma.abi.uverbs.CreateAhResponse;
import org.softrdma.abi.uverbs.AhAttributes;
import org.softrdma.abi.uverbs.MmapInfo;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.QpCapabilitiesRecord;
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

/**
 * Queues of programs on an rxe device, and their address handles, made and used as libibverbs does. Numbers of errors, states and opcodes
 * are those of Linux's headers.
 */
final class UverbsQueuesTest extends LoopbackPrograms {
    private static final int EBADF = -9;
    private static final int ENOENT = -2;
    private static final int EINVAL = -22;
    private static final int EOPNOTSUPP = -95;
    private static final int SEND = 2;
    private static final int RDMA_WRITE = 0;
    private static final int SIGNALED = 2;
    private static final int WR_FLUSH_ERR = 5;
    private static final int PAGE = 4096;

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
        assertEquals("7", shownSize(cq));
    }

    /** Size of a queue as {@code rdma resource show cq} prints it. */
    private String shownSize(FakeObjects.Cq cq) {
        return ((HeldCq) program.file.handles().find(cq.handle)).queue().resource().attribute("cqe");
    }

    private int resize(FakeObjects.Cq cq, int cqe, MemorySegment out, MemorySegment hardware) {
        MemorySegment in = program.room(ResizeCqCommand.BYTES);
        ResizeCqCommand.cqHandle(in, 0, cq.handle);
        ResizeCqCommand.cqe(in, 0, cqe);
        return program.legacy(UverbsCommand.RESIZE_CQ, in, out).output(UverbsAttribute.UHW_OUT, hardware).run();
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
        assertEquals("31", shownSize(cq));
        cq.ring = objects.ring(hardware, 0);
        List<long[]> all = cq.await(3);
        assertEquals(70, all.get(0)[0]);
        assertEquals(72, all.get(2)[0]);
    }

    /** As the kernel, which sends in the doorbell: mckey posts its datagrams and destroys their address handle at once. */
    @Test
    void shouldSendWhatWasPostedBeforeTheCallThatEndsItsMemory() {
        int pd = objects.pd();
        FakeObjects.Cq cq = objects.cq(8, 1, -1);
        MemorySegment source = program.room(PAGE);
        source.set(ValueLayout.JAVA_LONG, 0, 0x0123456789abcdefL);
        MemorySegment sink = program.room(PAGE);
        FakeObjects.Mr from = objects.mr(pd, source, FakeObjects.LOCAL_WRITE);
        FakeObjects.Mr to = objects.mr(pd, sink, FakeObjects.LOCAL_WRITE | FakeObjects.ALL_REMOTE);
        FakeObjects.Qp[] pair = pair(pd, cq, null);
        ReentrantLock owner = program.file.owner();
        // Keeps the device's thread from reading the bell before the next call.
        owner.lock();
        try {
            pair[0].post(RDMA_WRITE, SIGNALED, 70, from, 8, to.address(), to.rkey());
            assertEquals(0, objects.deregister(from));
        } finally {
            owner.unlock();
        }
        assertArrayEquals(new long[] {70, 0}, Arrays.copyOf(cq.await(1).getFirst(), 2));
        assertEquals(0x0123456789abcdefL, sink.get(ValueLayout.JAVA_LONG, 0));
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
