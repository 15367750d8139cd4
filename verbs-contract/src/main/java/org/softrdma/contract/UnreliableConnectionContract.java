// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** UC: SEND and WRITE without answers. A message that cannot be accepted is lost, without effect on the next one. IBA vol 1 §9.8.2. */
@Needs(Capability.UNRELIABLE_CONNECTIONS)
public abstract class UnreliableConnectionContract extends ContractTest {
    private MemoryRegion target;

    @BeforeEach
    void useUnreliableConnections() {
        setup.type = QpType.UC;
    }

    private void connectWithMemory() {
        connect();
        target = b.memory(100_000, End.ALL_REMOTE);
    }

    private void postReceive(long wrId, int length) {
        b.qp.postReceive(recv.begin(wrId).element(target, 0, length));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1024, 1025, 70_000})
    void shouldDeliverSends(int size) {
        connectWithMemory();
        byte[] data = bytes(size, size);
        postReceive(7, 100_000);
        a.qp.postSend(wr.send().wrId(1).element(a.memory(data), 0, size).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("1 SUCCESS"), End.brief(a.sends()));
        WorkCompletion got = b.receives().getFirst();
        assertEquals(List.of(7L, WcStatus.SUCCESS, WcOpcode.RECV, size), List.of(got.wrId(), got.status(), got.opcode(), got.byteLength()));
        assertArrayEquals(data, End.content(target, 0, size));
    }

    @Test
    void shouldWriteWithAndWithoutImmediate() {
        connectWithMemory();
        byte[] data = bytes(5000, 1);
        MemoryRegion from = a.memory(data);
        b.qp.postReceive(recv.begin(3));
        a.qp.postSend(wr.write(target.address() + 5000, target.rkey()).element(from, 0, 5000));
        a.qp.postSend(wr.writeWithImmediate(target.address(), target.rkey(), 0x0badcafe).element(from, 0, 5000).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        WorkCompletion got = b.receives().getFirst();
        assertEquals(List.of(WcOpcode.RECV_RDMA_WITH_IMM, 0x0badcafe, 5000), List.of(got.opcode(), got.immediate(), got.byteLength()));
        assertArrayEquals(data, End.content(target, 0, 5000));
        assertArrayEquals(data, End.content(target, 5000, 5000), "what was written before");
    }

    /** Each of these is lost; the message after it is not, and no queue pair minds. */
    @Test
    @Violates("RECEIVE_TOO_LATE")
    void shouldLoseWhatCannotBeTakenAndNothingElse() {
        setup.accessB = AccessFlags.REMOTE_WRITE;
        connectWithMemory();
        MemoryRegion readable = b.memory(64, AccessFlags.REMOTE_READ);
        target.memory().fill((byte) 0x5a);
        MemorySegment data = MemorySegment.ofArray(new byte[50]);
        a.qp.postSend(wr.send().wrId(1).inlineData(data).signaled());
        a.qp.postSend(wr.write(target.address(), target.rkey() ^ 1).wrId(2).inlineData(data).signaled());
        a.qp.postSend(wr.write(target.address() + 99_999, target.rkey()).wrId(3).inlineData(data).signaled());
        a.qp.postSend(wr.write(readable.address(), readable.rkey()).wrId(4).inlineData(data).signaled());
        await(() -> a.sends().size() == 4);
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS"), End.brief(a.sends()), "nobody answers");
        // The first one found no receive. Waiting for a message behind it tells that it is over.
        Connection other = connectMore(a.pd, b.pd);
        other.ofB().postReceive(recv.begin(90));
        other.ofA().postSend(wr.send());
        await(() -> b.receives().size() == 1);
        postReceive(8, 64);
        a.qp.postSend(wr.send().wrId(5).inlineData(data.asSlice(0, 20)));
        await(() -> b.receives().size() == 2);
        assertEquals(List.of("90 SUCCESS", "8 SUCCESS"), End.brief(b.receives()));
        assertEquals(List.of(20, QpState.RTS, QpState.RTS), List.of(b.receives().getLast().byteLength(), a.qp.state(), b.qp.state()));
        assertArrayEquals(new byte[20], End.content(target, 0, 20));
        assertEquals(0x5a, target.memory().get(ValueLayout.JAVA_BYTE, 20));
        assertEquals(0x5a, target.memory().get(ValueLayout.JAVA_BYTE, 99_999));
        assertEquals(List.of(), b.events());
    }

    /** A local mistake stops the send queue, and the receive queue goes on. IBA vol 1 §10.3.1.6 */
    @Test
    @Violates("LOCAL_MEMORY")
    void shouldStopSendingOnOwnMistakeAndGoOnWhenTold() {
        connectWithMemory();
        a.qp.postSend(wr.send().wrId(1).element(0x1234, 8, 0x777700).signaled());
        a.qp.postSend(wr.send().wrId(2));
        await(() -> a.sends().size() == 2);
        assertEquals(List.of("1 LOC_PROT_ERR", "2 WR_FLUSH_ERR"), End.brief(a.sends()));
        assertEquals(QpState.SQE, a.qp.state());
        a.qp.postReceive(recv.begin(3));
        b.qp.postSend(wr.send());
        await(() -> a.receives().size() == 1);
        assertEquals(List.of("3 SUCCESS"), End.brief(a.receives()));
        a.qp.modify(new QpAttributes().state(QpState.RTS));
        postReceive(4, 8);
        a.qp.postSend(wr.send().wrId(5).signaled());
        await(() -> a.sends().size() == 3 && b.receives().size() == 1);
        assertEquals("5 SUCCESS", End.brief(a.sends()).getLast());
    }
}
