// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.demo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAddress;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;

/** One of the two devices, with a queue pair and with memory that the other device may read and write. */
final class DemoEnd implements AutoCloseable {
    /** Maximum number of outstanding work requests. */
    static final int DEPTH = 256;

    private static final int PAGE = 4096;

    private final RdmaDevice device;
    private final Arena arena = Arena.ofShared();
    private final Context context;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final QpAddress address;

    DemoEnd(RdmaDevice device, long memoryBytes) {
        this.device = device;
        context = device.open();
        pd = context.allocatePd();
        region = pd.register(arena.allocate(memoryBytes, PAGE), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ANY);
        cq = context.createCq(2 * DEPTH);
        qp = pd.createQp(QpInitAttributes.rc(cq, QpCapabilities.ofDepth(DEPTH)));
        address = qp.init();
    }

    /** Connects this end to a peer; must be called for both ends. */
    void connect(DemoEnd peer) {
        qp.connect(address, peer.address);
    }

    String name() {
        return device.name();
    }

    String netdev() {
        return device.netdev();
    }

    Gid gid() {
        return address.gid();
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
