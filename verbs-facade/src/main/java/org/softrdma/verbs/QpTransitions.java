// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.softrdma.verbs.QpAttributeMask.ACCESS_FLAGS;
import static org.softrdma.verbs.QpAttributeMask.ALT_PATH;
import static org.softrdma.verbs.QpAttributeMask.AV;
import static org.softrdma.verbs.QpAttributeMask.CUR_STATE;
import static org.softrdma.verbs.QpAttributeMask.DEST_QPN;
import static org.softrdma.verbs.QpAttributeMask.EN_SQD_ASYNC_NOTIFY;
import static org.softrdma.verbs.QpAttributeMask.MAX_DEST_RD_ATOMIC;
import static org.softrdma.verbs.QpAttributeMask.MAX_QP_RD_ATOMIC;
import static org.softrdma.verbs.QpAttributeMask.MIN_RNR_TIMER;
import static org.softrdma.verbs.QpAttributeMask.PATH_MIG_STATE;
import static org.softrdma.verbs.QpAttributeMask.PATH_MTU;
import static org.softrdma.verbs.QpAttributeMask.PKEY_INDEX;
import static org.softrdma.verbs.QpAttributeMask.PORT;
import static org.softrdma.verbs.QpAttributeMask.QKEY;
import static org.softrdma.verbs.QpAttributeMask.RETRY_CNT;
import static org.softrdma.verbs.QpAttributeMask.RNR_RETRY;
import static org.softrdma.verbs.QpAttributeMask.RQ_PSN;
import static org.softrdma.verbs.QpAttributeMask.SQ_PSN;
import static org.softrdma.verbs.QpAttributeMask.STATE;
import static org.softrdma.verbs.QpAttributeMask.TIMEOUT;
import static org.softrdma.verbs.QpState.ERR;
import static org.softrdma.verbs.QpState.INIT;
import static org.softrdma.verbs.QpState.RESET;
import static org.softrdma.verbs.QpState.RTR;
import static org.softrdma.verbs.QpState.RTS;
import static org.softrdma.verbs.QpState.SQD;
import static org.softrdma.verbs.QpState.SQE;

import java.util.ArrayList;
import java.util.List;

/**
 * The queue pair state machine as a table: the attributes that each transition requires, and those that it also allows.
 * Shared by every provider. Source: IBA vol 1 §10.3.1 and §11.2.5.2; the kernel's {@code qp_state_table} has the same rows.
 */
public final class QpTransitions {
    private static final int RC_RTS_OPTIONAL = CUR_STATE | ALT_PATH | ACCESS_FLAGS | MIN_RNR_TIMER | PATH_MIG_STATE;
    private static final int UC_RTS_OPTIONAL = CUR_STATE | ALT_PATH | ACCESS_FLAGS | PATH_MIG_STATE;
    private static final int UD_RTS_OPTIONAL = CUR_STATE | QKEY;
    private static final int CONNECTED_INIT = PKEY_INDEX | PORT | ACCESS_FLAGS;
    private static final int CONNECTED_RTR = AV | PATH_MTU | DEST_QPN | RQ_PSN;

    private static final List<Row> ROWS = rows();

    private record Row(QpType type, QpState from, QpState to, int required, int optional) {
    }

    private QpTransitions() {
    }

    /**
     * Checks one modify call against the table.
     *
     * @param type       service of the queue pair
     * @param current    its state
     * @param attributes the caller's change; without STATE the transition is current → current
     * @return the new state
     * @throws VerbsException EINVAL, naming the transition and the attributes that are missing or not allowed
     */
    public static QpState check(QpType type, QpState current, QpAttributes attributes) {
        QpState from = current;
        if (attributes.has(CUR_STATE)) {
            if (attributes.curState() != current || current.compareTo(RTR) < 0 || current == ERR) {
                throw refuse(type, current, current, "CUR_STATE " + attributes.curState() + " given while in " + current);
            }
        }
        QpState to = attributes.has(STATE) ? attributes.state() : current;
        check(type, from, to, attributes.mask());
        return to;
    }

    /** Checks the table alone: {@code mask} is bits of {@link QpAttributeMask}. */
    static void check(QpType type, QpState from, QpState to, int mask) {
        Row row = find(type, from, to);
        if (row == null) {
            throw refuse(type, from, to, "there is no such transition");
        }
        int given = mask & ~STATE;
        int missing = row.required & ~given;
        int foreign = given & ~row.required & ~row.optional;
        if (missing != 0 || foreign != 0) {
            throw refuse(type, from, to, (missing == 0 ? "" : "missing " + QpAttributeMask.names(missing))
                + (missing == 0 || foreign == 0 ? "" : "; ")
                + (foreign == 0 ? "" : "not allowed here: " + QpAttributeMask.names(foreign)));
        }
    }

    /**
     * Looks a transition up.
     *
     * @param type service
     * @param from old state
     * @param to   new state
     * @return bits of {@link QpAttributeMask} for the attributes that it requires, or -1 if there is no such transition
     */
    public static int required(QpType type, QpState from, QpState to) {
        Row row = find(type, from, to);
        return row == null ? -1 : row.required;
    }

    private static VerbsException refuse(QpType type, QpState from, QpState to, String why) {
        return new VerbsException(Errno.EINVAL, "modify_qp", type + " queue pair " + from + " to " + to + ": " + why);
    }

    private static Row find(QpType type, QpState from, QpState to) {
        for (Row row : ROWS) {
            if (row.type == type && row.from == from && row.to == to) {
                return row;
            }
        }
        return null;
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (QpType type : QpType.values()) {
            for (QpState from : QpState.values()) {
                rows.add(new Row(type, from, RESET, 0, 0));
                if (from != RESET) {
                    rows.add(new Row(type, from, ERR, 0, 0));
                }
            }
            rows.add(new Row(type, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY));
        }
        rows.addAll(List.of(
            new Row(QpType.RC, RESET, INIT, CONNECTED_INIT, 0),
            new Row(QpType.RC, INIT, INIT, 0, CONNECTED_INIT),
            new Row(QpType.RC, INIT, RTR, CONNECTED_RTR | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER, ALT_PATH | ACCESS_FLAGS | PKEY_INDEX),
            new Row(QpType.RC, RTR, RTS, TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC, RC_RTS_OPTIONAL),
            new Row(QpType.RC, RTS, RTS, 0, RC_RTS_OPTIONAL),
            new Row(QpType.RC, SQD, RTS, 0, RC_RTS_OPTIONAL),
            new Row(QpType.RC, SQD, SQD, 0, PORT | AV | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_QP_RD_ATOMIC | MAX_DEST_RD_ATOMIC
                | ALT_PATH | ACCESS_FLAGS | PKEY_INDEX | MIN_RNR_TIMER | PATH_MIG_STATE),

            new Row(QpType.UC, RESET, INIT, CONNECTED_INIT, 0),
            new Row(QpType.UC, INIT, INIT, 0, CONNECTED_INIT),
            new Row(QpType.UC, INIT, RTR, CONNECTED_RTR, ALT_PATH | ACCESS_FLAGS | PKEY_INDEX),
            new Row(QpType.UC, RTR, RTS, SQ_PSN, UC_RTS_OPTIONAL),
            new Row(QpType.UC, RTS, RTS, 0, UC_RTS_OPTIONAL),
            new Row(QpType.UC, SQD, RTS, 0, UC_RTS_OPTIONAL),
            new Row(QpType.UC, SQD, SQD, 0, AV | ALT_PATH | ACCESS_FLAGS | PKEY_INDEX | PATH_MIG_STATE),
            new Row(QpType.UC, SQE, RTS, 0, CUR_STATE | ACCESS_FLAGS),

            new Row(QpType.UD, RESET, INIT, PKEY_INDEX | PORT | QKEY, 0),
            new Row(QpType.UD, INIT, INIT, 0, PKEY_INDEX | PORT | QKEY),
            new Row(QpType.UD, INIT, RTR, 0, PKEY_INDEX | QKEY),
            new Row(QpType.UD, RTR, RTS, SQ_PSN, UD_RTS_OPTIONAL),
            new Row(QpType.UD, RTS, RTS, 0, UD_RTS_OPTIONAL),
            new Row(QpType.UD, SQD, RTS, 0, UD_RTS_OPTIONAL),
            new Row(QpType.UD, SQD, SQD, 0, PKEY_INDEX | QKEY),
            new Row(QpType.UD, SQE, RTS, 0, UD_RTS_OPTIONAL),

            new Row(QpType.XRC_SEND, RESET, INIT, CONNECTED_INIT, 0),
            new Row(QpType.XRC_SEND, INIT, INIT, 0, CONNECTED_INIT),
            new Row(QpType.XRC_SEND, INIT, RTR, CONNECTED_RTR, ALT_PATH | ACCESS_FLAGS | PKEY_INDEX),
            new Row(QpType.XRC_SEND, RTR, RTS, TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC, UC_RTS_OPTIONAL),
            new Row(QpType.XRC_SEND, RTS, RTS, 0, UC_RTS_OPTIONAL),
            new Row(QpType.XRC_SEND, SQD, RTS, 0, UC_RTS_OPTIONAL),
            new Row(QpType.XRC_SEND, SQD, SQD, 0, PORT | AV | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_QP_RD_ATOMIC | ALT_PATH | ACCESS_FLAGS
                | PKEY_INDEX | PATH_MIG_STATE),

            new Row(QpType.XRC_RECV, RESET, INIT, CONNECTED_INIT, 0),
            new Row(QpType.XRC_RECV, INIT, INIT, 0, CONNECTED_INIT),
            new Row(QpType.XRC_RECV, INIT, RTR, CONNECTED_RTR | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER, ALT_PATH | ACCESS_FLAGS | PKEY_INDEX),
            new Row(QpType.XRC_RECV, RTR, RTS, TIMEOUT | SQ_PSN, RC_RTS_OPTIONAL),
            new Row(QpType.XRC_RECV, RTS, RTS, 0, RC_RTS_OPTIONAL),
            new Row(QpType.XRC_RECV, SQD, RTS, 0, RC_RTS_OPTIONAL),
            new Row(QpType.XRC_RECV, SQD, SQD, 0, PORT | AV | TIMEOUT | MAX_DEST_RD_ATOMIC | ALT_PATH | ACCESS_FLAGS | PKEY_INDEX
                | MIN_RNR_TIMER | PATH_MIG_STATE)));
        return List.copyOf(rows);
    }
}
