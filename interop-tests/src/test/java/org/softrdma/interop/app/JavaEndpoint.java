// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.FlushFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WorkCompletion;

/** Our side, through the public API. */
final class JavaEndpoint implements Endpoint {
    private static final int ROCE_PORT = 4791;
    private static final int BAD_KEY = 0x00abcdef;
    private static final int MULTICAST_QPN = 0xffffff;
    private static final long GROUP_WR = 99;

    private final Settings settings;
    private final int gidIndex;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final Gid gid;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion region;
    private final SharedReceiveQueue srq;
    private final QueuePair qp;
    private final List<AutoCloseable> extras = new ArrayList<>();
    private Reach peer;
    private AddressHandle handle;
    private Gid joined;
    private MemoryWindow typeOne;
    private boolean deregistered;
    private boolean closed;

    JavaEndpoint(Context context, int gidIndex, Settings settings) {
        this.settings = settings;
        this.gidIndex = gidIndex;
        gid = context.queryGid(1, gidIndex);
        pd = context.allocatePd();
        cq = context.createCq(512);
        memory = arena.allocate(settings.size(), 4096);
        region = pd.register(memory, settings.regionAccess());
        srq = settings.srq() == 0 ? null : pd.createSrq(settings.srq(), 4, 0);
        QpCapabilities room = new QpCapabilities(128, 128, 4, 4, settings.inline());
        qp = pd.createQp(new QpInitAttributes(settings.service(), cq, cq, srq, room, false));
    }

    @Override
    public Reach reach() {
        return new Reach(qp.qpNum(), settings.psn(), gid, region.address(), region.rkey());
    }

    @Override
    public void connect(Reach other) {
        peer = other;
        switch (settings.service()) {
            case RC -> connectReliably();
            case UC -> connectUnreliably();
            default -> prepareForDatagrams();
        }
    }

    private void connectReliably() {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(settings.qpAccess()));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer.gid(), gidIndex)).pathMtu(settings.mtu())
            .destQpn(peer.qpn()).rqPsn(peer.psn()).maxDestRdAtomic(settings.maxDestRdAtomic()).minRnrTimer(settings.minRnrTimer()));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(settings.timeout()).retryCount(settings.retryCount())
            .rnrRetry(settings.rnrRetry()).sqPsn(settings.psn()).maxRdAtomic(settings.maxRdAtomic()));
    }

    private void connectUnreliably() {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(settings.qpAccess()));
        qp.modify(new QpAttributes().state(QpState.RTR).addressVector(AddressVector.to(peer.gid(), gidIndex)).pathMtu(settings.mtu())
            .destQpn(peer.qpn()).rqPsn(peer.psn()));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(settings.psn()));
    }

    private void prepareForDatagrams() {
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(Settings.QKEY));
        qp.modify(new QpAttributes().state(QpState.RTR));
        qp.modify(new QpAttributes().state(QpState.RTS).sqPsn(settings.psn()));
        handle = handleTo(pd, peer.gid());
    }

    private AddressHandle handleTo(ProtectionDomain domain, Gid to) {
        AddressHandle made = domain.createAh(AddressVector.to(to, gidIndex));
        extras.addFirst(made);
        return made;
    }

    @Override
    public void fill(int offset, byte[] bytes) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    @Override
    public byte[] bytes(int offset, int length) {
        return memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void receive(long wrId, Work.Part... parts) {
        ReceiveRequest request = new ReceiveRequest().begin(wrId);
        for (Work.Part each : parts) {
            request.element(region, each.offset(), each.length());
        }
        post(request);
    }

    private void post(ReceiveRequest request) {
        if (srq == null) {
            qp.postReceive(request);
        } else {
            srq.postReceive(request);
        }
    }

    @Override
    public void receiveWithBadKey(long wrId, int length) {
        post(new ReceiveRequest().begin(wrId).element(region.address(), length, BAD_KEY));
    }

    @Override
    public void post(Work work) {
        SendRequest request = new SendRequest();
        switch (work.opcode) {
            case SEND -> request.send();
            case SEND_WITH_IMM -> request.sendWithImmediate(work.immediate);
            case SEND_WITH_INV -> request.sendWithInvalidate(work.immediate);
            case RDMA_WRITE -> request.write(work.address, work.rkey);
            case RDMA_WRITE_WITH_IMM -> request.writeWithImmediate(work.address, work.rkey, work.immediate);
            case RDMA_READ -> request.read(work.address, work.rkey);
            case ATOMIC_CMP_AND_SWP -> request.compareAndSwap(work.address, work.rkey, work.compareAdd, work.swap);
            case ATOMIC_FETCH_AND_ADD -> request.fetchAndAdd(work.address, work.rkey, work.compareAdd);
            case ATOMIC_WRITE -> request.atomicWrite(work.address, work.rkey);
            case FLUSH -> request.flush(work.address, work.rkey, work.flushed, FlushFlags.GLOBAL, FlushFlags.RANGE);
            case LOCAL_INV -> request.localInvalidate(work.immediate);
            default -> throw new IllegalArgumentException(work.opcode.toString());
        }
        for (Work.Part each : work.parts) {
            request.element(region, each.offset(), each.length());
        }
        if (settings.service() == QpType.UD) {
            address(request, work);
        }
        try {
            qp.postSend(request.wrId(work.wrId).flags(work.flags));
        } catch (VerbsException refused) {
            throw new Refused(refused);
        }
    }

    private void address(SendRequest request, Work work) {
        int qkey = work.qkey == null ? Settings.QKEY : work.qkey;
        if (work.group != null) {
            request.to(handleTo(pd, work.group), MULTICAST_QPN, qkey);
        } else if (work.foreignHandle) {
            ProtectionDomain other = pd.context().allocatePd();
            extras.addFirst(other);
            request.to(handleTo(other, peer.gid()), peer.qpn(), qkey);
        } else {
            request.to(handle, peer.qpn(), qkey);
        }
    }

    @Override
    public List<Completion> completions(int count, double seconds) {
        List<Completion> found = new ArrayList<>();
        WorkCompletion[] into = WorkCompletion.array(16);
        long untilNs = System.nanoTime() + (long) (seconds * 1e9);
        while (found.size() < count && (System.nanoTime() - untilNs < 0 || found.isEmpty())) {
            int polled = cq.poll(into, Math.min(into.length, count - found.size()));
            for (int i = 0; i < polled; i++) {
                WorkCompletion wc = into[i];
                found.add(new Completion(wc.wrId(), wc.status(), wc.opcode(), wc.byteLength(), wc.immediate(), wc.invalidatedRkey(),
                    wc.flags(), wc.sourceQp()));
            }
            if (polled == 0) {
                if (System.nanoTime() - untilNs >= 0) {
                    break;
                }
                LockSupport.parkNanos(50_000);      // leaves the processor to the guest
            }
        }
        return found;
    }

    @Override
    public int bind(long wrId, int offset, int length, int access) {
        MemoryWindow window = pd.allocateMw(MemoryWindow.Type.TYPE_2);
        extras.addFirst(window);
        int key = MemoryWindow.nextRkey(window.rkey());
        qp.postSend(new SendRequest().bindWindow(key, region, region.address() + offset, length, access).wrId(wrId).signaled());
        return key;
    }

    @Override
    public int bindTypeOne(long wrId, int offset, int length, int access) {
        if (typeOne == null) {
            typeOne = pd.allocateMw(MemoryWindow.Type.TYPE_1);
            extras.addFirst(typeOne);
        }
        qp.bind(typeOne, wrId, region, region.address() + offset, length, access, SendFlags.SIGNALED);
        return typeOne.rkey();
    }

    @Override
    public Target foreignRegion(int size) {
        ProtectionDomain other = pd.context().allocatePd();
        extras.addFirst(other);
        MemoryRegion foreign = other.register(arena.allocate(size, 4096), settings.regionAccess());
        extras.addFirst(foreign);
        return new Target(foreign.address(), foreign.rkey());
    }

    @Override
    public void join(Gid group) {
        qp.attachMulticast(group);
        joined = group;
        receive(GROUP_WR, new Work.Part(0, Settings.GRH + 4096));
    }

    @Override
    public Datagram fromGroup() {
        Completion received = Exchanges.one(this).expect(GROUP_WR, WcOpcode.RECV);
        return new Datagram(received.sourceQpn(), received.immediate(), bytes(Settings.GRH, received.bytes() - Settings.GRH));
    }

    @Override
    public void deregister() {
        region.close();
        deregistered = true;
    }

    @Override
    public String state() {
        return qp.state().name();
    }

    @Override
    public void sendRaw(Gid to, byte[] packet) {
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            // The socket is not connected, with path MTU discovery on: the only kind of plain socket with a known IP ID, 0.
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            channel.bind(new InetSocketAddress(gid.toInetAddress(), RAW_PORT));
            channel.send(ByteBuffer.wrap(packet), new InetSocketAddress(to.toInetAddress(), ROCE_PORT));
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (joined != null) {
            qp.detachMulticast(joined);
        }
        qp.close();
        if (srq != null) {
            srq.close();
        }
        for (AutoCloseable each : extras) {
            try {
                each.close();
            } catch (Exception stuck) {
                throw new IllegalStateException("cannot close " + each, stuck);
            }
        }
        if (!deregistered) {
            region.close();
        }
        cq.close();
        pd.close();
        arena.close();
    }
}
