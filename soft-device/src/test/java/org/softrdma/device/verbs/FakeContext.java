// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;

/** A context on a device without a protocol: only the parts all soft devices share. Its agent never starts: pollers and waiters drive. */
final class FakeContext extends SoftContext {
    static final int MAX_CQE = 1000;
    static final int MAX_SRQ_WR = 100;
    static final int MAX_SRQ_SGE = 3;

    private final AtomicInteger nextPd = new AtomicInteger(1);
    private final AtomicInteger nextQpn = new AtomicInteger(0x11);
    private final AtomicInteger nextSrq = new AtomicInteger(1);
    private final DeviceAttributes limits = new DeviceAttributes("", 1, 1, -1L, 0xfffff000L, 0, 0, 0, 10, 10, 0, 4, 4, 64, 10, MAX_CQE, 10,
        10, 4, 4, 4, 1, 10, 0, 0, 0, 0, 10, MAX_SRQ_WR, MAX_SRQ_SGE, 1, 15, 1, 2);
    int sharedReceiveQueues;
    long nowNs;
    int released;

    FakeContext() {
        this(() -> 0);
    }

    /**
     * Creates a context whose device does the given work.
     *
     * @param work one round of work, run by the thread that drives the device; returns the number of things done
     */
    FakeContext(IntSupplier work) {
        super(new DeviceAgent(new Work(work, new Semaphore(0)), "fake"), new MemoryTable(new SplittableRandom(1), 100, 100));
    }

    private record Work(IntSupplier work, Semaphore wakeups) implements DeviceWork {
        @Override
        public int doWork(long nowNs) {
            return work.getAsInt();
        }

        @Override
        public long deadlineNs() {
            return Deadline.NEVER;
        }

        @Override
        public void await(long timeoutNs) {
            try {
                wakeups.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS);
                wakeups.drainPermits();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void wakeup() {
            wakeups.release();
        }
    }

    @Override
    protected QueuePair newQueuePair(SoftProtectionDomain pd, QpInitAttributes attributes) {
        return new FakeQueuePair(pd, attributes, nextQpn.getAndIncrement());
    }

    @Override
    protected int newPdNumber() {
        return nextPd.getAndIncrement();
    }

    @Override
    protected long roundNs() {
        return nowNs;
    }

    @Override
    protected int enter(SoftSharedReceiveQueue queue) {
        sharedReceiveQueues++;
        return nextSrq.getAndIncrement();
    }

    @Override
    protected void leave(SoftSharedReceiveQueue queue) {
        sharedReceiveQueues--;
    }

    @Override
    protected void release() {
        released++;
    }

    @Override
    public RdmaDevice device() {
        return null;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return limits;
    }

    @Override
    public PortAttributes queryPort(int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Gid queryGid(int port, int index) {
        throw new UnsupportedOperationException();
    }

    @Override
    public GidEntry queryGidEntry(int port, int index) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<GidEntry> queryGidTable() {
        return List.of();
    }

    @Override
    public int queryPkey(int port, int index) {
        return 0xffff;
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of();
    }
}
