// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.device.verbs.SoftProtectionDomain;
import org.softrdma.device.verbs.SoftQueuePair;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpTransitions;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;

/** A queue pair that goes where the table of transitions lets it, and remembers how it was told to. */
final class RecordingQueuePair extends SoftQueuePair {
    final List<QpState> states = new ArrayList<>();
    final List<Gid> groups = new ArrayList<>();
    boolean destroyed;

    private final TestContext context;
    private final int qpn;
    private final QpAttributes attributes = new QpAttributes();
    private volatile QpState state = QpState.RESET;

    RecordingQueuePair(TestContext context, SoftProtectionDomain pd, QpInitAttributes init, int qpn) {
        super(pd, init);
        this.context = context;
        this.qpn = qpn;
    }

    @Override
    public int qpNum() {
        return qpn;
    }

    @Override
    protected QpState current() {
        return state;
    }

    @Override
    public void modify(QpAttributes change) {
        if (destroyed) {
            throw new VerbsException(Errno.EINVAL, "modify_qp", "closed");
        }
        QpState to = QpTransitions.check(type(), state, change);
        if (to == context.refusedState) {
            throw new VerbsException(Errno.EHOSTUNREACH, "modify_qp", "the test refuses " + to);
        }
        attributes.merge(change);
        state = to;
        states.add(to);
    }

    @Override
    protected QpAttributes attributes() {
        return attributes;
    }

    @Override
    protected boolean supports(SendRequest request) {
        return true;
    }

    @Override
    protected void doorbell(boolean wasIdle) {
    }

    @Override
    protected boolean attach(Gid group) {
        if (context.refusesGroups) {
            throw new VerbsException(Errno.ENOMEM, "attach_mcast", "the test refuses groups");
        }
        return groups.add(group);
    }

    @Override
    protected boolean detach(Gid group) {
        return groups.remove(group);
    }

    @Override
    protected void destroy() {
        destroyed = true;
    }
}
