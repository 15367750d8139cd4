// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.softrdma.abi.uverbs.AllocPdResponse;
import org.softrdma.abi.uverbs.CreateCompChannelResponse;
import org.softrdma.abi.uverbs.MmapInfo;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.daemon.rings.RingView;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.daemon.verbs.UverbsFile;
import org.softrdma.linux.process.EventReader;
import org.softrdma.linux.process.SharedFileView;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.ThreadDomain;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;

/** An open device of the daemon: its file, in which the rings lie, and its objects. */
final class JoinedContext implements Context {
    private static final long LOOK_INTERVAL_NS = 100_000_000;

    private final DaemonDevice device;
    private final DaemonSession session;
    private final int file;
    private final SharedFileView shared;
    private final Arena mapping = Arena.ofShared();
    /** The file up to the doorbells. */
    private final MemorySegment rings;
    private final DeviceQueries queries = new DeviceQueries(this);
    private final JoinedEvents events;
    /** Objects that exist, by their keys. */
    private final Map<Long, JoinedObject> objects = new ConcurrentHashMap<>();
    private final AtomicLong lastKey = new AtomicLong();
    private final int completionVectors;
    private volatile boolean closed;
    /** Time of the next look at the daemon. */
    private volatile long lookNs = System.nanoTime();

    JoinedContext(DaemonDevice device) {
        this.device = device;
        session = device.session();
        file = session.open(device.listed().node());
        shared = new SharedFileView(session.takeDescriptor(file));
        EventReader opened = null;
        try {
            rings = shared.map(UverbsFile.RING_BYTES, mapping);
            completionVectors = begin();
            opened = new EventReader(session.takeDescriptor(allocateEvents()));
            events = new JoinedEvents(this, opened);
        } catch (RuntimeException refused) {
            release();
            throw refused;
        }
    }

    private int begin() {
        try (Ioctl call = new Ioctl(this, UverbsObject.DEVICE, UverbsMethod.GET_CONTEXT)) {
            MemorySegment vectors = call.room(Integer.BYTES);
            call.output(UverbsAttribute.GET_CONTEXT_NUM_COMP_VECTORS, vectors)
                .output(UverbsAttribute.GET_CONTEXT_CORE_SUPPORT, call.room(Long.BYTES)).run("open_device");
            return Ioctl.u32(vectors);
        }
    }

    private int allocateEvents() {
        try (Ioctl call = new Ioctl(this, UverbsObject.ASYNC_EVENT, UverbsMethod.ASYNC_EVENT_ALLOC)) {
            call.number(UverbsAttribute.ASYNC_EVENT_ALLOC_FD_HANDLE, 0).run("open_device");
            return call.number(UverbsAttribute.ASYNC_EVENT_ALLOC_FD_HANDLE);
        }
    }

    private void release() {
        closed = true;
        try {
            session.close(file);
        } catch (VerbsException gone) {
            // The daemon has closed the file before, with its device.
            if (gone.errno() != Errno.EIO) {
                throw gone;
            }
        } finally {
            shared.close();
            mapping.close();
        }
    }

    DaemonSession session() {
        return session;
    }

    /** Number of the device's file. */
    int file() {
        return file;
    }

    int driverId() {
        return device.listed().driverId();
    }

    int completionVectors() {
        return completionVectors;
    }

    /** Returns the ring that an answer of the driver describes. */
    RingView ring(MemorySegment answer, long at) {
        return RingView.of(rings.asSlice(MmapInfo.offset(answer, at), Integer.toUnsignedLong(MmapInfo.size(answer, at))));
    }

    /**
     * Has the device look at the send queues.
     *
     * @throws VerbsException EIO: the daemon's file cannot be written
     */
    void ring() {
        if (!shared.ring(UverbsFile.RING_BYTES)) {
            throw new VerbsException(Errno.EIO, "post_send", "the context has ended");
        }
    }

    /**
     * Requires that the daemon has the device still. For polling of rings, which nobody fills any more otherwise: it looks ten times a
     * second at most.
     *
     * @throws VerbsException EIO
     */
    void requireDevice(String verb) {
        long nowNs = System.nanoTime();
        if (nowNs - lookNs < 0) {
            return;
        }
        if (events.haveEnded()) {
            throw new VerbsException(Errno.EIO, verb, "the daemon has ended, or the device was deleted");
        }
        lookNs = nowNs + LOOK_INTERVAL_NS;
    }

    void requireOpen(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, "the context is closed");
        }
    }

    long newKey() {
        return lastKey.incrementAndGet();
    }

    void add(JoinedObject object) {
        objects.put(object.key(), object);
    }

    void remove(JoinedObject object) {
        objects.remove(object.key());
    }

    /** Returns the object with that key, or null. */
    JoinedObject object(long key) {
        return objects.get(key);
    }

    /** Counts the objects that need another one, by kind. */
    Map<String, Integer> users(JoinedObject used) {
        return count(each -> each.uses(used));
    }

    private Map<String, Integer> count(Predicate<JoinedObject> wanted) {
        Map<String, Integer> counts = new TreeMap<>();
        objects.values().stream().filter(wanted).forEach(each -> counts.merge(each.kind() + "s", 1, Integer::sum));
        return counts;
    }

    @Override
    public RdmaDevice device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        requireOpen("query_device");
        return queries.device();
    }

    @Override
    public PortAttributes queryPort(int port) {
        requireOpen("query_port");
        return queries.port(port);
    }

    @Override
    public Gid queryGid(int port, int index) {
        requireOpen("query_gid");
        try {
            return queries.gidEntry(port, index, "query_gid").gid();
        } catch (VerbsException refused) {
            if (refused.errno() != Errno.ENODATA) {
                throw refused;
            }
            return Gid.ZERO;
        }
    }

    @Override
    public GidEntry queryGidEntry(int port, int index) {
        requireOpen("query_gid_ex");
        return queries.gidEntry(port, index, "query_gid_ex");
    }

    @Override
    public List<GidEntry> queryGidTable() {
        requireOpen("query_gid_table");
        return queries.gidTable();
    }

    @Override
    public int queryPkey(int port, int index) {
        requireOpen("query_pkey");
        return queries.pkey(port, index);
    }

    /** Counters of the device, of all programs together. */
    @Override
    public Map<String, Long> counters() {
        requireOpen("counters");
        return session.about(device.name()).counters();
    }

    @Override
    public ProtectionDomain allocatePd() {
        requireOpen("alloc_pd");
        JoinedDomain made = new JoinedDomain(this);
        try (Ioctl call = Ioctl.command(this, UverbsCommand.ALLOC_PD)) {
            MemorySegment out = call.room(AllocPdResponse.BYTES);
            call.in(call.room(Long.BYTES)).out(out).run("alloc_pd");
            made.created(AllocPdResponse.pdHandle(out, 0));
            return made;
        }
    }

    /** The daemon's contexts have none, as those of C programs. */
    @Override
    public XrcDomain openXrcd(String name, int flags) {
        requireOpen("open_xrcd");
        throw VerbsException.unsupported("open_xrcd");
    }

    @Override
    public ThreadDomain allocateTd() {
        requireOpen("alloc_td");
        return new JoinedThreadDomain(this);
    }

    @Override
    public ProtectionDomain allocateParentDomain(ProtectionDomain pd, ThreadDomain td) {
        requireOpen("alloc_parent_domain");
        return JoinedDomain.parent(JoinedObject.own(JoinedDomain.class, pd, this, "alloc_parent_domain", "the protection domain"),
            td == null ? null : JoinedObject.own(JoinedThreadDomain.class, td, this, "alloc_parent_domain", "the thread domain"));
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        requireOpen("create_comp_channel");
        try (Ioctl call = Ioctl.command(this, UverbsCommand.CREATE_COMP_CHANNEL)) {
            MemorySegment out = call.room(CreateCompChannelResponse.BYTES);
            call.in(call.room(Long.BYTES)).out(out).run("create_comp_channel");
            int number = CreateCompChannelResponse.fd(out, 0);
            return new JoinedChannel(this, number, new EventReader(session.takeDescriptor(number)));
        }
    }

    @Override
    public CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector) {
        return createCompletionQueue(cqe, cqContext, channel, compVector, null);
    }

    @Override
    public CompletionQueue createCq(int cqe, Object cqContext, CompletionChannel channel, int compVector, ProtectionDomain parentDomain) {
        JoinedDomain parent = JoinedObject.own(JoinedDomain.class, parentDomain, this, "create_cq", "the parent domain");
        if (!parent.isParent()) {
            throw new VerbsException(Errno.EINVAL, "create_cq", "the protection domain is no parent domain");
        }
        return createCompletionQueue(cqe, cqContext, channel, compVector, parent);
    }

    private CompletionQueue createCompletionQueue(int cqe, Object cqContext, CompletionChannel channel, int compVector,
                                                  JoinedDomain parent) {
        requireOpen("create_cq");
        return JoinedCompletionQueue.create(this, cqe, cqContext, channel == null ? null
            : JoinedObject.own(JoinedChannel.class, channel, this, "create_cq", "the completion channel"), compVector, parent);
    }

    @Override
    public AsyncEvent getAsyncEvent(long timeoutNs) {
        requireOpen("get_async_event");
        return events.next(timeoutNs);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        Map<String, Integer> left = count(_ -> true);
        if (!left.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, "close_device", device.name() + " has open objects: " + left);
        }
        events.close();
        release();
    }
}
