// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.demo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;

/** One of the two devices, with a queue pair and with memory that the other device may read and write. */
final class DemoEnd implements AutoCloseable {
    /** Maximum number of outstanding work requests. */
    static final int DEPTH = 256;

    private static final int PORT = 1;
    private static final int READS_AT_ONCE = 16;
    private static final int PAGE = 4096;

    private final RdmaDevice device;
    private final Arena arena = Arena.ofShared();
    private final Context context;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final GidEntry gid;

    DemoEnd(RdmaDevice device, long memoryBytes) {
        this.device = device;
        context = device.open();
        gid = address(context);
        pd = context.allocatePd();
        region = pd.register(arena.allocate(memoryBytes, PAGE), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
        cq = context.createCq(2 * DEPTH);
        qp = pd.createQp(QpInitAttributes.rc(cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
        qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(PORT).accessFlags(AccessFlags.REMOTE_ANY));
    }

    /** @return the GID of an address of the interface, IPv4 if there is one; otherwise the link-local GID that every device has */
    private static GidEntry address(Context context) {
        GidEntry best = null;
        for (GidEntry each : context.queryGidTable()) {
            if (best == null || each.gid().isIpv4Mapped() && !best.gid().isIpv4Mapped()) {
                best = each;
            }
        }
        return best == null ? context.queryGidEntry(PORT, 0) : best;
    }

    /** Connects this end to a peer in INIT or later; must be called for both ends. */
    void connect(DemoEnd peer, int ownPsn, int peerPsn) {
        Mtu mtu = context.queryPort(PORT).activeMtu();
        int reads = Math.min(READS_AT_ONCE, context.queryDevice().maxQpRdAtom());
        qp.modify(new QpAttributes().state(QpState.RTR).pathMtu(mtu).destQpn(peer.qp.qpNum()).rqPsn(peerPsn).maxDestRdAtomic(reads)
            .minRnrTimer(12).addressVector(AddressVector.to(peer.gid.gid(), gid.index())));
        qp.modify(new QpAttributes().state(QpState.RTS).timeout(14).retryCount(7).rnrRetry(7).sqPsn(ownPsn).maxRdAtomic(reads));
    }

    String name() {
        return device.name();
    }

    String netdev() {
        return device.netdev();
    }

    GidEntry gid() {
        return gid;
    }

    MemorySegment memory() {
        return region.memory();
    }

    MemoryRegion region() {
        return region;
    }

    CompletionQueue cq() {
        return cq;
    }

    QueuePair qp() {
        return qp;
    }

    /** @return the value of a counter; 0 if the device does not have it */
    long counter(String name) {
        return context.counters().getOrDefault(name, 0L);
    }

    @Override
    public void close() {
        qp.close();
        cq.close();
        region.close();
        pd.close();
        context.close();
        arena.close();
    }
}
