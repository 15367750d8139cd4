// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.softrdma.device.DeviceAgent;
import org.softrdma.device.config.NetDevice;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftSharedReceiveQueue;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** An open iWARP device. */
final class SiwContext extends SoftContext {
    private static final int LINK_UP = 5;
    private static final int DISABLED = 3;
    private static final int ETHERNET = 2;

    private final RdmaDevice device;
    private final NetDevice netdev;
    private final SiwEngine engine;
    private final LongSupplier clock;
    private final DeviceAttributes attributes;
    private final GidEntry gid;
    private final AtomicInteger nextPd = new AtomicInteger(1);

    /**
     * @param device null for a device that only a simulator drives
     * @param clock  nanoseconds of the clock that the engine is driven by
     */
    SiwContext(RdmaDevice device, NetDevice netdev, SiwEngine engine, DeviceAgent agent, LongSupplier clock) {
        super(agent, engine.memory());
        this.device = device;
        this.netdev = netdev;
        this.engine = engine;
        this.clock = clock;
        attributes = SiwLimits.attributes(netdev.mac() << 16);
        // RNICs name themselves by their hardware address: six bytes, then zeros.
        gid = new GidEntry(new Gid(netdev.mac() << 16, 0), 0, 1, GidType.IB, netdev.name(), netdev.ifIndex());
    }

    SiwEngine engine() {
        return engine;
    }

    @Override
    public RdmaDevice device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return attributes;
    }

    @Override
    public PortAttributes queryPort(int port) {
        requirePort("query_port", port);
        boolean active = netdev.up() && netdev.running();
        Mtu mtu = Mtu.of(org.softrdma.wire.Mtu.activeMtu(netdev.mtu()));
        return new PortAttributes(active ? PortState.ACTIVE : PortState.DOWN, mtu, mtu, 1, 0, SiwLimits.MAX_MSG_SIZE, 0, 0, 1, 0, 0, 0, 0,
            0, 0, 0, 1, 1, active ? LINK_UP : DISABLED, ETHERNET);
    }

    @Override
    public Gid queryGid(int port, int index) {
        return queryGidEntry(port, index).gid();
    }

    @Override
    public GidEntry queryGidEntry(int port, int index) {
        requirePort("query_gid", port);
        if (index != 0) {
            throw new VerbsException(Errno.EINVAL, "query_gid", "GID index " + index + ": the table has one entry, the hardware address");
        }
        return gid;
    }

    @Override
    public List<GidEntry> queryGidTable() {
        return List.of(gid);
    }

    @Override
    public int queryPkey(int port, int index) {
        requirePort("query_pkey", port);
        if (index != 0) {
            throw new VerbsException(Errno.EINVAL, "query_pkey", "P_Key index " + index + ": the table has one entry");
        }
        return 0xffff;
    }

    private static void requirePort(String verb, int port) {
        if (port != 1) {
            throw new VerbsException(Errno.EINVAL, verb, "port " + port + "; the device has port 1 only");
        }
    }

    @Override
    public Map<String, Long> counters() {
        agent().lock().lock();
        try {
            return engine.readCounters();
        } finally {
            agent().lock().unlock();
        }
    }

    @Override
    public long rawClockNs() {
        return clock.getAsLong();
    }

    @Override
    protected QueuePair newQueuePair(SoftProtectionDomain pd, QpInitAttributes init) {
        QpCapabilities cap = init.cap();
        limit("max_send_wr", cap.maxSendWr(), SiwLimits.MAX_QP_WR);
        limit("max_send_sge", cap.maxSendSge(), SiwLimits.MAX_SGE);
        if (init.srq() == null) {
            limit("max_recv_wr", cap.maxRecvWr(), SiwLimits.MAX_QP_WR);
            limit("max_recv_sge", cap.maxRecvSge(), SiwLimits.MAX_SGE);
        }
        limit("max_inline_data", cap.maxInlineData(), SiwLimits.MAX_INLINE);
        return new SiwQueuePair(this, pd, init);
    }

    private static void limit(String what, int asked, int max) {
        if (asked < 0 || asked > max) {
            throw new VerbsException(Errno.EINVAL, "create_qp", what + " " + asked + " is not in 0.." + max);
        }
    }

    @Override
    protected int newPdNumber() {
        return nextPd.getAndIncrement();
    }

    @Override
    protected long roundNs() {
        return engine.nowNs();
    }

    @Override
    protected int enter(SoftSharedReceiveQueue queue) {
        return engine.sharedReceives().enter(queue);
    }

    @Override
    protected void leave(SoftSharedReceiveQueue queue) {
        engine.sharedReceives().leave(queue);
    }

    @Override
    protected void release() {
    }
}
