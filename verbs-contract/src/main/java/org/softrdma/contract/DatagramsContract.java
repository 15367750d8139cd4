// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** UD: datagrams to one queue pair and to groups. IBA vol 1 §9.8.3, §10.5; the header area is that of the RoCE v2 annex. */
@Needs(Capability.DATAGRAMS)
public abstract class DatagramsContract extends ContractTest {
    private static final int GRH = 40;
    /** Multicast group 239.1 with two bytes of the process ID, so that tests of other processes use different groups. */
    private static final Gid GROUP = Gid.ofIpv4(0xef010000 | (int) ProcessHandle.current().pid() & 0xffff);
    private static final Gid OTHER_GROUP = Gid.ofIpv4(0xef020000 | (int) ProcessHandle.current().pid() & 0xffff);
    private static final int MULTICAST_QPN = 0xffffff;

    private MemoryRegion target;
    private AddressHandle toB;

    @BeforeEach
    void useDatagrams() {
        setup.type = QpType.UD;
    }

    private void connectWithMemory() {
        connect();
        target = b.memory(10_000, AccessFlags.LOCAL_WRITE);
        toB = keep(a.pd.createAh(fabric().way(0, 1)));
    }

    private void postReceive(long wrId, int length) {
        b.qp.postReceive(recv.begin(wrId).element(target, 0, length));
    }

    /** Sends a datagram that arrives for sure, behind all earlier ones on the same path. */
    private void sendOneMore() {
        int before = b.receives().size();
        postReceive(99, 100);
        a.qp.postSend(wr.send().to(toB, b.qp.qpNum(), setup.qkey));
        await(() -> b.receives().size() > before);
        assertEquals(before + 1, b.receives().size(), b.receives().toString());
        assertEquals("99 SUCCESS", End.brief(b.receives()).getLast());
    }

    /** Returns when all that A sent to B's device was dealt with there, also what is lost: a neighbour of B has what came behind it. */
    private void awaitThatAllHasArrived() {
        End witness = member(1);
        a.qp.postSend(wr.send().to(toB, witness.qp.qpNum(), setup.qkey));
        await(() -> witness.receives().size() == 1);
    }

    // ---- from one to one ----

    @Test
    void shouldPutFortyBytesBeforeThePayloadAndSayWhoSentIt() {
        connectWithMemory();
        byte[] data = bytes(100, 1);
        postReceive(7, 1000);
        a.qp.postSend(wr.send().wrId(1).element(a.memory(data), 0, 100).to(toB, b.qp.qpNum(), setup.qkey).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 1);
        assertEquals(List.of("1 SUCCESS"), End.brief(a.sends()));
        WorkCompletion got = b.receives().getFirst();
        assertEquals(List.of(7L, WcStatus.SUCCESS, WcOpcode.RECV, GRH + 100, a.qp.qpNum(), b.qp.qpNum()),
            List.of(got.wrId(), got.status(), got.opcode(), got.byteLength(), got.sourceQp(), got.qpNum()));
        assertEquals(WcFlags.GRH, got.flags() & WcFlags.GRH);
        assertArrayEquals(data, End.content(target, GRH, 100));
    }

    @Test
    void shouldDeliverImmediateDataAndDatagramsOfNoBytes() {
        connectWithMemory();
        postReceive(1, GRH);
        postReceive(2, GRH);
        a.qp.postSend(wr.send().to(toB, b.qp.qpNum(), setup.qkey));
        a.qp.postSend(wr.sendWithImmediate(0x01020304).to(toB, b.qp.qpNum(), setup.qkey).signaled());
        await(() -> a.sends().size() == 1 && b.receives().size() == 2);
        assertEquals(List.of(GRH, GRH), b.receives().stream().map(WorkCompletion::byteLength).toList());
        assertEquals(List.of(0, WcFlags.WITH_IMM), b.receives().stream().map(wc -> wc.flags() & WcFlags.WITH_IMM).toList());
        assertEquals(0x01020304, b.receives().get(1).immediate());
    }

    @Test
    void shouldAnswerToWhereADatagramCameFrom() {
        connectWithMemory();
        MemoryRegion atA = a.memory(200, AccessFlags.LOCAL_WRITE);
        a.qp.postReceive(recv.begin(1).element(atA, 0, 200));
        postReceive(2, 200);
        AddressVector way = fabric().way(0, 1);
        AddressHandle marked = keep(a.pd.createAh(new AddressVector(way.dgid(), way.sgidIndex(), 0, 64, 0x2c, 0, 1)));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])).to(marked, b.qp.qpNum(), setup.qkey));
        await(() -> !b.receives().isEmpty());
        WorkCompletion got = b.receives().getFirst();
        AddressVector back = AddressVector.ofReceived(b.context, 1, got, target.memory());
        assertEquals(List.of(fabric().address(0).gid(), fabric().address(1).index(), 0x2c),
            List.of(back.dgid(), back.sgidIndex(), back.trafficClass()));
        AddressHandle answer = keep(b.pd.createAhFromWc(got, target.memory(), 1));
        b.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(bytes(4, 4))).to(answer, got.sourceQp(), setup.qkey));
        await(() -> !a.receives().isEmpty());
        assertEquals(GRH + 4, a.receives().getFirst().byteLength());
        assertArrayEquals(bytes(4, 4), End.content(atA, GRH, 4));
    }

    @Test
    void shouldReachItselfAndItsNeighboursOnTheDevice() {
        connectWithMemory();
        End neighbour = new End(this, 0);
        setup.connect(neighbour.qp, null, 0, 0, 0, 0);
        MemoryRegion theirs = neighbour.memory(200, AccessFlags.LOCAL_WRITE);
        MemoryRegion ours = a.memory(200, AccessFlags.LOCAL_WRITE);
        neighbour.qp.postReceive(recv.begin(1).element(theirs, 0, 200));
        a.qp.postReceive(recv.begin(2).element(ours, 0, 200));
        AddressHandle self = keep(a.pd.createAh(fabric().way(0, 0)));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[10])).to(self, a.qp.qpNum(), setup.qkey));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[20])).to(self, neighbour.qp.qpNum(), setup.qkey));
        await(() -> a.receives().size() == 1 && neighbour.receives().size() == 1);
        assertEquals(GRH + 10, a.receives().getFirst().byteLength());
        assertEquals(GRH + 20, neighbour.receives().getFirst().byteLength());
    }

    // ---- what is lost ----

    @Test
    void shouldDropDatagramsWithAnotherKey() {
        connectWithMemory();
        postReceive(1, 100);
        a.qp.postSend(wr.send().to(toB, b.qp.qpNum(), setup.qkey ^ 1).signaled());
        await(() -> a.sends().size() == 1);
        assertEquals(List.of(WcStatus.SUCCESS), a.sendStatuses(), "nobody answers");
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[3])).to(toB, b.qp.qpNum(), setup.qkey));
        await(() -> b.receives().size() == 1);
        assertEquals(GRH + 3, b.receives().getFirst().byteLength(), "the receive was there for the next one");
    }

    /** A key with its highest bit set cannot be chosen by a program: the queue pair's own goes out instead. IBA vol 1 §10.2.5 */
    @Test
    void shouldSendTheQueuePairsKeyWhereAControlledOneIsNamed() {
        connectWithMemory();
        postReceive(1, 100);
        a.qp.postSend(wr.send().to(toB, b.qp.qpNum(), 0x80000000));
        await(() -> b.receives().size() == 1);
        assertEquals(List.of("1 SUCCESS"), End.brief(b.receives()));
    }

    @Test
    @Violates("RECEIVE_TOO_LATE")
    void shouldDropWhatFindsNoReceiveOrNoRoom() {
        connectWithMemory();
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])).to(toB, b.qp.qpNum(), setup.qkey));
        awaitThatAllHasArrived();
        postReceive(5, GRH + 7);
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[8])).to(toB, b.qp.qpNum(), setup.qkey));
        a.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[7])).to(toB, b.qp.qpNum(), setup.qkey));
        await(() -> b.receives().size() == 1);
        assertEquals(List.of("5 SUCCESS"), End.brief(b.receives()), "the receive is there for the next one");
        assertEquals(GRH + 7, b.receives().getFirst().byteLength());
        assertEquals(QpState.RTS, b.qp.state());
    }

    // ---- sending ----

    /**
     * IBA vol 1 C10-93.1.1: a datagram that is too long has no packets, and completes without an error. LOC_LEN_ERR, which names the
     * mistake, is as good.
     */
    @Test
    void shouldSendAsMuchAsThePortCarriesAndNotAByteMore() {
        connectWithMemory();
        int mtu = a.context.queryPort(1).activeMtu().bytes();
        MemoryRegion from = a.memory(bytes(mtu + 1, 1));
        postReceive(1, GRH + mtu);
        postReceive(2, GRH + mtu + 1);
        a.qp.postSend(wr.send().wrId(1).element(from, 0, mtu).to(toB, b.qp.qpNum(), setup.qkey).signaled());
        a.qp.postSend(wr.send().wrId(2).element(from, 0, mtu + 1).to(toB, b.qp.qpNum(), setup.qkey).signaled());
        await(() -> a.sends().size() == 2);
        WcStatus longer = a.sends().getLast().status();
        if (longer == WcStatus.LOC_LEN_ERR) {
            assertEquals(QpState.SQE, a.qp.state());
            a.qp.modify(new QpAttributes().state(QpState.RTS));
        } else {
            assertEquals(WcStatus.SUCCESS, longer);
        }
        a.qp.postSend(wr.send().wrId(3).element(from, 0, 1).to(toB, b.qp.qpNum(), setup.qkey));
        await(() -> b.receives().size() == 2);
        assertEquals(List.of(GRH + mtu, GRH + 1), b.receives().stream().map(WorkCompletion::byteLength).toList());
    }

    @Test
    void shouldRefuseSendsWithoutAUsableDestination() {
        connectWithMemory();
        AddressHandle foreign = keep(keep(a.context.allocatePd()).createAh(fabric().way(0, 1)));
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send()), "needs a destination");
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send().to(foreign, 1, 1)), "another protection domain");
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send().to(toB, 0x1000000, 1)), "24 bits");
        AddressHandle closed = a.pd.createAh(fabric().way(0, 1));
        postReceive(1, 100);
        a.qp.postSend(wr.send().to(closed, b.qp.qpNum(), setup.qkey));
        closed.close();
        refused(Errno.EINVAL, "post_send", () -> a.qp.postSend(wr.send().to(closed, 1, 1)), "closed");
        await(() -> b.receives().size() == 1);
        assertEquals(List.of("1 SUCCESS"), End.brief(b.receives()), "what was posted before takes its way along");
    }

    // ---- groups ----

    /** Creates a queue pair on its own context, in RTS, with four receives. */
    private End member(int device) {
        End member = new End(this, device);
        setup.connect(member.qp, null, 0, 0, 0, 0);
        MemoryRegion memory = member.memory(800, AccessFlags.LOCAL_WRITE);
        for (int i = 0; i < 4; i++) {
            member.qp.postReceive(recv.begin(i).element(memory, 200L * i, 200));
        }
        return member;
    }

    /** Attached now, and no more when the test is over: an attached queue pair does not close. */
    private void attach(QueuePair qp, Gid group) {
        qp.attachMulticast(group);
        keep((AutoCloseable) () -> qp.detachMulticast(group));
    }

    @Test
    @Needs(Capability.MULTICAST)
    void shouldDeliverToEveryQueuePairAttachedOnEveryDevice() {
        End sender = member(0);
        End first = member(1);
        End second = member(1);
        End outsider = member(2);
        End third = member(2);
        List<End> members = List.of(sender, first, second, third);
        members.forEach(member -> attach(member.qp, GROUP));
        attach(outsider.qp, OTHER_GROUP);
        AddressHandle toGroup = keep(sender.pd.createAh(AddressVector.to(GROUP, fabric().address(0).index())));
        AddressHandle toOther = keep(sender.pd.createAh(AddressVector.to(OTHER_GROUP, fabric().address(0).index())));
        sender.qp.postSend(wr.sendWithImmediate(7).inlineData(MemorySegment.ofArray(new byte[12])).to(toGroup, MULTICAST_QPN, setup.qkey));
        sender.qp.postSend(wr.send().inlineData(MemorySegment.ofArray(new byte[3])).to(toOther, MULTICAST_QPN, setup.qkey));
        // A member receives its own datagrams, too.
        await(() -> members.stream().allMatch(member -> member.receives().size() == 1) && outsider.receives().size() == 1);
        for (End each : members) {
            WorkCompletion got = each.receives().getFirst();
            assertEquals(List.of(WcStatus.SUCCESS, GRH + 12, 7, sender.qp.qpNum()),
                List.of(got.status(), got.byteLength(), got.immediate(), got.sourceQp()));
        }
        assertEquals(GRH + 3, outsider.receives().getFirst().byteLength(), "each group its own");
    }

    @Test
    @Needs(Capability.MULTICAST)
    void shouldStopWithDetaching() {
        End sender = member(0);
        End first = member(1);
        End second = member(1);
        AddressHandle toGroup = keep(sender.pd.createAh(AddressVector.to(GROUP, fabric().address(0).index())));
        attach(second.qp, GROUP);
        first.qp.attachMulticast(GROUP);
        first.qp.attachMulticast(GROUP);
        List<Integer> counts = new ArrayList<>();
        for (int round = 1; round <= 2; round++) {
            sender.qp.postSend(wr.send().to(toGroup, MULTICAST_QPN, setup.qkey));
            int done = round;
            await(() -> second.receives().size() == done && (done == 2 || first.receives().size() == 1));
            counts.add(first.receives().size());
            if (round == 1) {
                first.qp.detachMulticast(GROUP);
            }
        }
        assertEquals(List.of(1, 1), counts, "attached twice is attached once");
        refused(Errno.EINVAL, "detach_mcast", () -> first.qp.detachMulticast(GROUP), "not attached");
    }

    @Test
    @Needs(Capability.MULTICAST)
    void shouldRefuseWhatIsNoGroupOrNoDatagramQueuePair() {
        connectWithMemory();
        Gid nobody = Gid.ofIpv4(0x0a000001);
        refused(Errno.EINVAL, "attach_mcast", () -> a.qp.attachMulticast(nobody), "not a multicast group");
        refused(Errno.EINVAL, "detach_mcast", () -> a.qp.detachMulticast(Gid.ofIpv4(0xdfffffff)), "not a multicast group");
        setup.type = QpType.RC;
        End connected = new End(this, 0);
        refused(Errno.EINVAL, "attach_mcast", () -> connected.qp.attachMulticast(GROUP), "only UD");
    }

    @Test
    @Needs(Capability.MULTICAST)
    void shouldNotBeDestroyedWhileAttached() {
        connectWithMemory();
        a.qp.attachMulticast(GROUP);
        a.qp.attachMulticast(OTHER_GROUP);
        refused(Errno.EBUSY, "destroy_qp", a.qp::close, "multicast groups=2");
        a.qp.detachMulticast(GROUP);
        refused(Errno.EBUSY, "destroy_qp", a.qp::close, "multicast groups=1");
        a.qp.detachMulticast(OTHER_GROUP);
        a.qp.close();
        refused(Errno.EINVAL, "attach_mcast", () -> a.qp.attachMulticast(GROUP), "closed");
        assertTrue(a.context.queryDevice().maxMcastGrp() >= 2);
    }
}
