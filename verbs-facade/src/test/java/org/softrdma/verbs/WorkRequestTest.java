// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

class WorkRequestTest {
    private final SendRequest wr = new SendRequest();

    @Test
    void shouldFillTheFieldsOfEachOperation() {
        assertEquals(WrOpcode.SEND, wr.send().opcode());
        assertEquals(WrOpcode.SEND_WITH_IMM, wr.sendWithImmediate(0xcafebabe).opcode());
        assertEquals(0xcafebabe, wr.immediate());
        assertEquals(WrOpcode.SEND_WITH_INV, wr.sendWithInvalidate(0x1234).opcode());
        assertEquals(0x1234, wr.invalidateRkey());
        assertEquals(WrOpcode.LOCAL_INV, wr.localInvalidate(0x77).opcode());
        assertEquals(0x77, wr.invalidateRkey());
        wr.compareAndSwap(0x1000, 5, 42, 43);
        assertEquals(WrOpcode.ATOMIC_CMP_AND_SWP, wr.opcode());
        assertEquals("4096 5 42 43", wr.remoteAddress() + " " + wr.rkey() + " " + wr.compareAdd() + " " + wr.swap());
        wr.fetchAndAdd(-8, -1, -3);
        assertEquals(WrOpcode.ATOMIC_FETCH_AND_ADD, wr.opcode());
        assertEquals("-8 -1 -3 0", wr.remoteAddress() + " " + wr.rkey() + " " + wr.compareAdd() + " " + wr.swap());
        wr.writeWithImmediate(0x2000, 6, 9);
        assertEquals(WrOpcode.RDMA_WRITE_WITH_IMM, wr.opcode());
        assertEquals("8192 6 9", wr.remoteAddress() + " " + wr.rkey() + " " + wr.immediate());
        wr.flush(0x3000, 7, -1, FlushFlags.GLOBAL | FlushFlags.PERSISTENT, FlushFlags.REGION);
        assertEquals(WrOpcode.FLUSH, wr.opcode());
        assertEquals("12288 7 4294967295 3 1", wr.remoteAddress() + " " + wr.rkey() + " " + wr.flushLength() + " " + wr.flushPlacement()
            + " " + wr.flushSelectivity());
        wr.bindWindow(8, 9, 0x4000, 1L << 40, AccessFlags.REMOTE_READ);
        assertEquals(WrOpcode.BIND_MW, wr.opcode());
        assertEquals("8 1099511627776 " + AccessFlags.REMOTE_READ, wr.rkey() + " " + wr.bindLength() + " " + wr.bindAccess());
        assertEquals("16384 0 9", wr.address(0) + " " + wr.length(0) + " " + wr.lkey(0));
        assertEquals(WrOpcode.RDMA_WRITE, wr.write(1, 2).opcode());
        assertEquals(WrOpcode.RDMA_READ, wr.read(1, 2).opcode());
    }

    @Test
    void shouldKeepNothingOfTheLastRequest() {
        wr.writeWithImmediate(0x2000, 6, 9).wrId(3).element(1, 2, 3).signaled().solicited().fence().to(null, 5, 6);
        wr.inlineData(MemorySegment.ofArray(new byte[7]));
        wr.send();
        assertEquals("0 0 0 0 0 0 0", wr.wrId() + " " + wr.flags() + " " + wr.immediate() + " " + wr.remoteAddress() + " " + wr.rkey() + " "
            + wr.compareAdd() + " " + wr.elements());
        assertNull(wr.addressHandle());
        wr.flush(1, 2, 3, FlushFlags.GLOBAL, FlushFlags.REGION).begin(WrOpcode.FLUSH);
        assertEquals("0 0 0", wr.flushPlacement() + " " + wr.flushSelectivity() + " " + wr.flushLength());
        wr.bindWindow(1, 2, 3, 4, AccessFlags.REMOTE_READ).begin(WrOpcode.BIND_MW);
        assertEquals("0 0", wr.bindAccess() + " " + wr.bindLength());
        wr.element(4, 5, 6);
        assertNull(wr.inlineData(0));
    }

    @Test
    void shouldGatherFlags() {
        assertEquals(SendFlags.SIGNALED | SendFlags.FENCE | SendFlags.SOLICITED | SendFlags.INLINE,
            wr.send().signaled().fence().solicited().inline().flags());
        assertEquals(0, wr.flags(0).flags());
    }

    @Test
    void shouldTakeInlineDataFromAnyMemory() {
        MemorySegment heap = MemorySegment.ofArray(new byte[5]);
        wr.send().inlineData(heap).element(0x10, 3, 4);
        assertEquals(SendFlags.INLINE, wr.flags());
        assertSame(heap, wr.inlineData(0));
        assertEquals(5, wr.length(0));
        assertNull(wr.inlineData(1));
        assertEquals("16 3 4", wr.address(1) + " " + wr.length(1) + " " + wr.lkey(1));
    }

    @Test
    void shouldBeginReceivesAnew() {
        ReceiveRequest recv = new ReceiveRequest().begin(1).element(2, 3, 4);
        assertEquals("1: 2 3 4", recv.wrId() + ": " + recv.address(0) + " " + recv.length(0) + " " + recv.lkey(0));
        assertEquals(0, recv.begin(9).elements());
    }

    /** ibv_inc_rkey: the low byte wraps, the rest stays. */
    @Test
    void shouldCountUpOnlyTheKeyByte() {
        assertEquals(0x12345679, MemoryWindow.nextRkey(0x12345678));
        assertEquals(0x12345600, MemoryWindow.nextRkey(0x123456ff));
        assertEquals(0xffffff00, MemoryWindow.nextRkey(0xffffffff));
    }

    @Test
    void shouldDescribeACompletion() {
        WorkCompletion[] two = WorkCompletion.array(2);
        assertNotSame(two[0], two[1]);
        two[0].set(-1, WcStatus.SUCCESS, WcOpcode.RECV, 0, 17, 0, 0x11, 0, 0);
        assertEquals("wr_id 18446744073709551615 SUCCESS RECV, 17 bytes, qp 0x11", two[0].toString());
        two[0].set(5, WcStatus.RETRY_EXC_ERR, WcOpcode.SEND, 0, 17, 0, 0x11, 0, 0);
        assertEquals("wr_id 5 RETRY_EXC_ERR, qp 0x11", two[0].toString());
        two[0].set(5, WcStatus.RETRY_EXC_ERR, WcOpcode.SEND, 0x201, 17, 0, 0x11, 0, 0);
        assertEquals("wr_id 5 RETRY_EXC_ERR, qp 0x11, vendor error 0x201", two[0].toString(), "of a device in another process");
        two[0].explain(Failure.of(Reason.LOST_TOO_OFTEN, 3));
        assertEquals("wr_id 5 RETRY_EXC_ERR, qp 0x11: the packets of one request were lost 3 times: the peer reported a gap each time "
            + "[0x0202 lost-too-often]", two[0].toString());
        two[0].set(6, WcStatus.RETRY_EXC_ERR, WcOpcode.SEND, 0, 17, 0, 0x11, 0, 0);
        assertNull(two[0].explanation(), "that of the completion before");
    }
}
