// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.abi.uverbs.DestroyResponse;
import org.softrdma.abi.uverbs.McastCommand;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.QpCapabilitiesRecord;
import org.softrdma.abi.uverbs.QueryQpCommand;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.abi.uverbs.RxeQpResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.abi.uverbs.UverbsValue;
import org.softrdma.daemon.verbs.GidBytes;
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
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendBatch;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.SendOps;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.provider.KeptLock;

/** A queue pair whose rings the device reads. Senders and receivers have a lock each, which {@link #close} takes as well. */
final class JoinedQueuePair extends JoinedObject implements QueuePair {
    private final JoinedDomain pd;
    private final QpInitAttributes created;
    private int qpNum;
    private QpCapabilities capabilities;
    private SendWriter sends;
    /** Null with a shared receive queue. */
    private ReceiveWriter receives;
    /** The last state that the program has asked for. What the device does by itself is ERR, in which requests are posted as in RTS. */
    private volatile QpState known = QpState.RESET;
    /** Lock of senders, kept during a batch. */
    private final KeptLock sending = new KeptLock(() -> label() + "this thread is in a batch; complete or abort it first");
    private final Object receiving = new Object();
    /** Multicast groups. */
    private final Set<Gid> attached = ConcurrentHashMap.newKeySet();

    private JoinedQueuePair(JoinedDomain pd, QpInitAttributes attributes) {
        super(pd.joinedContext(), "queue pair");
        this.pd = pd;
        created = attributes;
    }

    static JoinedQueuePair create(JoinedDomain pd, QpInitAttributes attributes) {
        JoinedContext context = pd.joinedContext();
        int domain = pd.handle("create_qp");
        int sendCq = own(JoinedCompletionQueue.class, attributes.sendCq(), context, "create_qp", "send_cq").handle("create_qp");
        int recvCq = own(JoinedCompletionQueue.class, attributes.recvCq(), context, "create_qp", "recv_cq").handle("create_qp");
        JoinedSharedReceives srq =
            attributes.srq() == null ? null : own(JoinedSharedReceives.class, attributes.srq(), context, "create_qp", "srq");
        JoinedQueuePair made = new JoinedQueuePair(pd, attributes);
        try (Ioctl call = new Ioctl(context, UverbsObject.QP, UverbsMethod.QP_CREATE)) {
            MemorySegment asked = call.room(QpCapabilitiesRecord.BYTES);
            write(asked, attributes.cap());
            MemorySegment granted = call.room(QpCapabilitiesRecord.BYTES);
            MemorySegment number = call.room(Integer.BYTES);
            MemorySegment driver = call.room(RxeQpResponse.BYTES);
            call.number(UverbsAttribute.CREATE_QP_HANDLE, 0).number(UverbsAttribute.CREATE_QP_PD_HANDLE, domain)
                .number(UverbsAttribute.CREATE_QP_SEND_CQ_HANDLE, sendCq).number(UverbsAttribute.CREATE_QP_RECV_CQ_HANDLE, recvCq);
            if (srq != null) {
                call.number(UverbsAttribute.CREATE_QP_SRQ_HANDLE, srq.handle("create_qp"));
            }
            call.value(UverbsAttribute.CREATE_QP_USER_HANDLE, made.key(), Long.BYTES).input(UverbsAttribute.CREATE_QP_CAP, asked)
                .value(UverbsAttribute.CREATE_QP_TYPE, attributes.type().value(), Long.BYTES)
                .value(UverbsAttribute.CREATE_QP_FLAGS, attributes.signalAll() ? UverbsValue.QP_SQ_SIG_ALL : 0, Long.BYTES)
                .output(UverbsAttribute.CREATE_QP_RESP_CAP, granted).output(UverbsAttribute.CREATE_QP_RESP_QP_NUM, number)
                .output(UverbsAttribute.UHW_OUT, driver).run("create_qp");
            made.begin(Ioctl.u32(number), read(granted), driver);
            made.created(call.number(UverbsAttribute.CREATE_QP_HANDLE));
            return made;
        }
    }

    private static void write(MemorySegment m, QpCapabilities cap) {
        requireNatural("max_send_wr", cap.maxSendWr());
        requireNatural("max_recv_wr", cap.maxRecvWr());
        requireNatural("max_send_sge", cap.maxSendSge());
        requireNatural("max_recv_sge", cap.maxRecvSge());
        requireNatural("max_inline_data", cap.maxInlineData());
        QpCapabilitiesRecord.maxSendWr(m, 0, cap.maxSendWr());
        QpCapabilitiesRecord.maxRecvWr(m, 0, cap.maxRecvWr());
        QpCapabilitiesRecord.maxSendSge(m, 0, cap.maxSendSge());
        QpCapabilitiesRecord.maxRecvSge(m, 0, cap.maxRecvSge());
        QpCapabilitiesRecord.maxInlineData(m, 0, cap.maxInlineData());
    }

    private static void requireNatural(String name, int value) {
        if (value < 0) {
            throw new VerbsException(Errno.EINVAL, "create_qp", name + ' ' + value);
        }
    }

    private static QpCapabilities read(MemorySegment m) {
        return new QpCapabilities(QpCapabilitiesRecord.maxSendWr(m, 0), QpCapabilitiesRecord.maxRecvWr(m, 0),
            QpCapabilitiesRecord.maxSendSge(m, 0), QpCapabilitiesRecord.maxRecvSge(m, 0), QpCapabilitiesRecord.maxInlineData(m, 0));
    }

    /** Takes over what the daemon has granted. */
    private void begin(int number, QpCapabilities granted, MemorySegment driver) {
        qpNum = number;
        capabilities = granted;
        sends = new SendWriter(pd, created.type(), granted, joinedContext().ring(driver, RxeQpResponse.SEND_QUEUE_OFFSET), label());
        receives = created.srq() != null ? null : new ReceiveWriter(
            joinedContext().ring(driver, RxeQpResponse.RECEIVE_QUEUE_OFFSET), ReceiveWriter.Queue.OWN, granted.maxRecvWr(),
            granted.maxRecvSge());
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
        return created.type();
    }

    @Override
    public QpState state() {
        return query().state();
    }

    @Override
    public QpCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public void modify(QpAttributes attributes) {
        int handle = handle("modify_qp");
        try (Ioctl call = Ioctl.command(joinedContext(), UverbsCommand.MODIFY_QP)) {
            MemorySegment in = call.room(ModifyQpCommand.BYTES);
            QueuePairRecords.set(in, attributes);
            ModifyQpCommand.qpHandle(in, 0, handle);
            call.in(in).run("modify_qp");
            if (attributes.has(QpAttributeMask.STATE)) {
                known = attributes.state();
            }
        }
    }

    @Override
    public QpAttributes query() {
        int handle = handle("query_qp");
        try (Ioctl call = Ioctl.command(joinedContext(), UverbsCommand.QUERY_QP)) {
            MemorySegment in = call.room(QueryQpCommand.BYTES);
            QueryQpCommand.qpHandle(in, 0, handle);
            QueryQpCommand.attrMask(in, 0, -1);
            MemorySegment out = call.room(QueryQpResponse.BYTES);
            call.in(in).out(out).run("query_qp");
            return QueuePairRecords.get(out, type());
        }
    }

    // ---- data path ----

    @Override
    public void postSend(SendRequest request) {
        sending.lock("post_send");
        try {
            requireSending("post_send");
            sends.stage(request);
            sends.publish();
        } finally {
            sending.unlock();
        }
        joinedContext().ring();
    }

    private void requireSending(String verb) {
        requireOpen(verb);
        if (known.compareTo(QpState.RTS) < 0) {
            throw new VerbsException(Errno.EINVAL, verb, label() + "a queue pair in " + known + " takes no sends; bring it to RTS first");
        }
    }

    @Override
    public SendBatch sendBatch(int operations) {
        requireOpen("create_qp_ex");
        int lacking = operations & ~SendOps.of(type());
        if (lacking != 0) {
            throw new VerbsException(Errno.EOPNOTSUPP, "create_qp_ex",
                label() + "operations 0x" + Integer.toHexString(lacking) + " are not those of " + type());
        }
        return new JoinedBatch(this, operations);
    }

    /** Takes the lock of senders until {@link #endBatch}. */
    void beginBatch() {
        sending.lock("wr_start");
        try {
            requireOpen("wr_start");
        } catch (VerbsException closed) {
            sending.unlock();
            throw closed;
        }
        sending.keep();
    }

    /** Returns whether this thread is in a batch. */
    boolean isInBatch() {
        return sending.isKept();
    }

    /** Writes the next request of the batch. */
    void stage(SendRequest request) {
        requireSending("post_send");
        sends.stage(request);
    }

    /** @param post false drops the requests */
    void endBatch(boolean post) {
        if (post) {
            sends.publish();
        } else {
            sends.discard();
        }
        sending.release();
        if (post) {
            joinedContext().ring();
        }
    }

    @Override
    public void postReceive(ReceiveRequest request) {
        if (receives == null) {
            throw new VerbsException(Errno.EINVAL, "post_recv", label() + "the queue pair has a shared receive queue (srq): post there");
        }
        synchronized (receiving) {
            requireOpen("post_recv");
            if (known == QpState.RESET) {
                throw new VerbsException(Errno.EINVAL, "post_recv", label() + "a queue pair in RESET takes no receives");
            }
            receives.post(label(), request);
        }
    }

    @Override
    public void bind(MemoryWindow window, long wrId, MemoryRegion region, long address, long length, int access, int sendFlags) {
        requireOpen("bind_mw");
        JoinedWindow bound = own(JoinedWindow.class, window, joinedContext(), "bind_mw", "the window");
        JoinedRegion of = region == null ? null : own(JoinedRegion.class, region, joinedContext(), "bind_mw", "the region");
        checkBinding(bound, of, length, access);
        sending.lock("bind_mw");
        try {
            requireSending("bind_mw");
            int key = MemoryWindow.nextRkey(bound.rkey());
            sends.stageBind(new SendRequest().bindWindow(key, length == 0 ? 0 : of.lkey(), address, length, access).wrId(wrId)
                .flags(sendFlags & ~SendFlags.INLINE));
            sends.publish();
            bound.boundTo(key);
        } finally {
            sending.unlock();
        }
        joinedContext().ring();
    }

    private void checkBinding(JoinedWindow window, JoinedRegion region, long length, int access) {
        String wrong = null;
        if (type() == QpType.UD) {
            wrong = "BIND_MW is not an operation of UD";
        } else if (window.type() != MemoryWindow.Type.TYPE_1) {
            wrong = "bind() is for windows of type 1; one of type 2 is bound with SendRequest.bindWindow";
        } else if (!pd.sharesKeysWith(window.pd()) || region != null && !pd.sharesKeysWith(region.pd())) {
            wrong = "window or region belongs to another protection domain";
        } else if (region == null && length != 0) {
            wrong = "a window of " + length + " bytes needs a region";
        } else if ((access & ~AccessFlags.REMOTE_ANY) != 0) {
            wrong = "access 0x" + Integer.toHexString(access) + " has other bits than REMOTE_*";
        }
        if (wrong != null) {
            throw new VerbsException(Errno.EINVAL, "bind_mw", label() + wrong);
        }
    }

    // ---- multicast ----

    @Override
    public void attachMulticast(Gid group) {
        multicast(UverbsCommand.ATTACH_MCAST, "attach_mcast", group);
        attached.add(group);
    }

    @Override
    public void detachMulticast(Gid group) {
        multicast(UverbsCommand.DETACH_MCAST, "detach_mcast", group);
        attached.remove(group);
    }

    private void multicast(int command, String verb, Gid group) {
        int handle = handle(verb);
        if (type() != QpType.UD || !group.isMulticast()) {
            throw new VerbsException(Errno.EINVAL, verb, label()
                + (type() != QpType.UD ? "only UD queue pairs are attached, not " + type() : group + " is not a multicast group"));
        }
        try (Ioctl call = Ioctl.command(joinedContext(), command)) {
            MemorySegment in = call.room(McastCommand.BYTES);
            GidBytes.write(in, McastCommand.GID_OFFSET, group);
            McastCommand.qpHandle(in, 0, handle);
            call.in(in).run(verb);
        }
    }

    @Override
    public void close() {
        if (!attached.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, "destroy_qp", this + " is attached: multicast groups=" + attached.size());
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
    boolean uses(JoinedObject other) {
        return other == pd || other == created.sendCq() || other == created.recvCq() || other == created.srq();
    }

    @Override
    void destroy(int handle) {
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.QP, UverbsMethod.QP_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_QP_HANDLE, handle)
                .output(UverbsAttribute.DESTROY_QP_RESP, call.room(DestroyResponse.BYTES)).run("destroy_qp");
        }
    }

    @Override
    String destroyVerb() {
        return "destroy_qp";
    }

    @Override
    public String toString() {
        return "queue pair 0x" + Integer.toHexString(qpNum) + " of " + joinedContext().device().name() + (isClosed() ? ", closed" : "");
    }
}
