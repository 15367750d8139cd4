// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftSharedReceiveQueue;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;

/** A context on a device that has addresses and a transport, and no data path. */
final class TestContext extends SoftContext implements CmContext {
    /** Most READs and atomics, each way. */
    static final int MAX_READS = 16;

    final List<RecordingQueuePair> queuePairs = new ArrayList<>();
    /** Queue pairs do not go there. */
    QpState refusedState;
    boolean refusesGroups;
    int released;
    /** Additional action on close. */
    Runnable onRelease = () -> { };

    private final DeviceAttributes limits = new DeviceAttributes("", 1, 1, -1L, 0xfffff000L, 0, 0, 0, 100, 100, 0, 4, 4, 64, 100, 1000, 10,
        10, MAX_READS, 4, MAX_READS, 1, 10, 0, 0, 0, 0, 10, 10, 4, 1, 15, 1, 1);
    private final List<InetAddress> addresses;
    private final CmTransport transport;
    private final int firstQpn;
    private int nextPd = 1;

    TestContext(List<InetAddress> addresses, CmTransport transport, int firstQpn) {
        super(new DeviceAgent(new Idle(), null), new MemoryTable(new SplittableRandom(1), 100, 100));
        this.addresses = addresses;
        this.transport = transport;
        this.firstQpn = firstQpn;
    }

    private static final class Idle implements DeviceWork {
        @Override
        public int doWork(long nowNs) {
            return 0;
        }

        @Override
        public long deadlineNs() {
            return Long.MAX_VALUE;
        }

        @Override
        public void await(long timeoutNs) {
        }

        @Override
        public void wakeup() {
        }
    }

    @Override
    public CmTransport cmTransport() {
        return transport;
    }

    @Override
    protected QueuePair newQueuePair(SoftProtectionDomain pd, QpInitAttributes attributes) {
        RecordingQueuePair made = new RecordingQueuePair(this, pd, attributes, firstQpn + queuePairs.size());
        queuePairs.add(made);
        return made;
    }

    @Override
    protected int newPdNumber() {
        return nextPd++;
    }

    @Override
    protected long roundNs() {
        return 0;
    }

    @Override
    protected int enter(SoftSharedReceiveQueue queue) {
        return 1;
    }

    @Override
    protected void leave(SoftSharedReceiveQueue queue) {
    }

    @Override
    protected void release() {
        released++;
        onRelease.run();
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
        return queryGidEntry(port, index).gid();
    }

    @Override
    public GidEntry queryGidEntry(int port, int index) {
        return queryGidTable().get(index);
    }

    /** Index 0 is a link-local one, as on real devices. */
    @Override
    public List<GidEntry> queryGidTable() {
        List<GidEntry> entries = new ArrayList<>();
        entries.add(new GidEntry(new Gid(0xfe80L << 48, firstQpn), 0, 1, GidType.ROCE_V2, "test", 1));
        for (InetAddress address : addresses) {
            entries.add(new GidEntry(Gid.of(address), entries.size(), 1, GidType.ROCE_V2, "test", 1));
        }
        return entries;
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
