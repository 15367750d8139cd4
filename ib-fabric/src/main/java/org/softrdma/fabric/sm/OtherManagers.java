// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.sm;

import java.nio.ByteBuffer;
import org.softrdma.wire.ib.PortInfo;
import org.softrdma.wire.ib.SmAttribute;
import org.softrdma.wire.ib.SmInfo;
import org.softrdma.wire.ib.Smp;

/** The other managers that one sweep found: of which one is the master, and which one goes before this one. Source: IBA vol 1 §14.4.1. */
final class OtherManagers {
    private final SmInfoAgent own;
    private byte[] master;
    private byte[] above;
    private ByteBuffer first;

    OtherManagers(SmInfoAgent own) {
        this.own = own;
    }

    /** Reads SMInfo at all ports that say there is a manager. */
    void read(Discovery found, RequestQueue requests) {
        for (ManagedNode node : found.nodes()) {
            for (ManagedPort port : node.ports.values()) {
                if (port != found.own() && port.isEnd() && port.info != null
                    && (PortInfo.CAPABILITY_MASK.get(port.info, 0) & PortInfo.CAP_SM) != 0) {
                    requests.add(SmAttribute.SM_INFO, 0, port.path, null, mad -> onInfo(port, mad));
                }
            }
        }
    }

    private void onInfo(ManagedPort port, ByteBuffer mad) {
        int state = mad == null ? SmInfo.STATE_NOT_ACTIVE : SmInfo.STATE.get(mad, Smp.DATA_OFFSET);
        if (state == SmInfo.STATE_NOT_ACTIVE) {
            return;
        }
        if (state == SmInfo.STATE_MASTER) {
            master = port.path;
        }
        if (own.isBelow(mad, Smp.DATA_OFFSET) && (first == null || SmInfoAgent.isBefore(mad, Smp.DATA_OFFSET,
            SmInfo.PRIORITY.get(first, Smp.DATA_OFFSET), SmInfo.GUID.getLong(first, Smp.DATA_OFFSET)))) {
            first = mad;
            above = port.path;
        }
    }

    /** Directed route to a manager that is the master; null if there is none. */
    byte[] master() {
        return master;
    }

    /** Directed route to the first of the managers that go before this one; null if there is none. */
    byte[] above() {
        return above;
    }
}
