// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvMr;
import org.softrdma.libibverbs.layout.IbvMwBind;
import org.softrdma.libibverbs.layout.IbvMwBindInfo;
import org.softrdma.libibverbs.layout.IbvQp;
import org.softrdma.libibverbs.layout.IbvQpAttr;
import org.softrdma.libibverbs.layout.IbvQpCap;
import org.softrdma.libibverbs.layout.IbvQpInitAttr;
import org.softrdma.libibverbs.layout.IbvQpInitAttrEx;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.MemoryWindow;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpTransitions;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.provider.KeptLock;

/**
 * {@code struct ibv_qp}, and where the driver has it {@code struct ibv_qp_ex}. Senders and receivers have a lock each, which {@link #close}
 * takes as well.
 */
final class NativeQueuePair extends NativeObject implements QueuePair {
    /** {@code struct ibv_mr} with the key 0. */
    private static final MemorySegment REGION_WITHOUT_KEY = Arena.global().allocate(IbvMr.BYTES, Long.BYTES);
    /** Operations that drivers lack, the rarest first: a queue pair is made for all, or without the first of these, or the first two. */
    private static final int[] RARE = {SendOps.FLUSH, SendOps.ATOMIC_WRITE, SendOps.LOCAL_INV, SendOps.BIND_MW | SendOps.SEND_WITH_INV,
        SendOps.ATOMIC_CMP_AND_SWP | SendOps.ATOMIC_FETCH_AND_ADD};

    private static final QpCapabilities NONE = new QpCapabilities(0, 0, 0, 0, 0);

    /** Null for an XRC target, which belongs to {@link #domain}. */
    private final NativeProtectionDomain pd;
    private final NativeXrcDomain domain;
    private final LongToIntFunction destroyer;
    private final QpType type;
    private final int qpNum;
    private final boolean iwarp;
    private final QpInitAttributes created;
    private final QpCapabilities capabilities;
    private final MemorySegment postSend;
    private final MemorySegment postRecv;
    private final SendChecks checks;
    private final SendRecord send;
    /** Null if the structure is not the extended one. */
    private final ExtendedSends extended;
    private final ReceiveRecord receive = new ReceiveRecord();
    /** Lock of senders, kept during a batch: with it the driver's lock is held, for which the driver would wait in another call. */
    private final KeptLock sending = new KeptLock(() -> "this thread is in a batch; complete or abort it first");
    private final Object receiving = new Object();
    /** Multicast groups. */
    private final AtomicInteger attached = new AtomicInteger();

    private NativeQueuePair(NativeProtectionDomain pd, QpInitAttributes attributes, QpCapabilities granted, long address,
            int operations, LongToIntFunction destroyer) {
        this(pd.nativeContext(), pd, null, attributes, granted, address, operations, destroyer);
    }

    /** Makes a target of an XRC domain from its structure. */
    NativeQueuePair(NativeXrcDomain domain, long address) {
        this(domain.nativeContext(), null, domain, new QpInitAttributes(QpType.XRC_RECV, null, null, null, NONE, false), NONE, address, 0,
            qp -> (int) Libibverbs.DESTROY_QP.call(qp));
    }

    private NativeQueuePair(NativeContext context, NativeProtectionDomain pd, NativeXrcDomain domain, QpInitAttributes attributes,
            QpCapabilities granted, long address, int operations, LongToIntFunction destroyer) {
        super(context, "queue pair", address);
        this.pd = pd;
        this.domain = domain;
        this.destroyer = destroyer;
        type = attributes.type();
        created = attributes;
        capabilities = granted;
        iwarp = context.device().transport() == Transport.IWARP;
        qpNum = IbvQp.QP_NUM.get(ALL, address);
        postSend = context.operation(IbvContext.POST_SEND);
        postRecv = context.operation(IbvContext.POST_RECV);
        checks = new SendChecks(pd, type, granted);
        send = new SendRecord(checks, type, granted.maxInlineData());
        long extendedQp = operations == 0 ? 0 : Libibverbs.QP_TO_QP_EX.call(address);
        extended = extendedQp == 0 ? null : new ExtendedSends(checks, type, granted.maxInlineData(), extendedQp, operations,
            context.isLibrxe && !Libibverbs.ALLOC_BUF.isThere());
    }

    static NativeQueuePair create(NativeProtectionDomain pd, QpInitAttributes attributes) {
        NativeContext context = pd.nativeContext();
        return create(pd, attributes, init -> context.extended.createQpEx.isThere()
                ? context.extended.createQpEx.call(context.address("create_qp"), init) : 0,
            init -> Libibverbs.CREATE_QP.call(pd.address("create_qp"), init), qp -> (int) Libibverbs.DESTROY_QP.call(qp));
    }

    /**
     * Creates a queue pair.
     *
     * @param extended  creates the structure from {@code struct ibv_qp_init_attr_ex}, where it writes the sizes; 0 with errno if it cannot
     * @param creator   the same from {@code struct ibv_qp_init_attr}
     * @param destroyer destroys it; returns 0 or an errno value
     */
    static NativeQueuePair create(NativeProtectionDomain pd, QpInitAttributes attributes, LongUnaryOperator extended,
            LongUnaryOperator creator, LongToIntFunction destroyer) {
        checkParts(attributes);
        NativeContext context = pd.nativeContext();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvQpInitAttrEx.BYTES, 8);
            IbvQpInitAttrEx.SEND_CQ.set(m, 0, queue(attributes.sendCq(), context, "send_cq"));
            IbvQpInitAttrEx.RECV_CQ.set(m, 0,
                attributes.type() == QpType.XRC_SEND ? 0 : queue(attributes.recvCq(), context, "recv_cq"));
            if (attributes.srq() != null) {
                IbvQpInitAttrEx.SRQ.set(m, 0,
                    own(NativeSharedReceiveQueue.class, attributes.srq(), context, "create_qp", "srq").address("create_qp"));
            }
            IbvQpInitAttrEx.QP_TYPE.set(m, 0, attributes.type().value());
            IbvQpInitAttrEx.SQ_SIG_ALL.set(m, 0, attributes.signalAll() ? 1 : 0);
            IbvQpInitAttrEx.COMP_MASK.set(m, 0, IbvQpInitAttrEx.HAS_PD | IbvQpInitAttrEx.HAS_SEND_OPS_FLAGS);
            IbvQpInitAttrEx.PD.set(m, 0, pd.address("create_qp"));
            int operations = context.sendOperations(attributes.type());
            long address = 0;
            int next = 0;
            while (address == 0 && operations != 0) {
                setCapabilities(m, attributes.cap());
                IbvQpInitAttrEx.SEND_OPS_FLAGS.set(m, 0, operations);
                address = extended.applyAsLong(m.address());
                if (address == 0) {
                    boolean lessMayDo = NativeFunction.errno() == Errno.EOPNOTSUPP.value() && next < RARE.length;
                    operations = lessMayDo ? operations & ~RARE[next++] : 0;
                }
            }
            if (address == 0) {
                // The error of this call is the one to report: the other may be that of a driver without extended queue pairs.
                setCapabilities(m, attributes.cap());
                address = Libibverbs.created(creator.applyAsLong(m.address()), "create_qp", attributes.type() + ", " + attributes.cap());
            }
            if (operations != 0 || next == RARE.length) {
                context.learnSendOperations(attributes.type(), operations);
            }
            return new NativeQueuePair(pd, attributes, capabilities(m, attributes.srq() == null), address, operations, destroyer);
        }
    }

    private static void checkParts(QpInitAttributes attributes) {
        String wrong = null;
        if (attributes.type() == QpType.XRC_RECV) {
            wrong = "XRC_RECV: targets are made by XrcDomain.createTarget";
        } else if (attributes.srq() != null && attributes.type() == QpType.XRC_SEND) {
            wrong = "XRC_SEND receives nothing: no shared receive queue";
        } else if (attributes.srq() instanceof NativeSharedReceiveQueue srq && srq.isXrc()) {
            wrong = "the shared receive queue is one of an XRC domain, where targets use it";
        }
        if (wrong != null) {
            throw new VerbsException(Errno.EINVAL, "create_qp", wrong);
        }
    }

    private static void setCapabilities(MemorySegment m, QpCapabilities cap) {
        long at = IbvQpInitAttrEx.CAP.offset();
        IbvQpCap.MAX_SEND_WR.set(m, at, cap.maxSendWr());
        IbvQpCap.MAX_RECV_WR.set(m, at, cap.maxRecvWr());
        IbvQpCap.MAX_SEND_SGE.set(m, at, cap.maxSendSge());
        IbvQpCap.MAX_RECV_SGE.set(m, at, cap.maxRecvSge());
        IbvQpCap.MAX_INLINE_DATA.set(m, at, cap.maxInlineData());
    }

    /** Reads what was granted. With a shared receive queue the sizes of receives are ignored, and rxe leaves there what was asked for. */
    private static QpCapabilities capabilities(MemorySegment m, boolean receives) {
        long at = IbvQpInitAttrEx.CAP.offset();
        return new QpCapabilities(IbvQpCap.MAX_SEND_WR.get(m, at), receives ? IbvQpCap.MAX_RECV_WR.get(m, at) : 0,
            IbvQpCap.MAX_SEND_SGE.get(m, at), receives ? IbvQpCap.MAX_RECV_SGE.get(m, at) : 0, IbvQpCap.MAX_INLINE_DATA.get(m, at));
    }

    private static long queue(Object cq, NativeContext context, String name) {
        return own(NativeCompletionQueue.class, cq, context, "create_qp", name).address("create_qp");
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public int qpNum() {
        return qpNum;
    }

    @Override
    public QpType type() {
        return type;
    }

    @Override
    public QpState state() {
        return query(QpAttributeMask.STATE).state();
    }

    @Override
    public QpCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public synchronized void modify(QpAttributes attributes) {
        long qp = address("modify_qp");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvQpAttr.BYTES, 8);
            QueuePairAttributes.set(m, attributes);
            long refused = Libibverbs.MODIFY_QP.call(qp, m.address(), attributes.mask());
            if (refused != 0) {
                Libibverbs.check(refused, "modify_qp", "queue pair 0x" + Integer.toHexString(qpNum) + ": " + why(attributes));
            }
        }
    }

    /** Reason of a refusal by the table of transitions, which the library does not say; else the change itself. */
    private String why(QpAttributes attributes) {
        try {
            QpTransitions.check(type, state(), attributes);
            return attributes.toString();
        } catch (VerbsException reason) {
            return reason.getMessage();
        }
    }

    @Override
    public QpAttributes query() {
        return query(QueuePairAttributes.queried(type));
    }

    private synchronized QpAttributes query(int mask) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvQpAttr.BYTES, 8);
            MemorySegment init = arena.allocate(IbvQpInitAttr.BYTES, 8);
            Libibverbs.check(Libibverbs.QUERY_QP.call(address("query_qp"), m.address(), mask, init.address()), "query_qp",
                "queue pair 0x" + Integer.toHexString(qpNum));
            return QueuePairAttributes.get(m, mask);
        }
    }

    @Override
    public void postSend(SendRequest request) {
        sending.lock("post_send");
        try {
            long qp = address("post_send");
            check(qp, request);
            boolean isPlain = request.opcode() != WrOpcode.FLUSH && request.opcode() != WrOpcode.ATOMIC_WRITE;
            int refused = isPlain || extended == null ? Math.abs(send.post(postSend, qp, request)) : postExtended(request);
            if (refused != 0) {
                throw Libibverbs.failure(refused, "post_send", refused(refused, capabilities.maxSendWr(), request));
            }
        } finally {
            sending.unlock();
        }
    }

    private void check(long structure, SendRequest request) {
        checks.check(request);
        requireRts("post_send", structure);
    }

    /** Posts one of the operations that {@code ibv_post_send} does not have. Returns 0 or an errno value. */
    private int postExtended(SendRequest request) {
        extended.start();
        boolean built = false;
        try {
            extended.build(request);
            built = true;
        } finally {
            if (!built) {
                extended.abort();
            }
        }
        return extended.complete();
    }

    // ---- batches ----

    @Override
    public SendBatch sendBatch(int operations) {
        address("create_qp_ex");
        int lacking = extended == null ? operations : operations & ~extended.operations();
        if (extended == null || lacking != 0) {
            throw new VerbsException(Errno.EOPNOTSUPP, "create_qp_ex", "the driver of " + nativeContext().device().name()
                + " has no batches of " + type + " with operations 0x" + Integer.toHexString(lacking));
        }
        return new NativeSendBatch(this, operations);
    }

    /** Takes the lock of senders, and the driver's, until {@link #completeBatch} or {@link #abortBatch}. */
    void beginBatch() {
        sending.lock("wr_start");
        try {
            address("wr_start");
        } catch (VerbsException closed) {
            sending.unlock();
            throw closed;
        }
        sending.keep();
        extended.start();
    }

    /** Returns whether this thread is in a batch. */
    boolean isInBatch() {
        return sending.isKept();
    }

    /** Builds the next request of the batch. */
    void build(SendRequest request) {
        check(address("post_send"), request);
        extended.build(request);
    }

    void completeBatch() {
        int refused = extended.complete();
        endBatch();
        if (refused != 0) {
            throw Libibverbs.failure(refused, "post_send", refused(refused, capabilities.maxSendWr(), "a batch"));
        }
    }

    void abortBatch() {
        extended.abort();
        endBatch();
    }

    private void endBatch() {
        sending.release();
    }

    @Override
    public void postReceive(ReceiveRequest request) {
        if (type == QpType.XRC_SEND || type == QpType.XRC_RECV) {
            throw new VerbsException(Errno.EINVAL, "post_recv", type + " has no receive queue");
        }
        if (created.srq() != null) {
            throw new VerbsException(Errno.EINVAL, "post_recv", "the queue pair has a shared receive queue (srq): post there");
        }
        synchronized (receiving) {
            long qp = address("post_recv");
            if (knownState(qp) == QpState.RESET.value()) {
                throw new VerbsException(Errno.EINVAL, "post_recv", "the queue pair is in RESET");
            }
            checkElements("post_recv", "max_recv_sge", request.elements(), capabilities.maxRecvSge());
            int refused = receive.post(postRecv, qp, request);
            if (refused != 0) {
                throw Libibverbs.failure(Math.abs(refused), "post_recv", refused(refused, capabilities.maxRecvWr(), request));
            }
        }
    }

    /** Returns the state as the library knows it. Over iWARP the kernel moves queue pairs when they are connected: RTS then, unchecked. */
    private int knownState(long structure) {
        return iwarp ? QpState.RTS.value() : IbvQp.STATE.get(ALL, structure);
    }

    private void requireRts(String verb, long structure) {
        int state = knownState(structure);
        if (state < QpState.RTS.value()) {
            throw new VerbsException(Errno.EINVAL, verb, "the queue pair is in " + QpState.of(state) + ", it must be in RTS");
        }
    }

    static void checkElements(String verb, String limit, int elements, int most) {
        if (elements > most) {
            throw new VerbsException(Errno.EINVAL, verb, elements + " elements; " + limit + " is " + most);
        }
    }

    private static String refused(int errno, int depth, Object request) {
        boolean full = Math.abs(errno) == Errno.ENOMEM.value();
        return request + (full ? "; the queue is full with " + depth + " requests: poll completions" : "");
    }

    @Override
    public void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        address("bind_mw");
        NativeMemoryWindow bound = own(NativeMemoryWindow.class, window, nativeContext(), "bind_mw", "the window");
        NativeMemoryRegion of =
            region == null ? null : own(NativeMemoryRegion.class, region, nativeContext(), "bind_mw", "the region");
        checkBinding(bound, of, length, access);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvMwBind.BYTES, 8);
            long info = IbvMwBind.BIND_INFO.offset();
            IbvMwBind.WR_ID.set(m, 0, wrId);
            IbvMwBind.SEND_FLAGS.set(m, 0, sendFlags);
            IbvMwBindInfo.MR.set(m, info, of == null ? noRegion() : of.address("bind_mw"));
            IbvMwBindInfo.ADDR.set(m, info, address);
            IbvMwBindInfo.LENGTH.set(m, info, length);
            IbvMwBindInfo.MW_ACCESS_FLAGS.set(m, info, access);
            sending.lock("bind_mw");
            try {
                Libibverbs.check(nativeContext().bindMw.call(address("bind_mw"), bound.address("bind_mw"), m.address()), "bind_mw",
                    "length " + length + ", access " + access);
            } finally {
                sending.unlock();
            }
        }
    }

    /** librxe reads the key of the region without asking whether there is one. */
    private long noRegion() {
        return nativeContext().isLibrxe ? REGION_WITHOUT_KEY.address() : 0;
    }

    private void checkBinding(NativeMemoryWindow window, NativeMemoryRegion region, long length, int access) {
        String wrong = null;
        if (window.type() != MemoryWindow.Type.TYPE_1) {
            wrong = "bind() is for windows of type 1; one of type 2 is bound with SendRequest.bindWindow";
        } else if (pd == null) {
            wrong = "an XRC target sends nothing";
        } else if (!pd.sharesKeysWith(window.pd()) || region != null && !pd.sharesKeysWith(region.pd())) {
            wrong = "window or region belongs to another protection domain";
        } else if (region == null && length != 0) {
            wrong = "no region for " + length + " bytes";
        } else if ((access & ~AccessFlags.REMOTE_ANY) != 0) {
            wrong = "access 0x" + Integer.toHexString(access) + " has more than the rights of peers";
        }
        if (wrong != null) {
            throw new VerbsException(Errno.EINVAL, "bind_mw", wrong);
        }
        requireRts("bind_mw", address("bind_mw"));
    }

    @Override
    public void attachMulticast(Gid group) {
        multicast(Libibverbs.ATTACH_MCAST, "attach_mcast", group);
        attached.incrementAndGet();
    }

    @Override
    public void detachMulticast(Gid group) {
        multicast(Libibverbs.DETACH_MCAST, "detach_mcast", group);
        attached.decrementAndGet();
    }

    private synchronized void multicast(NativeFunction function, String verb, Gid group) {
        if (type != QpType.UD || !group.isMulticast()) {
            throw new VerbsException(Errno.EINVAL, verb,
                type != QpType.UD ? "only UD queue pairs are attached, not " + type : group + " is not a multicast group");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment gid = arena.allocate(Gids.BYTES, 8);
            Gids.set(gid, 0, group);
            Libibverbs.check(function.call(address(verb), gid.address(), 0), verb, "group " + group);
        }
    }

    @Override
    public void close() {
        if (attached.get() > 0) {
            throw new VerbsException(Errno.EBUSY, "destroy_qp", this + " is attached: multicast groups=" + attached);
        }
        sending.lock("destroy_qp");
        try {
            synchronized (receiving) {
                super.close();
            }
        } finally {
            sending.unlock();
        }
    }

    @Override
    String label() {
        return "0x" + Integer.toHexString(qpNum) + ": ";
    }

    @Override
    boolean uses(NativeObject other) {
        return other == pd || other == domain || other == created.sendCq() || other == created.recvCq() || other == created.srq();
    }

    @Override
    int destroy(long structure) {
        return destroyer.applyAsInt(structure);
    }

    @Override
    String destroyVerb() {
        return "destroy_qp";
    }

    @Override
    public String toString() {
        return "queue pair 0x" + Integer.toHexString(qpNum) + " of " + nativeContext().device().name() + (isClosed() ? ", closed" : "");
    }
}
