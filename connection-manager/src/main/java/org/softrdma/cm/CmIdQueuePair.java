// SPDX-License-Identifier: Apache-2.0
package org.softrdma.cm;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.VerbsException;

/** Creates and destroys an identifier's queue pair, and computes attributes for a queue pair of the program. */
final class CmIdQueuePair {
    private final CmIdPrivate id;

    CmIdQueuePair(CmIdPrivate id) {
        this.id = id;
    }

    void create(ProtectionDomain givenPd, QpInitAttributes attributes) {
        OpenDevice on;
        synchronized (id) {
            on = id.requireDevice("create_qp");
            if (id.queuePair != null) {
                throw new VerbsException(Errno.EINVAL, "create_qp", "the identifier has a queue pair already");
            }
        }
        if (attributes.type() != id.type) {
            throw new VerbsException(Errno.EINVAL, "create_qp",
                "a queue pair of " + attributes.type() + " for an identifier of " + id.type);
        }
        if (givenPd != null && givenPd.context() != on.context()) {
            throw new VerbsException(Errno.EINVAL, "create_qp", "the protection domain is not of the identifier's device; use verbs()");
        }
        CmQueuePair made = new CmQueuePair(givenPd != null ? givenPd : on.pd(), attributes);
        synchronized (id) {
            if (id.queuePair == null && id.state != CmState.DESTROYING) {
                id.queuePair = made;
                return;
            }
        }
        made.close();
        throw new VerbsException(Errno.EINVAL, "create_qp", "another thread used the identifier at the same time");
    }

    void destroy() {
        CmQueuePair old;
        synchronized (id) {
            old = id.queuePair;
            id.queuePair = null;
        }
        if (old != null) {
            try {
                old.close();
            } catch (VerbsException refused) {
                synchronized (id) {
                    id.queuePair = old;
                }
                throw refused;
            }
        }
    }

    /**
     * Returns the queue pair.
     *
     * @throws VerbsException EINVAL: there is none
     */
    CmQueuePair require(String verb) {
        CmQueuePair own = id.queuePair();
        if (own == null) {
            id.requireOpen(verb);
            throw new VerbsException(Errno.EINVAL, verb, "the identifier has no queue pair; create one with createQp");
        }
        return own;
    }

    /** Returns the protection domain of the queue pair, or the shared one of the device; null while the device is not known. */
    ProtectionDomain pd() {
        OpenDevice on;
        synchronized (id) {
            if (id.queuePair != null) {
                return id.queuePair.qp().pd();
            }
            on = id.device;
        }
        return on == null ? null : on.pd();
    }

    QpAttributes initAttributes(QpState to) {
        CmConnection current;
        CmPathOptions now;
        synchronized (id) {
            id.requireDevice("init_qp_attr");
            current = id.connection;
            now = id.options;
        }
        if (id.type == QpType.UD) {
            return datagramAttributes(to);
        }
        if (current != null) {
            return current.qpAttributes(to, now);
        }
        if (to == QpState.INIT) {
            return CmQueuePair.init(id.type);
        }
        throw new VerbsException(Errno.EINVAL, "init_qp_attr", "attributes of " + to + " are not known before the peer has answered");
    }

    private static QpAttributes datagramAttributes(QpState to) {
        return switch (to) {
            case INIT -> CmQueuePair.init(QpType.UD);
            case RTR -> new QpAttributes().state(QpState.RTR);
            case RTS -> new QpAttributes().state(QpState.RTS).sqPsn(0);
            default -> throw new VerbsException(Errno.EINVAL, "init_qp_attr", "state " + to + "; must be INIT, RTR or RTS");
        };
    }
}
