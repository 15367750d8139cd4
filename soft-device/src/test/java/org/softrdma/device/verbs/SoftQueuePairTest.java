// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.BadWorkRequestException;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;

class SoftQueuePairTest {
    private final FakeContext context = new FakeContext();
    private final ProtectionDomain pd = context.allocatePd();
    private final FakeQueuePair qp = create(new QpCapabilities(4, 3, 2, 3, 40));
    private final SendRequest wr = new SendRequest();
    private final ReceiveRequest recv = new ReceiveRequest();

    private FakeQueuePair create(QpCapabilities cap) {
        return (FakeQueuePair) pd.createQp(QpInitAttributes.rc(context.createCq(10), cap));
    }

    private VerbsException refused(Errno errno, Runnable post) {
        VerbsException refused = assertThrows(VerbsException.class, post::run);
        assertEquals(errno, refused.errno(), refused.getMessage());
        return refused;
    }

    private byte[] inline(long sequence) {
        return qp.sends().memory().asSlice(qp.sends().inlineOffset(sequence), qp.sends().length(sequence)).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldGrantAtLeastWhatWasAsked() {
        assertEquals(new QpCapabilities(4, 4, 2, 3, 40), qp.capabilities());
        assertEquals(new QpCapabilities(1, 1, 1, 1, 16), create(new QpCapabilities(0, 0, 0, 0, 0)).capabilities());
        assertEquals(new QpCapabilities(16, 8, 4, 4, 64), create(new QpCapabilities(9, 5, 4, 4, 7)).capabilities());
    }

    @Test
    void shouldTakeSendsFromRtsOn() {
        for (QpState state : QpState.values()) {
            qp.state = state;
            if (state == QpState.RESET || state == QpState.INIT || state == QpState.RTR) {
                VerbsException refused = refused(Errno.EINVAL, () -> qp.postSend(wr.send()));
                assertEquals("post_send", refused.verb());
                assertTrue(refused.getMessage().contains("qp 0x11: a queue pair in " + state), refused.getMessage());
            } else {
                int before = qp.doorbells.get();
                qp.postSend(wr.send());
                assertEquals(before + 1, qp.doorbells.get());
            }
        }
        assertEquals(4, qp.sends().tail());
    }

    @Test
    void shouldTakeReceivesFromInitOn() {
        refused(Errno.EINVAL, () -> qp.postReceive(recv.begin(1)));
        for (QpState state : List.of(QpState.INIT, QpState.RTR, QpState.SQD)) {
            qp.state = state;
            qp.postReceive(recv.begin(1));
        }
        assertEquals(0, qp.doorbells.get(), "a posted receive needs no doorbell before a packet arrives");
        qp.state = QpState.ERR;
        qp.postReceive(recv.begin(1));
        assertEquals(1, qp.doorbells.get(), "in ERR a posted receive is flushed at once");
    }

    @Test
    void shouldRefuseWhatTheQueuesDoNotHold() {
        qp.state = QpState.RTS;
        assertEquals("FLUSH is not an operation of RC on this device",
            tail(refused(Errno.EINVAL, () -> qp.postSend(wr.begin(WrOpcode.FLUSH)))));
        assertEquals("3 elements, max_send_sge is 2",
            tail(refused(Errno.EINVAL, () -> qp.postSend(wr.send().element(0, 0, 0).element(0, 0, 0).element(0, 0, 0)))));
        recv.begin(1);
        for (int i = 0; i < 4; i++) {
            recv.element(0, 0, 0);
        }
        assertEquals("4 elements, max_recv_sge is 3", tail(refused(Errno.EINVAL, () -> qp.postReceive(recv))));
        assertEquals(0, qp.sends().tail() + qp.ownReceives().tail());
        for (int i = 0; i < 4; i++) {
            qp.postSend(wr.send().wrId(i));
            qp.postReceive(recv.begin(i));
        }
        assertEquals("post_send", refused(Errno.ENOMEM, () -> qp.postSend(wr.send())).verb());
        assertEquals("post_recv", refused(Errno.ENOMEM, () -> qp.postReceive(recv.begin(9))).verb());
        qp.sends().release(1);
        qp.postSend(wr.send().wrId(4));
        assertEquals(4, qp.sends().wrId(4));
    }

    private static String tail(VerbsException refused) {
        return refused.getMessage().substring(refused.getMessage().indexOf("qp 0x11: ") + 9);
    }

    @Test
    void shouldPostAListUpToTheBadOne() {
        qp.state = QpState.RTS;
        List<SendRequest> list = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            list.add(new SendRequest().send().wrId(i));
        }
        BadWorkRequestException refused = assertThrows(BadWorkRequestException.class, () -> qp.postSend(list));
        assertEquals(4, refused.index());
        assertEquals(Errno.ENOMEM, refused.errno());
        assertEquals(4, qp.sends().tail());
        assertEquals(3, qp.sends().wrId(3));
        assertEquals(1, qp.doorbells.get(), "the device is rung once for all");
    }

    // ---- inline data ----

    @Test
    void shouldCopyInlineDataDuringTheCall() {
        qp.state = QpState.RTS;
        MemorySegment memory = Arena.ofAuto().allocate(64, 8);
        MemoryRegion region = pd.register(memory, 0);
        for (int i = 0; i < 64; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        byte[] heap = {70, 71, 72};
        qp.postSend(wr.send().inlineData(MemorySegment.ofArray(heap)).element(region, 10, 5));
        memory.fill((byte) 0);
        heap[0] = 0;
        assertArrayEquals(new byte[] {70, 71, 72, 10, 11, 12, 13, 14}, inline(0));
        qp.postSend(wr.send().inline());
        assertEquals(0, qp.sends().length(1));
        qp.postSend(wr.send().inline().element(0, 0, 0));
        assertEquals(0, qp.sends().length(2), "length 0 needs no key");
    }

    @Test
    void shouldRefuseInlineDataThatIsTooLongOrUnknown() {
        qp.state = QpState.RTS;
        qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[40])));
        assertEquals(40, inline(0).length);
        assertEquals("41 bytes inline, max_inline_data is 40",
            tail(refused(Errno.EINVAL, () -> qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[41]))))));
        refused(Errno.EINVAL, () -> qp.postSend(wr.send().inline().element(0, -1, 0).element(0, 1, 0)));
        MemoryRegion region = pd.register(Arena.ofAuto().allocate(64), 0);
        refused(Errno.EINVAL, () -> qp.postSend(wr.send().inline().element(region, 60, 5)));
        refused(Errno.EINVAL, () -> qp.postSend(wr.send().inline().element(region.address(), 5, region.lkey() + 1)));
        refused(Errno.EINVAL, () -> qp.postSend(wr.read(0, 0).inline().element(region, 0, 5)));
        refused(Errno.EINVAL, () -> qp.postSend(wr.fetchAndAdd(0, 0, 1).inline().element(region, 0, 8)));
        assertEquals(1, qp.sends().tail(), "a refused request is not posted");
        qp.postSend(wr.write(0, 0).inline().element(region, 0, 5));
        assertEquals(5, qp.sends().length(1));
    }

    @Test
    void shouldRefuseInlineDataFromMemoryThatWasFreed() {
        qp.state = QpState.RTS;
        Arena arena = Arena.ofShared();
        MemoryRegion region = pd.register(arena.allocate(64), AccessFlags.LOCAL_WRITE);
        arena.close();
        refused(Errno.EINVAL, () -> qp.postSend(wr.send().inline().element(region, 0, 5)));
    }

    // ---- several posters ----

    @Test
    void shouldSerializePostsOfSeveralThreads() throws InterruptedException {
        FakeQueuePair shared = create(new QpCapabilities(4096, 4096, 1, 1, 0));
        shared.state = QpState.RTS;
        List<Thread> posters = new ArrayList<>();
        for (int poster = 0; poster < 4; poster++) {
            long base = poster * 1000L;
            posters.add(Thread.ofPlatform().start(() -> {
                SendRequest send = new SendRequest();
                ReceiveRequest receive = new ReceiveRequest();
                for (long i = base; i < base + 1000; i++) {
                    shared.postSend(send.send().wrId(i).element(i, 1, 0));
                    shared.postReceive(receive.begin(i).element(i, 1, 0));
                }
            }));
        }
        for (Thread poster : posters) {
            poster.join();
        }
        assertEquals(4000, shared.doorbells.get());
        BitSet sends = new BitSet();
        BitSet receives = new BitSet();
        for (long s = 0; s < 4000; s++) {
            assertEquals(shared.sends().wrId(s), shared.sends().elementAddress(s, 0));
            assertEquals(shared.ownReceives().wrId(s), shared.ownReceives().elementAddress(s, 0));
            sends.set((int) shared.sends().wrId(s));
            receives.set((int) shared.ownReceives().wrId(s));
        }
        assertEquals(4000, sends.cardinality());
        assertEquals(4000, receives.cardinality());
        assertFalse(shared.sends().isFull());
    }
}
