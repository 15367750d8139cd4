// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;
import org.softrdma.libibverbs.layout.IbvContext;
import org.softrdma.libibverbs.layout.IbvMwBind;
import org.softrdma.libibverbs.layout.IbvMwBindInfo;
import org.softrdma.libibverbs.layout.IbvQp;
import org.softrdma.libibverbs.layout.IbvQpAttr;
import org.softrdma.libibverbs.layout.IbvQpCap;
import org.softrdma.libibverbs.layout.IbvQpInitAttr;
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
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.Transport;
import org.softrdma.verbs.VerbsException;

/** {@code struct ibv_qp}. Senders and receivers have a lock each, which {@link #close} takes as well. */
final class NativeQueuePair extends NativeObject implements QueuePair {
    private final NativeProtectionDomain pd;
    private final LongToIntFunction destroyer;
    private final QpType type;
    private final int qpNum;
    private final boolean iwarp;
    private final QpInitAttributes created;
    private final QpCapabilities capabilities;
    private final MemorySegment postSend;
    private final MemorySegment postRecv;
    private final SendRecord send;
    private final ReceiveRecord receive = new ReceiveRecord();
    private final Object sending = new Object();
    private final Object receiving = new Object();
    /** Multicast groups. */
    private final AtomicInteger attached = new AtomicInteger();

    private NativeQueuePair(NativeProtectionDomain pd, QpInitAttributes attributes, QpCapabilities granted, long address,
            LongToIntFunction destroyer) {
        super(pd.nativeContext(), "queue pair", address);
        this.pd = pd;
        this.destroyer = destroyer;
        type = attributes.type();
        created = attributes;
        capabilities = granted;
        iwarp = pd.nativeContext().device().transport() == Transport.IWARP;
        qpNum = IbvQp.QP_NUM.get(ALL, address);
        postSend = pd.nativeContext().operation(IbvContext.POST_SEND);
        postRecv = pd.nativeContext().operation(IbvContext.POST_RECV);
        send = new SendRecord(pd, type, granted.maxInlineData());
    }

    static NativeQueuePair create(NativeProtectionDomain pd, QpInitAttributes attributes) {
        return create(pd, attributes, init -> Libibverbs.CREATE_QP.call(pd.address("create_qp"), init),
            qp -> (int) Libibverbs.DESTROY_QP.call(qp));
    }

    /**
     * Creates a queue pair.
     *
     * @param creator   creates the structure from {@code struct ibv_qp_init_attr}, where it writes the sizes; 0 with errno if it cannot
     * @param destroyer destroys it; returns 0 or an errno value
     */
    static NativeQueuePair create(NativeProtectionDomain pd, QpInitAttributes attributes, LongUnaryOperator creator,
            LongToIntFunction destroyer) {
        if (attributes.type() == QpType.XRC_SEND || attributes.type() == QpType.XRC_RECV) {
            throw new VerbsException(Errno.EOPNOTSUPP, "create_qp", attributes.type() + ": this provider has no XRC");
        }
        NativeContext context = pd.nativeContext();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvQpInitAttr.BYTES, 8);
            IbvQpInitAttr.SEND_CQ.set(m, 0, queue(attributes.sendCq(), context, "send_cq"));
            IbvQpInitAttr.RECV_CQ.set(m, 0, queue(attributes.recvCq(), context, "recv_cq"));
            if (attributes.srq() != null) {
                IbvQpInitAttr.SRQ.set(m, 0,
                    own(NativeSharedReceiveQueue.class, attributes.srq(), context, "create_qp", "srq").address("create_qp"));
            }
            QpCapabilities cap = attributes.cap();
            long at = IbvQpInitAttr.CAP.offset();
            IbvQpCap.MAX_SEND_WR.set(m, at, cap.maxSendWr());
            IbvQpCap.MAX_RECV_WR.set(m, at, cap.maxRecvWr());
            IbvQpCap.MAX_SEND_SGE.set(m, at, cap.maxSendSge());
            IbvQpCap.MAX_RECV_SGE.set(m, at, cap.maxRecvSge());
            IbvQpCap.MAX_INLINE_DATA.set(m, at, cap.maxInlineData());
            IbvQpInitAttr.QP_TYPE.set(m, 0, attributes.type().value());
            IbvQpInitAttr.SQ_SIG_ALL.set(m, 0, attributes.signalAll() ? 1 : 0);
            long address = Libibverbs.created(creator.applyAsLong(m.address()), "create_qp", attributes.type() + ", " + cap);
            QpCapabilities granted = new QpCapabilities(IbvQpCap.MAX_SEND_WR.get(m, at), IbvQpCap.MAX_RECV_WR.get(m, at),
                IbvQpCap.MAX_SEND_SGE.get(m, at), IbvQpCap.MAX_RECV_SGE.get(m, at), IbvQpCap.MAX_INLINE_DATA.get(m, at));
            return new NativeQueuePair(pd, attributes, granted, address, destroyer);
        }
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
        synchronized (sending) {
            long qp = address("post_send");
            requireRts("post_send", qp);
            checkElements("post_send", "max_send_sge", request.elements(), capabilities.maxSendSge());
            int refused = send.post(postSend, qp, request);
            if (refused != 0) {
                throw Libibverbs.failure(Math.abs(refused), "post_send", refused(refused, capabilities.maxSendWr(), request));
            }
        }
    }

    @Override
    public void postReceive(ReceiveRequest request) {
        if (created.srq() != null) {
            throw new VerbsException(Errno.EINVAL, "post_recv", "the queue pair has a shared receive queue: post there");
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
            IbvMwBindInfo.MR.set(m, info, of == null ? 0 : of.address("bind_mw"));
            IbvMwBindInfo.ADDR.set(m, info, address);
            IbvMwBindInfo.LENGTH.set(m, info, length);
            IbvMwBindInfo.MW_ACCESS_FLAGS.set(m, info, access);
            synchronized (sending) {
                Libibverbs.check(nativeContext().bindMw.call(address("bind_mw"), bound.address("bind_mw"), m.address()), "bind_mw",
                    "length " + length + ", access " + access);
            }
        }
    }

    private void checkBinding(NativeMemoryWindow window, NativeMemoryRegion region, long length, int access) {
        String wrong = null;
        if (window.type() != MemoryWindow.Type.TYPE_1) {
            wrong = "bind() is for windows of type 1; one of type 2 is bound with SendRequest.bindWindow";
        } else if (window.pd() != pd || region != null && region.pd() != pd) {
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
        synchronized (sending) {
            synchronized (receiving) {
                super.close();
            }
        }
    }

    @Override
    String label() {
        return "0x" + Integer.toHexString(qpNum) + ": ";
    }

    @Override
    boolean uses(NativeObject other) {
        return other == pd || other == created.sendCq() || other == created.recvCq() || other == created.srq();
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
