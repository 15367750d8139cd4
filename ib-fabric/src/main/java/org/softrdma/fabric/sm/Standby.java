// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;

/**
 * Watch of a standby manager over the one before it: a request for SMInfo at each interval. Without an answer of a master some times in
 * sequence, the standby manager must discover the subnet again. Source: IBA vol 1 §14.4.1.
 */
final class Standby {
    /** Interval of requests. */
    static final long POLL_INTERVAL_NS = 3_000_000_000L;
    /** Requests without a master's answer after which it is taken for dead. */
    static final int MAX_FAILURES = 3;

    private final RequestQueue requests;
    private byte[] path = new byte[1];
    private int failures;
    private long nextNs = Deadline.NEVER;

    Standby(RequestQueue requests) {
        this.requests = requests;
    }

    /** Directed route to the manager that is watched. */
    byte[] path() {
        return path;
    }

    void begin(byte[] toMaster, long nowNs) {
        path = toMaster;
        failures = 0;
        nextNs = nowNs + POLL_INTERVAL_NS;
    }

    void end() {
        failures = 0;
        nextNs = Deadline.NEVER;
    }

    /** Sends a request if one is due. */
    void onTime(long nowNs) {
        if (Deadline.isDue(nextNs, nowNs)) {
            nextNs = nowNs + POLL_INTERVAL_NS;
            requests.add(SmAttribute.SM_INFO, 0, path, null, this::onInfo);
        }
    }

    private void onInfo(ByteBuffer mad) {
        int state = mad == null ? SmInfo.STATE_NOT_ACTIVE : SmInfo.STATE.get(mad, Smp.DATA_OFFSET);
        failures = state == SmInfo.STATE_MASTER || state == SmInfo.STATE_DISCOVERING ? 0 : failures + 1;
    }

    boolean isMasterDead() {
        return failures >= MAX_FAILURES;
    }

    long deadlineNs() {
        return nextNs;
    }
}
