// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.fabric.partition.PartitionReader;
import org.softrdma.fabric.run.FabricConnection;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.MadAgent;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcFlags;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;

/** Devices at the ports of a fabric in real time: state of their ports, traffic by LID and by GID, pulled cables, partitions. */
@Timeout(120)
class FabricDevicesTest {
    private static final int GRH_BYTES = 40;
    private static final int QKEY = 0x11111111;
    private static final int LINK_LAYER_INFINIBAND = 1;
    private static final int VENDOR_CLASS = 0x32;

    private final RunningFabric fabric = new RunningFabric();

    @AfterEach
    void end() {
        fabric.close();
    }

    /** One end of a test: a queue pair with a buffer. */
    private final class End {
        final Context context;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final QueuePair qp;
        final MemorySegment memory = Arena.ofAuto().allocate(8192);
        final MemoryRegion region;
        final WorkCompletion[] done = WorkCompletion.array(1);

        End(Context context, QpType type) {
            this.context = context;
            pd = fabric.keep(context.allocatePd());
            cq = fabric.keep(context.createCq(16, null, null, 0));
            region = fabric.keep(pd.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE));
            qp = fabric.keep(pd.createQp(QpInitAttributes.of(type, cq, QpCapabilities.MINIMAL)));
        }

        void connect(End peer, AddressVector vector, int timeout) {
            boolean reliable = qp.type() == QpType.RC;
            qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(AccessFlags.REMOTE_ANY));
            QpAttributes receive = new QpAttributes().state(QpState.RTR).addressVector(vector).pathMtu(Mtu.MTU_1024)
                .destQpn(peer.qp.qpNum()).rqPsn(7);
            qp.modify(reliable ? receive.maxDestRdAtomic(1).minRnrTimer(12) : receive);
            QpAttributes send = new QpAttributes().state(QpState.RTS).sqPsn(7);
            qp.modify(reliable ? send.timeout(timeout).retryCount(2).rnrRetry(7).maxRdAtomic(1) : send);
        }

        void activate() {
            qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
            qp.modify(new QpAttributes().state(QpState.RTR));
            qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        }

        AddressHandle handle(AddressVector vector) {
            return fabric.keep(pd.createAh(vector));
        }

        void receive() {
            qp.postReceive(new ReceiveRequest().begin(1).element(region, 0, 8192));
        }

        void send(String text, AddressHandle handle, int qpn) {
            memory.setString(4096, text);
            SendRequest request = new SendRequest().send().wrId(2).element(region, 4096, 3000).signaled();
            if (handle != null) {
                request = new SendRequest().send().wrId(2).element(region, 4096, 64).signaled().to(handle, qpn, QKEY);
            }
            qp.postSend(request);
        }

        WorkCompletion await() {
            RunningFabric.await("a completion", () -> cq.poll(done) == 1);
            return done[0];
        }

        int lid() {
            return context.queryPort(1).lid();
        }
    }

    private void awaitActive(Context... contexts) {
        for (Context each : contexts) {
            RunningFabric.await("an active port", () -> each.queryPort(1).state() == PortState.ACTIVE);
        }
    }

    private static void awaitEvent(Context context, AsyncEventType wanted) {
        AsyncEventType found;
        do {
            AsyncEvent event = context.getAsyncEvent(-1);
            found = event.type();
            event.ack();
        } while (found != wanted);
    }

    @Test
    void shouldHaveAnInitializedPortWithoutLidBeforeASubnetManagerComes() {
        Context context = fabric.open("h1");
        PortAttributes port = context.queryPort(1);
        assertEquals(PortState.INIT, port.state());
        assertEquals(0, port.lid());
        assertEquals(LINK_LAYER_INFINIBAND, port.linkLayer());
        assertEquals(5, port.physState(), "link up");
        ProtectionDomain pd = fabric.keep(context.allocatePd());
        VerbsException early = assertThrows(VerbsException.class, () -> pd.createAh(AddressVector.toLid(1)));
        assertEquals(Errno.EADDRNOTAVAIL, early.errno());

        fabric.manage();

        awaitActive(context);
        assertNotEquals(0, context.queryPort(1).lid());
        assertEquals(context.queryPort(1).lid(), context.queryPort(1).smLid(), "the manager is at the same port");
        assertEquals(0xffff, context.queryPkey(1, 0));
        awaitEvent(context, AsyncEventType.PORT_ACTIVE);
        awaitEvent(context, AsyncEventType.LID_CHANGE);
    }

    @Test
    void shouldMakeGidsOfSubnetPrefixAndGuid() {
        Context context = fabric.open("h1");
        List<GidEntry> entries = context.queryGidTable();
        assertEquals(1, entries.size());
        assertEquals(GidType.IB, entries.getFirst().type());
        assertEquals(0xfe80000000000000L, entries.getFirst().gid().high());
        String shown = fabric.execute("show nodes").lines().filter(each -> each.contains("h1")).findFirst().orElseThrow();
        long nodeGuid = Long.parseUnsignedLong(shown.replaceAll(".*guid 0x([0-9a-f]+).*", "$1"), 16);
        assertEquals(nodeGuid, context.queryDevice().nodeGuid());
        assertEquals(nodeGuid + 1, entries.getFirst().gid().low(), "ibsim's numbering: port 1 has the node's GUID plus one");
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC"})
    void shouldSendByLidOverTwoSwitches(QpType type) {
        End a = new End(fabric.open("h1"), type);
        End b = new End(fabric.open("h2"), type);
        fabric.manage();
        awaitActive(a.context, b.context);
        a.connect(b, AddressVector.toLid(b.lid()), 14);
        b.connect(a, AddressVector.toLid(a.lid()), 14);
        b.receive();
        a.send("by LID", null, 0);
        assertEquals(WcStatus.SUCCESS, a.await().status());
        WorkCompletion received = b.await();
        assertEquals(WcStatus.SUCCESS, received.status());
        assertEquals(3000, received.byteLength());
        assertEquals("by LID", b.memory.getString(0));
    }

    @Test
    void shouldSendByGid() {
        End a = new End(fabric.open("h1"), QpType.RC);
        End b = new End(fabric.open("h2"), QpType.RC);
        fabric.manage();
        awaitActive(a.context, b.context);
        a.connect(b, AddressVector.to(b.context.queryGid(1, 0), 0).withDlid(b.lid()), 14);
        b.connect(a, AddressVector.to(a.context.queryGid(1, 0), 0).withDlid(a.lid()), 14);
        b.receive();
        a.send("by GID", null, 0);
        assertEquals(WcStatus.SUCCESS, a.await().status());
        assertEquals("by GID", b.await().isSuccess() ? b.memory.getString(0) : "");
    }

    @Test
    void shouldDeliverDatagramsWithTheirLocalRoute() {
        End a = new End(fabric.open("h1"), QpType.UD);
        End b = new End(fabric.open("h2"), QpType.UD);
        fabric.manage();
        awaitActive(a.context, b.context);
        a.activate();
        b.activate();
        b.memory.fill((byte) 0xA5);
        b.receive();
        a.send("datagram", a.handle(AddressVector.toLid(b.lid()).withSl(3)), b.qp.qpNum());
        WorkCompletion received = b.await();
        assertEquals(GRH_BYTES + 64, received.byteLength());
        assertEquals(0, received.flags() & WcFlags.GRH);
        assertEquals(a.lid(), received.slid());
        assertEquals(3, received.sl());
        assertEquals(0, received.dlidPathBits());
        assertEquals(a.qp.qpNum(), received.sourceQp());
        assertEquals("datagram", b.memory.getString(GRH_BYTES));

        AddressVector back = AddressVector.ofReceived(b.context, 1, received, b.memory.asSlice(0, GRH_BYTES));
        assertEquals(AddressVector.toLid(a.lid()).withSl(3), back);

        b.receive();
        AddressVector global = AddressVector.to(b.context.queryGid(1, 0), 0).withDlid(b.lid());
        a.await();
        a.send("with GRH", a.handle(global), b.qp.qpNum());
        received = b.await();
        assertEquals(WcFlags.GRH, received.flags() & WcFlags.GRH);
        assertEquals(0x1b, b.memory.get(ValueLayout.JAVA_BYTE, 6), "next header: BTH");
        assertEquals("with GRH", b.memory.getString(GRH_BYTES));
        assertEquals(new AddressVector(a.context.queryGid(1, 0), 0, 0, 64, 0, 0, 1, a.lid(), 0),
            AddressVector.ofReceived(b.context, 1, received, b.memory.asSlice(0, GRH_BYTES)));
    }

    @Test
    void shouldFailAfterRetriesWhileACableIsPulledAndWorkAgainAfterAnotherSweep() {
        End a = new End(fabric.open("h1"), QpType.RC);
        End b = new End(fabric.open("h2"), QpType.RC);
        fabric.manage();
        awaitActive(a.context, b.context);
        a.connect(b, AddressVector.toLid(b.lid()), 10);
        b.connect(a, AddressVector.toLid(a.lid()), 10);
        fabric.execute("pull s1 2");
        a.send("lost", null, 0);
        assertEquals(WcStatus.RETRY_EXC_ERR, a.await().status());
        assertEquals(PortState.ACTIVE, a.context.queryPort(1).state(), "the cable to the switch is another one");

        fabric.execute("pull h1 1");
        RunningFabric.await("a port that is down", () -> a.context.queryPort(1).state() == PortState.DOWN);

        fabric.execute("plug h1 1");
        fabric.execute("plug s1 2");
        fabric.manage();
        awaitActive(a.context, b.context);
        End c = new End(a.context, QpType.RC);
        End d = new End(b.context, QpType.RC);
        c.connect(d, AddressVector.toLid(d.lid()), 14);
        d.connect(c, AddressVector.toLid(c.lid()), 14);
        d.receive();
        c.send("healed", null, 0);
        assertEquals(WcStatus.SUCCESS, c.await().status());
        assertEquals("healed", d.await().isSuccess() ? d.memory.getString(0) : "");
    }

    @Test
    void shouldDropPacketsOfOtherPartitions() {
        End a = new End(fabric.open("h1"), QpType.UD);
        End b = new End(fabric.open("h2"), QpType.UD);
        fabric.manage(PartitionReader.read("Default=0x7fff : ALL=full ;"));
        awaitActive(a.context, b.context);
        a.activate();
        b.activate();
        int lid = b.lid();
        AddressHandle handle = a.handle(AddressVector.toLid(lid));
        String guid = String.format("0x%016x", b.context.queryGid(1, 0).low());
        fabric.manage(PartitionReader.read("Default=0x7fff : ALL=full ; Apart=0x10, indx0 : " + guid + "=full ;"));
        RunningFabric.await("the P_Key", () -> b.context.queryPkey(1, 0) == 0x8010);
        assertEquals(0xffff, b.context.queryPkey(1, 1));
        b.receive();
        a.send("default partition", handle, b.qp.qpNum());
        assertEquals(WcStatus.SUCCESS, b.await().status(), "both are in the default partition, too");

        b.qp.modify(new QpAttributes().state(QpState.ERR));
        End elsewhere = new End(b.context, QpType.UD);
        elsewhere.activate();
        elsewhere.receive();
        elsewhere.send("partition 0x10", elsewhere.handle(AddressVector.toLid(a.lid())), a.qp.qpNum());
        RunningFabric.await("the packet", () -> a.context.counters().get("drop_bad_pkey") == 1);
    }

    @Test
    void shouldExchangeManagementDatagramsByLid() {
        Context a = fabric.open("h1");
        Context b = fabric.open("h2");
        fabric.manage();
        awaitActive(a, b);
        Gid lidOfA = Gid.ofLid(a.queryPort(1).lid());
        Gid lidOfB = Gid.ofLid(b.queryPort(1).lid());
        byte[] mad = new byte[MadAgent.MAD_BYTES];
        mad[0] = 1;
        mad[1] = VENDOR_CLASS;
        mad[2] = 1;
        mad[3] = 1;
        mad[255] = 42;
        try (MadAgent from = a.openMadAgent(VENDOR_CLASS); MadAgent to = b.openMadAgent(VENDOR_CLASS)) {
            from.send(lidOfA, lidOfB, mad);
            MadAgent.Received received = to.receive(-1);
            assertEquals(lidOfA, received.from());
            assertEquals(lidOfB, received.to());
            assertEquals(42, received.mad()[255]);
            to.send(received.to(), received.from(), received.mad());
            assertEquals(lidOfB, from.receive(-1).from());
            assertThrows(VerbsException.class, () -> from.send(lidOfB, lidOfA, mad), "not a LID of the port");
        }
    }

    @Test
    void shouldGiveAPortToOneProcessAtATime() {
        Context first = fabric.open("h1");
        AttachedPort port = new AttachedPort(fabric.name(), "h1", 1, List.of());
        assertEquals(Errno.EBUSY, assertThrows(VerbsException.class, port::attach).errno());
        assertEquals(first.queryDevice().nodeGuid(), port.read().nodeGuid(), "its registers can be read");
        assertThrows(VerbsException.class, () -> new AttachedPort(fabric.name(), "s1", 1, List.of()).read(), "a switch");
        assertEquals(Errno.ENODEV, assertThrows(VerbsException.class, () -> new AttachedPort("none", "h1", 1, List.of()).attach()).errno());
    }

    @Test
    void shouldDetachAProcessThatSendsWhatIsNoPacket() throws IOException {
        try (SocketChannel hostile = FabricConnection.attach(fabric.name(), "h1 1")) {
            hostile.write(ByteBuffer.wrap(new byte[] {1, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0}));
            ByteBuffer rest = ByteBuffer.allocate(4096);
            while (hostile.read(rest.clear()) >= 0) {
                assertTrue(rest.position() > 0);
            }
        }
        RunningFabric.await("the port", () -> {
            try {
                new AttachedPort(fabric.name(), "h1", 1, List.of()).attach().close();
                return true;
            } catch (VerbsException busy) {
                return false;
            }
        });
    }

    @Test
    void shouldReportAFabricThatEndsAsABrokenDevice() {
        RunningFabric other = new RunningFabric();
        Context context = other.device("h1").open();
        other.close();
        RunningFabric.await("a port that is down", () -> context.queryPort(1).state() == PortState.DOWN);
        awaitEvent(context, AsyncEventType.DEVICE_FATAL);
        context.close();
    }
}
