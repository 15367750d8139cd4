// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import org.softrdma.device.memory.AccessFailures;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.wire.iwarp.TerminateCode;
import org.softrdma.wire.iwarp.UlpduCheck;

/** Decides which memory the peer may access: one lookup of the key gives the region, or the reason for a refusal. RFC 5040 §8.1.1 */
final class RemoteAccess {
    private final MemoryTable memory;
    private final int pd;
    private final int qpn;
    private final QpAttributes attributes;
    private int refusal = UlpduCheck.OK;

    /** @param attributes of the queue pair: its access flags limit every access */
    RemoteAccess(MemoryTable memory, int pd, int qpn, QpAttributes attributes) {
        this.memory = memory;
        this.pd = pd;
        this.qpn = qpn;
        this.attributes = attributes;
    }

    /**
     * Finds the region of one access.
     *
     * @param right one of {@link AccessFlags}; both queue pair and memory must grant it
     * @param to    address in the region, u64
     * @param bytes length, 1..2^32-1
     * @return null if the access is refused; {@link #refusal} says why
     */
    Region find(int stag, int right, long to, long bytes) {
        Region region = memory.lookup(stag);
        refusal = check(region, right, to, bytes);
        return refusal == UlpduCheck.OK ? region : null;
    }

    private int check(Region region, int right, long to, long bytes) {
        if (region == null) {
            return TerminateCode.PROTECTION_INVALID_STAG;
        }
        if (!region.grants(pd, qpn, 0)) {
            return TerminateCode.PROTECTION_NOT_ASSOCIATED;
        }
        if ((region.access() & attributes.accessFlags() & right) == 0) {
            return TerminateCode.PROTECTION_ACCESS_RIGHTS;
        }
        if (to != 0 && Long.compareUnsigned(bytes, -to) > 0) {
            return TerminateCode.PROTECTION_TO_WRAP;
        }
        return region.covers(to, bytes) ? UlpduCheck.OK : TerminateCode.PROTECTION_BASE_BOUNDS;
    }

    /**
     * Explains why {@link #find} refused an access, or why the memory that it found could not be used.
     *
     * @param operation what the peer posted, as far as the segment shows it
     */
    Failure explain(int stag, int right, long to, long bytes, WrOpcode operation) {
        int granted = attributes.accessFlags();
        Region region = memory.lookup(stag);
        if (region != null && region.grants(pd, qpn, right) && (granted & right) == 0) {
            return Failure.of(Reason.QP_ACCESS, granted, operation.value(), right);
        }
        return AccessFailures.remote(memory, stag, pd, qpn, right, to, bytes, operation.value());
    }

    /** Why the last {@link #find} returned null: a code of RDMAP's protection errors. */
    int refusal() {
        return refusal;
    }
}
