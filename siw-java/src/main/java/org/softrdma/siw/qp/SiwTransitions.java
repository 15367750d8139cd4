// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.verbs.Errno;
import org.softrdma.verbs.QpAttributeMask;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.VerbsException;

/**
 * Checks the modify calls of an iWARP queue pair. None connects it: that needs a stream, which only the connection manager provides.
 */
public final class SiwTransitions {
    private static final int INIT_ATTRIBUTES = QpAttributeMask.ACCESS_FLAGS | QpAttributeMask.PORT | QpAttributeMask.PKEY_INDEX;

    private SiwTransitions() {
    }

    /**
     * Checks a modify call.
     *
     * @return the state to enter
     * @throws VerbsException EINVAL, with the transition or attribute that is not allowed
     */
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
            throw refuse(qpn, from + " to " + to + ": " + (connects
                ? "an iWARP queue pair is connected by the connection manager only" : "there is no such transition"));
        }
        int allowed = QpAttributeMask.STATE | QpAttributeMask.CUR_STATE;
        if (to == QpState.INIT) {
            allowed |= INIT_ATTRIBUTES;
        } else if (to == QpState.RTS) {
            allowed |= QpAttributeMask.ACCESS_FLAGS;
        }
        int foreign = change.mask() & ~allowed;
        if (foreign != 0) {
            throw refuse(qpn, from + " to " + to + ": not allowed here: " + QpAttributeMask.names(foreign));
        }
        if (change.has(QpAttributeMask.CUR_STATE) && change.curState() != from) {
            throw refuse(qpn, "CUR_STATE " + change.curState() + " given while in " + from);
        }
        if (change.has(QpAttributeMask.PORT) && change.port() != 1) {
            throw refuse(qpn, "PORT " + change.port() + "; the device has port 1 only");
        }
        if (change.has(QpAttributeMask.PKEY_INDEX) && change.pkeyIndex() != 0) {
            throw refuse(qpn, "PKEY_INDEX " + change.pkeyIndex() + "; iWARP has no partitions, and only index 0");
        }
        return to;
    }

    private static VerbsException refuse(int qpn, String why) {
        return new VerbsException(Errno.EINVAL, "modify_qp", "qp 0x" + Integer.toHexString(qpn) + ": " + why);
    }
}
