// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ThreadDomain;
import org.softrdma.verbs.VerbsException;

/** A thread domain of a soft device. It saves no locks; it exists for the programs that create one. */
final class SoftThreadDomain implements ThreadDomain {
    final Dependents children = new Dependents();

    private final SoftContext context;
    private boolean closed;

    SoftThreadDomain(SoftContext context) {
        this.context = context;
        context.children.add("thread domains");
        context.living.add(this);
    }

    @Override
    public Context context() {
        return context;
    }

    synchronized void requireOpen(String verb) {
        if (closed) {
            throw new VerbsException(Errno.EINVAL, verb, "the thread domain is closed");
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        children.refuseIfAny("dealloc_td");
        closed = true;
        context.children.remove("thread domains");
        context.living.remove(this);
    }
}
