// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.softrdma.abi.uverbs.ModifySrqCommand;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.verbs.AsyncEventType;

/** Events of objects on an rxe device, delivered as libibverbs reads them. Numbers are those of Linux's headers. */
final class UverbsEventsTest extends LoopbackPrograms {
    private static final int EINVAL = -22;
    private static final int SEND = 2;
    private static final int RDMA_WRITE = 0;
    private static final int SIGNALED = 2;
    private static final int SRQ_LIMIT_REACHED = 15;
    private static final int CQ_ERR = 0;
    private static final int PAGE = 4096;

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
}
