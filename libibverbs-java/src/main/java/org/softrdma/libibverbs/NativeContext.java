// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvDeviceAttr;
import org.softrdma.libibverbs.layout.IbvDeviceAttrEx;
import org.softrdma.libibverbs.layout.IbvGidEntry;
import org.softrdma.libibverbs.layout.IbvPortAttr;
import org.softrdma.libibverbs.layout.IbvValuesEx;
import org.softrdma.libibverbs.layout.Pointer;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.Mtu;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.ThreadDomain;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;
import org.softrdma.verbs.provider.InterfaceNames;

/** {@code struct ibv_context}. */
final class NativeContext implements Context {
    private static final int MAX_FW_VER = 64;
    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_S = 1_000_000_000;

    final NativeFunction allocMw;
    final NativeFunction bindMw;
    final NativeFunction deallocMw;
    final ExtendedOperations extended;
    /** Ticks of the device's clock in a millisecond; 0 if completions have no timestamps. */
    final long clockKhz;
    /** The driver is librxe, some releases of which have errors that callers must avoid. */
    final boolean isLibrxe;
    private final NativeDevice device;
    private final AsyncEvents events;
    /** Objects that exist, by their address in C: events name them so. */
    private final Map<Long, NativeObject> objects = new ConcurrentHashMap<>();
    /** Belongs to librdmacm, which never closes it. */
    private final boolean shared;
    /** Operations that the driver makes queue pairs for, by type. */
    private final Map<QpType, Integer> sendOperations = new ConcurrentHashMap<>();
    private NativeProtectionDomain sharedPd;
    private volatile long address;
    private volatile boolean gone;

    NativeContext(NativeDevice device, long address, boolean shared) {
        this.device = device;
        this.address = address;
        this.shared = shared;
        allocMw = NativeFunction.at(IbvContext.ALLOC_MW.get(ALL, address), "alloc_mw", NativeFunction.LONG, NativeFunction.LONG,
            NativeFunction.INT);
        bindMw = NativeFunction.at(IbvContext.BIND_MW.get(ALL, address), "bind_mw", NativeFunction.INT, NativeFunction.LONG,
            NativeFunction.LONG, NativeFunction.LONG);
        deallocMw = NativeFunction.at(IbvContext.DEALLOC_MW.get(ALL, address), "dealloc_mw", NativeFunction.INT, NativeFunction.LONG);
        extended = new ExtendedOperations(address);
        isLibrxe = DriverLibrary.of(IbvContext.POLL_CQ.get(ALL, address)).startsWith("librxe");
        clockKhz = readClockKhz();
        events = new AsyncEvents(this, IbvContext.ASYNC_FD.get(ALL, address));
    }

    /** Returns the protection domain that identifiers of this device share. */
    synchronized ProtectionDomain sharedPd() {
        if (sharedPd == null) {
            sharedPd = (NativeProtectionDomain) allocatePd();
        }
        return sharedPd;
    }

    /**
     * Whether an object cannot be destroyed because the device was removed: then the kernel has destroyed it, and has EIO for every call.
     * The library keeps its structure, and refuses to destroy others that it uses. Source: {@code verbs_is_destroy_err} of rdma-core.
     *
     * @param refused result of the function that destroys an object: 0, an errno value, or -1 and errno
     */
    boolean isGone(int refused) {
        if ((refused < 0 ? NativeFunction.errno() : refused) == Errno.EIO.value()) {
            gone = true;
        }
        return gone;
    }

    /** Returns an operation of the data path. */
    MemorySegment operation(Pointer field) {
        return MemorySegment.ofAddress(field.get(ALL, address("open_device")));
    }

    /** Bits of {@link org.softrdma.verbs.SendOps} to make queue pairs of a type for: all of the service until a driver had fewer. */
    int sendOperations(QpType type) {
        return sendOperations.getOrDefault(type, SendOps.of(type));
    }

    void learnSendOperations(QpType type, int operations) {
        sendOperations.put(type, operations);
    }

    long address(String verb) {
        long now = address;
        if (now == 0) {
            throw new VerbsException(Errno.EINVAL, verb, "the context is closed");
        }
        return now;
    }

    void add(NativeObject object) {
        objects.put(object.key(), object);
    }

    void remove(NativeObject object) {
        objects.remove(object.key(), object);
    }

    /** Counts the objects that need another one, by kind. */
    Map<String, Integer> users(NativeObject used) {
        return count(each -> each.uses(used));
    }

    private Map<String, Integer> count(Predicate<NativeObject> wanted) {
        Map<String, Integer> counts = new TreeMap<>();
        objects.values().stream().filter(wanted).forEach(each -> counts.merge(each.kind() + "s", 1, Integer::sum));
        return counts;
    }

    /** Returns the object with that address, or null. */
    NativeObject object(long key) {
        return objects.get(key);
    }

    @Override
    public RdmaDevice device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvDeviceAttrEx.BYTES, 8);
            queryExtended(m);
            return new DeviceAttributes(m.asSlice(IbvDeviceAttr.FW_VER.offset(), MAX_FW_VER).getString(0),
                IbvDeviceAttr.NODE_GUID.get(m, 0), IbvDeviceAttr.SYS_IMAGE_GUID.get(m, 0), IbvDeviceAttr.MAX_MR_SIZE.get(m, 0),
                IbvDeviceAttr.PAGE_SIZE_CAP.get(m, 0), IbvDeviceAttr.VENDOR_ID.get(m, 0), IbvDeviceAttr.VENDOR_PART_ID.get(m, 0),
                IbvDeviceAttr.HW_VER.get(m, 0), IbvDeviceAttr.MAX_QP.get(m, 0), IbvDeviceAttr.MAX_QP_WR.get(m, 0),
                IbvDeviceAttr.DEVICE_CAP_FLAGS.get(m, 0), IbvDeviceAttr.MAX_SGE.get(m, 0), IbvDeviceAttr.MAX_SGE_RD.get(m, 0), 0,
                IbvDeviceAttr.MAX_CQ.get(m, 0), IbvDeviceAttr.MAX_CQE.get(m, 0), IbvDeviceAttr.MAX_MR.get(m, 0),
                IbvDeviceAttr.MAX_PD.get(m, 0), IbvDeviceAttr.MAX_QP_RD_ATOM.get(m, 0), IbvDeviceAttr.MAX_RES_RD_ATOM.get(m, 0),
                IbvDeviceAttr.MAX_QP_INIT_RD_ATOM.get(m, 0), IbvDeviceAttr.ATOMIC_CAP.get(m, 0), IbvDeviceAttr.MAX_MW.get(m, 0),
                IbvDeviceAttr.MAX_MCAST_GRP.get(m, 0), IbvDeviceAttr.MAX_MCAST_QP_ATTACH.get(m, 0),
                IbvDeviceAttr.MAX_TOTAL_MCAST_QP_ATTACH.get(m, 0), IbvDeviceAttr.MAX_AH.get(m, 0), IbvDeviceAttr.MAX_SRQ.get(m, 0),
                IbvDeviceAttr.MAX_SRQ_WR.get(m, 0), IbvDeviceAttr.MAX_SRQ_SGE.get(m, 0), IbvDeviceAttr.MAX_PKEYS.get(m, 0),
                IbvDeviceAttr.LOCAL_CA_ACK_DELAY.get(m, 0), IbvDeviceAttr.PHYS_PORT_CNT.get(m, 0),
                IbvContext.NUM_COMP_VECTORS.get(ALL, address("query_device")),
                Integer.toUnsignedLong(IbvDeviceAttr.DEVICE_CAP_FLAGS.get(m, 0)) | IbvDeviceAttrEx.DEVICE_CAP_FLAGS_EX.get(m, 0));
        }
    }

    /** Fills {@code struct ibv_device_attr_ex}, as far as the driver has it: {@code ibv_query_device_ex}. */
    private void queryExtended(MemorySegment m) {
        long context = address("query_device");
        if (extended.queryDeviceEx.isThere()) {
            long refused = extended.queryDeviceEx.call(context, 0, m.address(), IbvDeviceAttrEx.BYTES);
            if (refused != Errno.EOPNOTSUPP.value() && refused != Errno.ENOSYS.value()) {
                Libibverbs.check(refused, "query_device", device.name());
                return;
            }
            m.fill((byte) 0);
        }
        Libibverbs.check(Libibverbs.QUERY_DEVICE.call(context, m.address()), "query_device", device.name());
    }

    private long readClockKhz() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvDeviceAttrEx.BYTES, 8);
            queryExtended(m);
            return IbvDeviceAttrEx.COMPLETION_TIMESTAMP_MASK.get(m, 0) == 0 ? 0 : IbvDeviceAttrEx.HCA_CORE_CLOCK.get(m, 0);
        }
    }

    /**
     * Time of the device's clock, whose counter begins again after {@code completion_timestamp_mask} cycles.
     *
     * @throws VerbsException EOPNOTSUPP: the driver does not read a clock, or does not say how fast it is
     */
    @Override
    public long rawClockNs() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvValuesEx.BYTES, 8);
            IbvValuesEx.COMP_MASK.set(m, 0, IbvValuesEx.RAW_CLOCK);
            Libibverbs.check(extended.queryRtValues.call(address("query_rt_values_ex"), m.address()), "query_rt_values_ex", device.name());
            return clockNs(IbvValuesEx.TV_SEC.get(m, 0) * NS_PER_S + IbvValuesEx.TV_NSEC.get(m, 0), "query_rt_values_ex");
        }
    }

    /** Converts cycles of the device's clock, u64, to nanoseconds. */
    long clockNs(long cycles, String verb) {
        if (clockKhz == 0) {
            throw new VerbsException(Errno.EOPNOTSUPP, verb, device.name() + " has no clock for completions");
        }
        return Long.divideUnsigned(cycles, clockKhz) * NS_PER_MS + Long.remainderUnsigned(cycles, clockKhz) * NS_PER_MS / clockKhz;
    }

    @Override
    public PortAttributes queryPort(int port) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvPortAttr.BYTES, 8);
            Libibverbs.check(Libibverbs.QUERY_PORT.call(address("query_port"), port, m.address()), "query_port",
                device.name() + " port " + port);
            return new PortAttributes(PortState.of(IbvPortAttr.STATE.get(m, 0)), Mtu.of(IbvPortAttr.MAX_MTU.get(m, 0)),
                Mtu.of(IbvPortAttr.ACTIVE_MTU.get(m, 0)), IbvPortAttr.GID_TBL_LEN.get(m, 0), IbvPortAttr.PORT_CAP_FLAGS.get(m, 0),
                Integer.toUnsignedLong(IbvPortAttr.MAX_MSG_SZ.get(m, 0)), IbvPortAttr.BAD_PKEY_CNTR.get(m, 0),
                IbvPortAttr.QKEY_VIOL_CNTR.get(m, 0), IbvPortAttr.PKEY_TBL_LEN.get(m, 0), IbvPortAttr.LID.get(m, 0),
                IbvPortAttr.SM_LID.get(m, 0), IbvPortAttr.LMC.get(m, 0), IbvPortAttr.MAX_VL_NUM.get(m, 0),
                IbvPortAttr.SM_SL.get(m, 0), IbvPortAttr.SUBNET_TIMEOUT.get(m, 0), IbvPortAttr.INIT_TYPE_REPLY.get(m, 0),
                IbvPortAttr.ACTIVE_WIDTH.get(m, 0), IbvPortAttr.ACTIVE_SPEED.get(m, 0), IbvPortAttr.PHYS_STATE.get(m, 0),
                IbvPortAttr.LINK_LAYER.get(m, 0));
        }
    }

    @Override
    public Gid queryGid(int port, int index) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment gid = arena.allocate(Gids.BYTES, 8);
            Libibverbs.check(Libibverbs.QUERY_GID.call(address("query_gid"), port, index, gid.address()), "query_gid",
                device.name() + " port " + port + " index " + index);
            return Gids.get(gid, 0);
        }
    }

    @Override
    public GidEntry queryGidEntry(int port, int index) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvGidEntry.BYTES, 8);
            Libibverbs.check(Libibverbs.QUERY_GID_EX.call(address("query_gid_ex"), port, index, m.address(), 0, IbvGidEntry.BYTES),
                "query_gid_ex", device.name() + " port " + port + " index " + index);
            return entry(m, 0);
        }
    }

    @Override
    public List<GidEntry> queryGidTable() {
        address("query_gid_table");
        int most = 0;
        int ports = queryDevice().physPortCnt();
        for (int port = 1; port <= ports; port++) {
            most += queryPort(port).gidTblLen();
        }
        List<GidEntry> entries = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(Math.max(1, (long) most) * IbvGidEntry.BYTES, 8);
            long used = Libibverbs.QUERY_GID_TABLE.call(address("query_gid_table"), m.address(), most, 0, IbvGidEntry.BYTES);
            if (used < 0) {
                throw Libibverbs.failure((int) -used, "query_gid_table", device.name());
            }
            for (long i = 0; i < used; i++) {
                entries.add(entry(m, i * IbvGidEntry.BYTES));
            }
        }
        return entries;
    }

    private static GidEntry entry(MemorySegment m, long at) {
        int interfaceIndex = IbvGidEntry.NDEV_IFINDEX.get(m, at);
        int type = IbvGidEntry.GID_TYPE.get(m, at);
        return new GidEntry(Gids.get(m, at + IbvGidEntry.GID.offset()), IbvGidEntry.GID_INDEX.get(m, at), IbvGidEntry.PORT_NUM.get(m, at),
            type == GidType.ROCE_V2.value() ? GidType.ROCE_V2 : type == GidType.ROCE_V1.value() ? GidType.ROCE_V1 : GidType.IB,
            InterfaceNames.of(interfaceIndex), interfaceIndex);
    }

    @Override
    public int queryPkey(int port, int index) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment key = arena.allocate(JAVA_SHORT);
            if (Libibverbs.QUERY_PKEY.call(address("query_pkey"), port, index, key.address()) != 0) {
                // The library reads a file, which is not there.
                throw new VerbsException(Errno.EINVAL, "query_pkey", device.name() + " has no port " + port + " with index " + index);
            }
            return key.get(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 0) & 0xffff;
        }
    }

    /** Counters of port 1 that the kernel shows, by name; of two with one name, that of the device. */
    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new TreeMap<>();
        for (String group : List.of("hw_counters", "counters")) {
            Path directory = NativeDevice.CLASS.resolve(device.name()).resolve("ports/1").resolve(group);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    String text = Files.readString(file).strip();
                    if (text.matches("[0-9]{1,18}")) {
                        counters.putIfAbsent(file.getFileName().toString(), Long.parseLong(text));
                    }
                }
            } catch (IOException notShown) {
                // not every device has both
            }
        }
        return counters;
    }

    @Override
    public ProtectionDomain allocatePd() {
        return new NativeProtectionDomain(this,
            Libibverbs.created(Libibverbs.ALLOC_PD.call(address("alloc_pd")), "alloc_pd", device.name()));
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return new NativeCompletionChannel(this, Libibverbs.created(Libibverbs.CREATE_COMP_CHANNEL.call(address("create_comp_channel")),
            "create_comp_channel", device.name()));
    }

    @Override
    public CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector) {
        NativeCompletionChannel events =
            channel == null ? null : NativeObject.own(NativeCompletionChannel.class, channel, this, "create_cq", "the completion channel");
        return NativeCompletionQueue.create(this, cqe, cqContext, events, compVector, null);
    }

    @Override
    public CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector, ProtectionDomain parentDomain) {
        NativeCompletionChannel events =
            channel == null ? null : NativeObject.own(NativeCompletionChannel.class, channel, this, "create_cq", "the completion channel");
        NativeProtectionDomain parent =
            NativeObject.own(NativeProtectionDomain.class, parentDomain, this, "create_cq", "the parent domain");
        if (!parent.isParent()) {
            throw new VerbsException(Errno.EINVAL, "create_cq", "the protection domain is no parent domain");
        }
        return NativeCompletionQueue.create(this, cqe, cqContext, events, compVector, parent);
    }

    @Override
    public ThreadDomain allocateTd() {
        return NativeThreadDomain.allocate(this);
    }

    @Override
    public ProtectionDomain allocateParentDomain(ProtectionDomain pd, ThreadDomain td) {
        address("alloc_parent_domain");
        return NativeProtectionDomain.allocateParent(
            NativeObject.own(NativeProtectionDomain.class, pd, this, "alloc_parent_domain", "the protection domain"), td == null ? null
                : NativeObject.own(NativeThreadDomain.class, td, this, "alloc_parent_domain", "the thread domain"));
    }

    @Override
    public XrcDomain openXrcd(String name, int flags) {
        return NativeXrcDomain.open(this, name, flags);
    }

    @Override
    public AsyncEvent getAsyncEvent(long timeoutNs) {
        return events.next(timeoutNs);
    }

    @Override
    public synchronized void close() {
        if (address == 0 || shared) {
            return;
        }
        Map<String, Integer> left = count(_ -> true);
        if (!left.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, "close_device", device.name() + " has open objects: " + left);
        }
        Libibverbs.check(Libibverbs.CLOSE_DEVICE.call(address), "close_device", device.name());
        address = 0;
    }
}
