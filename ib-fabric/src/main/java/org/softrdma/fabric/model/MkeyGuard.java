// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

import java.nio.ByteBuffer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.wire.ib.MadMethod;
import org.softrdma.wire.ib.PortInfo;

/**
 * Protection of a port's registers by its M_Key, or of a whole switch by that of port 0. A wrong key begins the lease: if no correct one
 * is seen until it ends, the protection ends too, and the key can be read by anybody. Source: IBA vol 1 §14.2.4.
 */
final class MkeyGuard {
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final int MAX_VIOLATIONS = 0xFFFF;

    private final ByteBuffer info;
    private long leaseEndNs = Deadline.NEVER;

    /** @param info PortInfo of the port */
    MkeyGuard(ByteBuffer info) {
        this.info = info;
    }

    /**
     * Checks the key of a request, and begins or ends the lease.
     *
     * @param method Get or Set
     * @return whether the request may be executed
     */
    boolean admits(long key, int method, long nowNs) {
        expire(nowNs);
        if (matches(key)) {
            leaseEndNs = Deadline.NEVER;
            return true;
        }
        if (method == MadMethod.GET && PortInfo.MKEY_PROTECT.get(info, 0) < 2) {
            return true;
        }
        PortInfo.MKEY_VIOLATIONS.set(info, 0, Math.min(PortInfo.MKEY_VIOLATIONS.get(info, 0) + 1, MAX_VIOLATIONS));
        int period = PortInfo.MKEY_LEASE_PERIOD.get(info, 0);
        if (period > 0 && leaseEndNs == Deadline.NEVER) {
            leaseEndNs = nowNs + period * NS_PER_SECOND;
        }
        return false;
    }

    /** Whether a key is the port's, or the port has none. */
    private boolean matches(long key) {
        long own = PortInfo.MKEY.getLong(info, 0);
        return own == 0 || own == key;
    }

    /** Whether a reader with that key may see the port's key. */
    boolean shows(long key) {
        return matches(key) || PortInfo.MKEY_PROTECT.get(info, 0) == 0;
    }

    private void expire(long nowNs) {
        if (Deadline.isDue(leaseEndNs, nowNs)) {
            leaseEndNs = Deadline.NEVER;
            PortInfo.MKEY_PROTECT.set(info, 0, 0);
        }
    }
}
