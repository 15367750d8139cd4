// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;
import org.softrdma.wire.mad.Mad;

/** Shows other managers and tools the state of this one: answers requests for SMInfo. Source: IBA vol 1 §14.2.5.13. */
final class SmInfoAgent {
    private final SmSettings settings;
    private int state = SmInfo.STATE_DISCOVERING;
    private int activity;

    SmInfoAgent(SmSettings settings) {
        this.settings = settings;
    }

    /** Whether a datagram is a request for SMInfo. */
    static boolean serves(ManagementPacket packet) {
        return packet.attribute() == SmAttribute.SM_INFO && packet.method() == MadMethod.GET;
    }

    void becomeMaster() {
        state = SmInfo.STATE_MASTER;
    }

    /** The answer to a request. */
    ByteBuffer answer(ManagementPacket packet) {
        ByteBuffer mad = ManagementPacket.copyOf(packet.mad());
        mad.put(Mad.METHOD_OFFSET, (byte) MadMethod.GET_RESPONSE);
        for (int i = 0; i < Smp.DATA_LENGTH; i++) {
            mad.put(Smp.DATA_OFFSET + i, (byte) 0);
        }
        activity++;
        SmInfo.GUID.set(mad, Smp.DATA_OFFSET, settings.portGuid());
        SmInfo.ACTIVITY_COUNT.set(mad, Smp.DATA_OFFSET, activity);
        SmInfo.PRIORITY.set(mad, Smp.DATA_OFFSET, settings.priority());
        SmInfo.STATE.set(mad, Smp.DATA_OFFSET, state);
        if (packet.isDirected()) {
            Smp.setReturning(mad, 0);
        }
        return mad;
    }
}
