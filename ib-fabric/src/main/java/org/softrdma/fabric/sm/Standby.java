// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.Notice;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/**
 * Watch of a standby manager over the one before it: a request for SMInfo at each interval. Without an answer of a master some times in
 * sequence, the standby manager must discover the subnet again. Source: IBA vol 1 §14.4.1.
 *
 * <p>A master before which this manager goes may not have met it, or could not reach it at that time. It is reminded by a trap, after which
 * it looks again. That is repeated with each answer, so no response to the trap is awaited. opensm does the same.
 */
final class Standby {
    /** Interval of requests. */
    static final long POLL_INTERVAL_NS = 3_000_000_000L;
    /** Requests without a master's answer after which it is taken for dead. */
    static final int MAX_FAILURES = 3;

    private final RequestQueue requests;
    private final SmInfoAgent own;
    private final Consumer<ManagementPacket> reminders;
    private byte[] path = new byte[1];
    private int failures;
    private long nextNs = Deadline.NEVER;

    /** @param reminders sends a datagram */
    Standby(RequestQueue requests, SmInfoAgent own, Consumer<ManagementPacket> reminders) {
        this.requests = requests;
        this.own = own;
        this.reminders = reminders;
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
        if (state == SmInfo.STATE_MASTER && !own.isBelow(mad, Smp.DATA_OFFSET)) {
            requests.add(SmAttribute.PORT_INFO, 0, new byte[1], null, this::remind);
        }
    }

    /** @param port PortInfo of the own port, or null */
    private void remind(ByteBuffer port) {
        int lid = port == null ? 0 : PortInfo.LID.get(port, Smp.DATA_OFFSET);
        int masterLid = port == null ? 0 : PortInfo.SM_LID.get(port, Smp.DATA_OFFSET);
        if (lid == 0 || masterLid == 0) {
            return;
        }
        ByteBuffer trap = ByteBuffer.allocate(Mad.LENGTH);
        Smp.begin(trap, 0, MadMethod.TRAP, SmAttribute.NOTICE, 0, requests.newTransaction(), 0);
        Notice.putGeneric(trap, Smp.DATA_OFFSET, Notice.TYPE_INFORMATIONAL, Notice.PRODUCER_CLASS_MANAGER,
            Notice.TRAP_CAPABILITY_MASK, lid);
        Notice.CAPABILITY_LID.set(trap, Smp.DATA_OFFSET, lid);
        Notice.CAPABILITY_MASK.set(trap, Smp.DATA_OFFSET, PortInfo.CAPABILITY_MASK.get(port, Smp.DATA_OFFSET));
        Notice.OTHER_LOCAL_CHANGES.set(trap, Smp.DATA_OFFSET, 1);
        Notice.SM_PRIORITY_CHANGE.set(trap, Smp.DATA_OFFSET, 1);
        reminders.accept(ManagementPacket.lidRouted(lid, masterLid, trap));
    }

    boolean isMasterDead() {
        return failures >= MAX_FAILURES;
    }

    long deadlineNs() {
        return nextNs;
    }
}
