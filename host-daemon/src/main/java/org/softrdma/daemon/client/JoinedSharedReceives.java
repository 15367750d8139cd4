// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.DestroyResponse;
import org.softrdma.abi.uverbs.ModifySrqCommand;
import org.softrdma.abi.uverbs.QuerySrqCommand;
import org.softrdma.abi.uverbs.QuerySrqResponse;
import org.softrdma.abi.uverbs.RxeSrqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.SrqAttributes;
import org.softrdma.verbs.VerbsException;

/** A shared receive queue. */
final class JoinedSharedReceives extends JoinedObject implements SharedReceiveQueue {
    /** Bit of {@code enum ibv_srq_attr_mask}. */
    private static final int LIMIT = 2;

    private final JoinedDomain pd;
    private int number;
    private ReceiveWriter receives;

    private JoinedSharedReceives(JoinedDomain pd) {
        super(pd.joinedContext(), "shared receive queue");
        this.pd = pd;
    }

    static JoinedSharedReceives create(JoinedDomain pd, int maxWr, int maxSge, int limit) {
        int domain = pd.handle("create_srq");
        if (maxWr < 1 || maxSge < 0 || limit < 0 || limit > maxWr) {
            throw new VerbsException(Errno.EINVAL, "create_srq", "max_wr " + maxWr + ", max_sge " + maxSge + ", srq_limit " + limit);
        }
        JoinedSharedReceives made = new JoinedSharedReceives(pd);
        try (Ioctl call = new Ioctl(pd.joinedContext(), UverbsObject.SRQ, UverbsMethod.SRQ_CREATE)) {
            MemorySegment driver = call.room(RxeSrqResponse.BYTES);
            MemorySegment grantedWr = call.room(Integer.BYTES);
            MemorySegment grantedSge = call.room(Integer.BYTES);
            call.number(UverbsAttribute.CREATE_SRQ_HANDLE, 0).number(UverbsAttribute.CREATE_SRQ_PD_HANDLE, domain)
                .value(UverbsAttribute.CREATE_SRQ_USER_HANDLE, made.key(), Long.BYTES)
                .value(UverbsAttribute.CREATE_SRQ_MAX_WR, maxWr, Integer.BYTES)
                .value(UverbsAttribute.CREATE_SRQ_MAX_SGE, maxSge, Integer.BYTES)
                .value(UverbsAttribute.CREATE_SRQ_LIMIT, limit, Integer.BYTES).value(UverbsAttribute.CREATE_SRQ_TYPE, 0, Long.BYTES)
                .output(UverbsAttribute.CREATE_SRQ_RESP_MAX_WR, grantedWr).output(UverbsAttribute.CREATE_SRQ_RESP_MAX_SGE, grantedSge)
                .output(UverbsAttribute.CREATE_SRQ_RESP_SRQ_NUM, call.room(Integer.BYTES))
                .output(UverbsAttribute.UHW_OUT, driver).run("create_srq");
            made.number = RxeSrqResponse.srqNum(driver, 0);
            made.receives = new ReceiveWriter(pd.joinedContext().ring(driver, RxeSrqResponse.QUEUE_OFFSET), ReceiveWriter.Queue.SHARED,
                Ioctl.u32(grantedWr), Ioctl.u32(grantedSge));
            made.created(call.number(UverbsAttribute.CREATE_SRQ_HANDLE));
            return made;
        }
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public int number() {
        requireOpen("get_srq_num");
        return number;
    }

    @Override
    public SrqAttributes query() {
        int handle = handle("query_srq");
        try (Ioctl call = Ioctl.command(joinedContext(), UverbsCommand.QUERY_SRQ)) {
            MemorySegment in = call.room(QuerySrqCommand.BYTES);
            QuerySrqCommand.srqHandle(in, 0, handle);
            MemorySegment out = call.room(QuerySrqResponse.BYTES);
            call.in(in).out(out).run("query_srq");
            return new SrqAttributes(QuerySrqResponse.maxWr(out, 0), QuerySrqResponse.maxSge(out, 0), QuerySrqResponse.srqLimit(out, 0));
        }
    }

    @Override
    public synchronized void postReceive(ReceiveRequest request) {
        requireOpen("post_srq_recv");
        receives.post("", request);
    }

    @Override
    public void modifyLimit(int limit) {
        int handle = handle("modify_srq");
        if (limit < 0) {
            throw new VerbsException(Errno.EINVAL, "modify_srq", "limit " + limit);
        }
        try (Ioctl call = Ioctl.command(joinedContext(), UverbsCommand.MODIFY_SRQ)) {
            MemorySegment in = call.room(ModifySrqCommand.BYTES);
            ModifySrqCommand.srqHandle(in, 0, handle);
            ModifySrqCommand.attrMask(in, 0, LIMIT);
            ModifySrqCommand.srqLimit(in, 0, limit);
            call.in(in).run("modify_srq");
        }
    }

    @Override
    public void resize(int maxWr) {
        requireOpen("modify_srq");
        throw new VerbsException(Errno.EOPNOTSUPP, "modify_srq", "a shared receive queue of the daemon's devices cannot be resized");
    }

    @Override
    boolean uses(JoinedObject other) {
        return other == pd;
    }

    @Override
    void destroy(int handle) {
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.SRQ, UverbsMethod.SRQ_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_SRQ_HANDLE, handle)
                .output(UverbsAttribute.DESTROY_SRQ_RESP, call.room(DestroyResponse.BYTES)).run("destroy_srq");
        }
    }

    @Override
    String destroyVerb() {
        return "destroy_srq";
    }
}
