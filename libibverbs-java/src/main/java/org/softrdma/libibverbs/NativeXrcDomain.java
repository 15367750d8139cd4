// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.softrdma.libibverbs.layout.IbvQpInitAttrEx;
import org.softrdma.libibverbs.layout.IbvQpOpenAttr;
import org.softrdma.libibverbs.layout.IbvXrcdInitAttr;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;

/** {@code struct ibv_xrcd}. */
final class NativeXrcDomain extends NativeObject implements XrcDomain {
    private static final int NO_FILE = -1;

    /** Null for a private domain. */
    private final String name;

    private NativeXrcDomain(NativeContext context, String name, long address) {
        super(context, "XRC domain", address);
        this.name = name;
    }

    /** As {@link Context#openXrcd}. */
    static NativeXrcDomain open(NativeContext context, String name, int flags) {
        long opener = context.address("open_xrcd");
        if ((flags & ~(CREATE | EXCLUSIVE)) != 0) {
            throw new VerbsException(Errno.EINVAL, "open_xrcd", "flags 0x" + Integer.toHexString(flags) + " are not CREATE and EXCLUSIVE");
        }
        if (name == null && (flags & CREATE) == 0) {
            throw new VerbsException(Errno.EINVAL, "open_xrcd", "a domain without a name can only be made: CREATE");
        }
        int fd = name == null ? NO_FILE : XrcFiles.acquire(name);
        long made = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvXrcdInitAttr.BYTES, 8);
            IbvXrcdInitAttr.COMP_MASK.set(m, 0, IbvXrcdInitAttr.HAS_FD | IbvXrcdInitAttr.HAS_OFLAGS);
            IbvXrcdInitAttr.FD.set(m, 0, fd);
            IbvXrcdInitAttr.OFLAGS.set(m, 0, flags);
            made = Libibverbs.created(context.extended.openXrcd.call(opener, m.address()), "open_xrcd",
                "name " + name + ", flags 0x" + Integer.toHexString(flags));
        } finally {
            if (made == 0 && name != null) {
                XrcFiles.release(name);
            }
        }
        return new NativeXrcDomain(context, name, made);
    }

    @Override
    public Context context() {
        return nativeContext();
    }

    @Override
    public SharedReceiveQueue createSrq(ProtectionDomain pd, CompletionQueue cq, int maxWr, int maxSge, int limit) {
        return NativeSharedReceiveQueue.create(this, pd, cq, maxWr, maxSge, limit);
    }

    @Override
    public QueuePair createTarget() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvQpInitAttrEx.BYTES, 8);
            IbvQpInitAttrEx.QP_TYPE.set(m, 0, QpType.XRC_RECV.value());
            IbvQpInitAttrEx.COMP_MASK.set(m, 0, IbvQpInitAttrEx.HAS_XRCD);
            IbvQpInitAttrEx.XRCD.set(m, 0, address("create_qp_ex"));
            return new NativeQueuePair(this,
                Libibverbs.created(nativeContext().extended.createQpEx.call(nativeContext().address("create_qp_ex"), m.address()),
                    "create_qp_ex", "XRC_RECV"));
        }
    }

    @Override
    public QueuePair openTarget(int qpNum) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(IbvQpOpenAttr.BYTES, 8);
            IbvQpOpenAttr.COMP_MASK.set(m, 0, IbvQpOpenAttr.HAS_NUM | IbvQpOpenAttr.HAS_XRCD | IbvQpOpenAttr.HAS_TYPE);
            IbvQpOpenAttr.QP_NUM.set(m, 0, qpNum);
            IbvQpOpenAttr.XRCD.set(m, 0, address("open_qp"));
            IbvQpOpenAttr.QP_TYPE.set(m, 0, QpType.XRC_RECV.value());
            return new NativeQueuePair(this,
                Libibverbs.created(nativeContext().extended.openQp.call(nativeContext().address("open_qp"), m.address()), "open_qp",
                    "the domain has no target 0x" + Integer.toHexString(qpNum)));
        }
    }

    @Override
    int destroy(long structure) {
        int refused = (int) nativeContext().extended.closeXrcd.call(structure);
        if (refused == 0 && name != null) {
            XrcFiles.release(name);
        }
        return refused;
    }

    @Override
    String destroyVerb() {
        return "close_xrcd";
    }
}
