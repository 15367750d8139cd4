// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.softrdma.cm.CmContext;
import org.softrdma.cm.CmTransport;
import org.softrdma.device.queue.Destination;
import org.softrdma.device.verbs.MadPort;
import org.softrdma.device.verbs.SoftContext;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftSharedReceiveQueue;
import org.softrdma.device.verbs.SoftXrcDomain;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.SubnetPort;
import org.softrdma.recording.FlightRecorder;
import org.softrdma.rxe.engine.RxeLimits;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.Lrh;

/** An open rxe device. */
public final class RxeContext extends SoftContext implements CmContext {
    private final RdmaDevice device;
    private final RunningRxe running;
    private final Consumer<SoftContext> whenClosed;
    private boolean connects;

    RxeContext(RdmaDevice device, RunningRxe running, Consumer<SoftContext> whenClosed) {
        super(running.agent(), running.engine().memory());
        this.device = device;
        this.running = running;
        this.whenClosed = whenClosed;
    }

    /** {@return the device as it runs in this process} */
    public RunningRxe running() {
        return running;
    }

    @Override
    public MadPort madPort() {
        return new RxeMadPort(running);
    }

    @Override
    public synchronized CmTransport cmTransport() {
        if (!connects) {
            running.cm().use();
            connects = true;
        }
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
        return running.portAttributes(counter("drop_bad_pkey"), counter("drop_bad_qkey"));
    }

    Mtu activeMtu() {
        return running.activeMtu();
    }

    private int counter(String name) {
        return (int) counters().get(name).longValue();
    }

    @Override
    public Gid queryGid(int port, int index) {
        requireOpen("query_gid");
        GidEntry entry = gidEntry("query_gid", port, index);
        return entry == null ? Gid.ZERO : entry.gid();
    }

    @Override
    public GidEntry queryGidEntry(int port, int index) {
        requireOpen("query_gid_ex");
        GidEntry entry = gidEntry("query_gid_ex", port, index);
        if (entry == null) {
            throw new VerbsException(Errno.ENODATA, "query_gid_ex", "GID index " + index + " of port " + port + " is not used");
        }
        return entry;
    }

    private GidEntry gidEntry(String verb, int port, int index) {
        requirePort(verb, port);
        if (index < 0 || index >= RxeLimits.GID_TABLE_LENGTH) {
            throw new VerbsException(Errno.EINVAL, verb, "GID index " + index + " is not in 0.." + (RxeLimits.GID_TABLE_LENGTH - 1));
        }
        return running.gids().at(index);
    }

    @Override
    public List<GidEntry> queryGidTable() {
        requireOpen("query_gid_table");
        return running.gids().entries();
    }

    @Override
    public int queryPkey(int port, int index) {
        requireOpen("query_pkey");
        requirePort("query_pkey", port);
        requireIndex(index);
        return pkey(index);
    }

    private void requireIndex(int index) {
        SubnetPort subnet = running.link().subnetPort();
        int entries = subnet == null ? 1 : subnet.pkeys().size();
        if (index < 0 || index >= entries) {
            throw new VerbsException(Errno.EINVAL, "query_pkey", "P_Key index " + index + ": the table has " + (entries == 1 ? "one entry"
                : entries + " entries"));
        }
    }

    /** P_Key at an index of the port's table; 0 if there is none. */
    int pkey(int index) {
        SubnetPort subnet = running.link().subnetPort();
        if (subnet == null) {
            return index == 0 ? QpMachine.PKEY : 0;
        }
        return index >= 0 && index < subnet.pkeys().size() ? subnet.pkeys().get(index) : 0;
    }

    @Override
    public Map<String, Long> counters() {
        return running.counters();
    }

    @Override
    protected QueuePair newQueuePair(SoftProtectionDomain pd, QpInitAttributes attributes) {
        QpCapabilities cap = attributes.cap();
        limit("max_send_wr", cap.maxSendWr(), RxeLimits.MAX_QP_WR);
        limit("max_send_sge", cap.maxSendSge(), RxeLimits.MAX_SGE);
        if (attributes.type() == QpType.XRC_RECV) {
            throw new VerbsException(Errno.EINVAL, "create_qp",
                "an XRC_RECV queue pair belongs to an XRC domain instead of a protection domain; use XrcDomain.createTarget()");
        }
        if (attributes.srq() == null && attributes.type() != QpType.XRC_SEND) {
            limit("max_recv_wr", cap.maxRecvWr(), RxeLimits.MAX_QP_WR);
            limit("max_recv_sge", cap.maxRecvSge(), RxeLimits.MAX_SGE);
        }
        limit("max_inline_data", cap.maxInlineData(), RxeLimits.MAX_INLINE);
        return RxeQueuePair.create(this, pd, attributes);
    }

    private static void limit(String what, int asked, int max) {
        if (asked < 0 || asked > max) {
            throw new VerbsException(Errno.EINVAL, "create_qp", what + " " + asked + " is not in 0.." + max);
        }
    }

    private static void requirePort(String verb, int port) {
        if (port != 1) {
            throw new VerbsException(Errno.EINVAL, verb, "port " + port + "; the device has port 1 only");
        }
    }

    /**
     * Waits for the resolution of the peer's link address, without any lock. Errors of the vector are left to {@link #resolve}.
     *
     * @throws VerbsException EHOSTUNREACH: the peer does not answer
     */
    void awaitReachable(AddressVector vector) {
        GidEntry source = vector.sgidIndex() < 0 ? null : running.gids().at(vector.sgidIndex());
        if (source != null && source.type() != GidType.IB && vector.dgid() != null && !vector.dgid().isZero()) {
            running.link().awaitReachable(source.type(), source.gid(), vector.dgid());
        }
    }

    /**
     * Turns an address vector into a path, with the owner's lock held.
     *
     * @param who          prefix of the error message
     * @param trafficClass of the path's packets
     */
    Path resolve(String verb, String who, AddressVector vector, int trafficClass) {
        if (vector.port() != 1) {
            throw new VerbsException(Errno.EINVAL, verb, who + "AV port " + vector.port() + "; the device has port 1 only");
        }
        if (running.link().subnetPort() != null && !vector.isGlobal()) {
            requireLid(verb, who, vector);
            return running.link().resolve(PathRequest.withinSubnet(Gid.ZERO, vector.dlid(), vector.sl(), vector.srcPathBits()));
        }
        GidEntry source = vector.sgidIndex() < 0 ? null : running.gids().at(vector.sgidIndex());
        if (source == null) {
            throw new VerbsException(Errno.EINVAL, verb, who + "AV sgid_index " + vector.sgidIndex() + " names no GID; the table has "
                + running.gids().entries().stream().map(GidEntry::index).toList());
        }
        if (vector.dgid() == null || vector.dgid().isZero()) {
            throw new VerbsException(Errno.EINVAL, verb, who
                + "AV without a GID: RoCE needs a global route (did the peer's tool run without -g?)");
        }
        if (source.type() == GidType.ROCE_V2 && source.gid().isIpv4Mapped() != vector.dgid().isIpv4Mapped()) {
            throw new VerbsException(Errno.EINVAL, verb, who + "AV from " + source.gid() + " (sgid_index " + vector.sgidIndex() + ") to "
                + vector.dgid() + ": one is IPv4, the other IPv6; both ends must choose GIDs of the same kind");
        }
        if (!running.link().has(source.type(), source.gid())) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, verb, who + "sgid_index " + vector.sgidIndex() + " is " + source.gid()
                + ", which interface " + source.netdev() + " does not have; choose another index");
        }
        if (source.type() == GidType.IB) {
            requireLid(verb, who, vector);
        }
        return running.link().resolve(new PathRequest(source.type(), source.gid(), vector.dgid(), trafficClass, vector.hopLimit(),
            vector.sl(), vector.dlid(), vector.srcPathBits()));
    }

    private static void requireLid(String verb, String who, AddressVector vector) {
        if (vector.dlid() < 1 || vector.dlid() >= Lrh.PERMISSIVE_LID) {
            throw new VerbsException(Errno.EINVAL, verb, who + "AV dlid " + vector.dlid() + " is not in 1..65534: on an InfiniBand subnet"
                + " each packet needs a LID, also with a GID; has a subnet manager run (softrdma sm)?");
        }
    }

    @Override
    protected Path openDestination(AddressVector vector) {
        Path path = resolve("create_ah", "", vector, vector.trafficClass());
        running.engine().objects().addAddressHandle();
        return path;
    }

    @Override
    protected void closeDestination(Destination destination) {
        running.engine().objects().removeAddressHandle();
    }

    @Override
    protected int newPdNumber() {
        return running.newPdNumber();
    }

    @Override
    public long rawClockNs() {
        return running.nowNs();
    }

    @Override
    protected long roundNs() {
        return running.engine().nowNs();
    }

    @Override
    protected int enter(SoftSharedReceiveQueue queue) {
        return running.engine().sharedReceives().enter(queue);
    }

    @Override
    protected void leave(SoftSharedReceiveQueue queue) {
        running.engine().sharedReceives().leave(queue);
    }

    @Override
    protected int enterXrcd(String name, boolean create, boolean exclusive) {
        return running.engine().objects().xrcDomains().open(name, create, exclusive);
    }

    @Override
    protected void leaveXrcd(int number) {
        running.engine().objects().xrcDomains().close(number);
    }

    @Override
    protected QueuePair newTarget(SoftXrcDomain domain) {
        return RxeQueuePair.createTarget(this, domain);
    }

    @Override
    protected QueuePair openTarget(SoftXrcDomain domain, int qpNum) {
        return RxeQueuePair.openTarget(this, domain, qpNum);
    }

    @Override
    protected void release() {
        if (connects) {
            running.cm().leave();
        }
        whenClosed.accept(this);
    }
}
