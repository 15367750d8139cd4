// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.softrdma.cm.CmContext;
import org.softrdma.cm.CmTransport;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftSharedReceiveQueue;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;

/** An open iWARP device. */
final class SiwContext extends SoftContext implements CmContext {
    private final RdmaDevice device;
    private final RunningSiw running;
    private final Consumer<SoftContext> whenClosed;
    private final SiwEngine engine;
    private final GidEntry gid;

    SiwContext(RdmaDevice device, RunningSiw running, Consumer<SoftContext> whenClosed) {
        super(running.agent(), running.engine().memory());
        this.device = device;
        this.running = running;
        this.whenClosed = whenClosed;
        engine = running.engine();
        gid = SiwPort.gid(running.netdev(), running.hardwareAddress());
    }

    RunningSiw running() {
        return running;
    }

    SiwEngine engine() {
        return engine;
    }

    @Override
    public CmTransport cmTransport() {
        return running.cm();
    }

    @Override
    public FlightRecorder recorder() {
        return running.recorder();
    }

    @Override
    public RdmaDevice device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        requireOpen("query_device");
        return running.attributes();
    }

    @Override
    public PortAttributes queryPort(int port) {
        requireOpen("query_port");
        requirePort("query_port", port);
        return SiwPort.attributes(running.netdev());
    }

    @Override
    public Gid queryGid(int port, int index) {
        requireOpen("query_gid");
        return gidEntry("query_gid", port, index).gid();
    }

    @Override
    public GidEntry queryGidEntry(int port, int index) {
        requireOpen("query_gid_ex");
        return gidEntry("query_gid_ex", port, index);
    }

    private GidEntry gidEntry(String verb, int port, int index) {
        requirePort(verb, port);
        if (index != 0) {
            throw new VerbsException(Errno.EINVAL, verb, "GID index " + index + ": the table has one entry, the hardware address");
        }
        return gid;
    }

    @Override
    public List<GidEntry> queryGidTable() {
        requireOpen("query_gid_table");
        return List.of(gid);
    }

    @Override
    public int queryPkey(int port, int index) {
        requireOpen("query_pkey");
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
        return running.counters();
    }

    @Override
    public long rawClockNs() {
        return running.nowNs();
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
        return running.newPdNumber();
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
        whenClosed.accept(this);
    }
}
