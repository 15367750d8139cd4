// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/**
 * State of this manager among those of its subnet, which it shows to others: SMInfo. The manager of the greatest priority is the master, of
 * equal ones that of the least GUID. Source: IBA vol 1 §14.2.5.13, §14.4.1.
 */
final class SmInfoAgent {
    /** SM_Key, by which managers trust each other: opensm's, which ignores managers with another one. */
    static final long SM_KEY = 1;

    private final SmSettings settings;
    private int state = SmInfo.STATE_DISCOVERING;
    private int activity;

    SmInfoAgent(SmSettings settings) {
        this.settings = settings;
    }

    /** Whether a datagram is a request for SMInfo. */
    static boolean serves(ManagementPacket packet) {
        return packet.attribute() == SmAttribute.SM_INFO && (packet.method() == MadMethod.GET || packet.method() == MadMethod.SET);
    }

    /** SMState. */
    int state() {
        return state;
    }

    void setState(int state) {
        this.state = state;
    }

    /** Whether another manager, whose SMInfo is at that offset, goes before this one. */
    boolean isBelow(ByteBuffer other, int at) {
        return isBefore(other, at, settings.priority(), settings.portGuid());
    }

    /** Whether the manager with this SMInfo goes before one of that priority and GUID. */
    static boolean isBefore(ByteBuffer info, int at, int priority, long guid) {
        int own = SmInfo.PRIORITY.get(info, at);
        return own > priority || own == priority && Long.compareUnsigned(SmInfo.GUID.getLong(info, at), guid) < 0;
    }

    /** SMInfo, as data of a request. */
    ByteBuffer data() {
        return data(state);
    }

    /** SMInfo that shows a state. */
    ByteBuffer data(int shown) {
        ByteBuffer data = ByteBuffer.allocate(Smp.DATA_LENGTH);
        activity++;
        SmInfo.GUID.set(data, 0, settings.portGuid());
        SmInfo.SM_KEY.set(data, 0, SM_KEY);
        SmInfo.ACTIVITY_COUNT.set(data, 0, activity);
        SmInfo.PRIORITY.set(data, 0, settings.priority());
        SmInfo.STATE.set(data, 0, shown);
        return data;
    }

    /** The answer to a request. */
    ByteBuffer answer(ManagementPacket packet) {
        ByteBuffer mad = ManagementPacket.copyOf(packet.mad());
        mad.put(Mad.METHOD_OFFSET, (byte) MadMethod.GET_RESPONSE);
        mad.put(Smp.DATA_OFFSET, data(), 0, Smp.DATA_LENGTH);
        if (packet.isDirected()) {
            Smp.setReturning(mad, 0);
        }
        return mad;
    }
}
