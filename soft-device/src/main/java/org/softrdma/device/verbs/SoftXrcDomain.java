// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SharedReceiveQueue;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.XrcDomain;

/** A context's reference to an XRC domain: a number that shared receive queues and targets must share, also across contexts. */
public final class SoftXrcDomain implements XrcDomain {
    final Dependents children = new Dependents();

    private final SoftContext context;
    private final int number;
    private boolean closed;

    SoftXrcDomain(SoftContext context, int number) {
        this.context = context;
        this.number = number;
        context.children.add("XRC domains");
        context.living.add(this);
    }

    @Override
    public Context context() {
        return context;
    }

    SoftContext softContext() {
        return context;
    }

    /**
     * Number of the XRC domain.
     *
     * @return unique among the XRC domains of the device; all contexts that open the domain see the same number
     */
    public int number() {
        return number;
    }

    @Override
    public SharedReceiveQueue createSrq(ProtectionDomain pd, CompletionQueue cq, int maxWr, int maxSge, int limit) {
        requireOpen("create_srq_ex");
        if (!(pd instanceof SoftProtectionDomain own) || own.context() != context) {
            throw new VerbsException(Errno.EINVAL, "create_srq_ex", "pd " + (pd == null ? "is missing" : "belongs to another context"));
        }
        if (!(cq instanceof SoftCompletionQueue completions) || cq.rdmaContext() != context) {
            throw new VerbsException(Errno.EINVAL, "create_srq_ex", "cq " + (cq == null ? "is missing" : "belongs to another context"));
        }
        if (completions.isClosed()) {
            throw new VerbsException(Errno.EINVAL, "create_srq_ex", "cq is closed");
        }
        return own.createSrq("create_srq_ex", this, completions, maxWr, maxSge, limit);
    }

    @Override
    public QueuePair createTarget() {
        requireOpen("create_qp_ex");
        return context.shown(context.newTarget(this));
    }

    @Override
    public QueuePair openTarget(int qpNum) {
        requireOpen("open_qp");
        return context.shown(context.openTarget(this, qpNum));
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        children.refuseIfAny("close_xrcd");
        closed = true;
        context.leaveXrcd(this);
        context.children.remove("XRC domains");
        context.living.remove(this);
    }

    private synchronized void requireOpen(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, "the XRC domain is closed");
        }
    }

    @Override
    public String toString() {
        return "xrcd " + number;
    }
}
