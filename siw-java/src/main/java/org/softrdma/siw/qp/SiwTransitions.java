// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.VerbsException;

/**
 * Which modify calls a queue pair of iWARP takes. Connecting is not among them: a stream must be there first, and the connection manager
 * brings it.
 */
public final class SiwTransitions {
    private static final int INIT_ATTRIBUTES = QpAttributeMask.ACCESS_FLAGS | QpAttributeMask.PORT | QpAttributeMask.PKEY_INDEX;

    private SiwTransitions() {
    }

    /** @return the state to go to. @throws VerbsException EINVAL, naming what does not belong */
    public static QpState check(int qpn, QpState from, QpAttributes change) {
        QpState to = change.has(QpAttributeMask.STATE) ? change.state() : from;
        boolean possible = switch (to) {
            case RESET -> true;
            case INIT -> from == QpState.RESET || from == QpState.INIT;
            case RTR -> false;
            case RTS -> from == QpState.RTS;
            case SQD -> from == QpState.RTS;
            case SQE -> from == QpState.RTS || from == QpState.SQD;
            case ERR -> from != QpState.RESET;
        };
        if (!possible) {
            boolean connects = to == QpState.RTR || to == QpState.RTS;
            throw refuse(qpn, from + " → " + to + ": " + (connects
                ? "a queue pair of iWARP is connected by the connection manager, not by hand" : "there is no such transition"));
        }
        int allowed = QpAttributeMask.STATE | QpAttributeMask.CUR_STATE
            | (to == QpState.INIT ? INIT_ATTRIBUTES : to == QpState.RTS ? QpAttributeMask.ACCESS_FLAGS : 0);
        int foreign = change.mask() & ~allowed;
        if (foreign != 0) {
            throw refuse(qpn, from + " → " + to + ": not allowed here: " + QpAttributeMask.names(foreign));
        }
        if (change.has(QpAttributeMask.CUR_STATE) && change.curState() != from) {
            throw refuse(qpn, "CUR_STATE " + change.curState() + " given while in " + from);
        }
        if (change.has(QpAttributeMask.PORT) && change.port() != 1) {
            throw refuse(qpn, "PORT " + change.port() + "; the device has port 1 only");
        }
        if (change.has(QpAttributeMask.PKEY_INDEX) && change.pkeyIndex() != 0) {
            throw refuse(qpn, "PKEY_INDEX " + change.pkeyIndex() + "; there are no partitions, and 0 stands for that");
        }
        return to;
    }

    private static VerbsException refuse(int qpn, String why) {
        return new VerbsException(Errno.EINVAL, "modify_qp", "qp 0x" + Integer.toHexString(qpn) + ": " + why);
    }
}
