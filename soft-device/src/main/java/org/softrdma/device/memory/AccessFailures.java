// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/**
 * Explains refused accesses to memory. The data path only decides; after a refusal the same checks are made again here, one by one, for the
 * reason and its values. If none of them fails, the memory itself was freed.
 */
public final class AccessFailures {
    private AccessFailures() {
    }

    /**
     * Explains why an element of a work request was refused.
     *
     * @param pd     number of the protection domain that the lkey must belong to
     * @param rights bits of {@link org.softrdma.verbs.AccessFlags} that the operation needs
     */
    public static Failure local(MemoryTable memory, int lkey, int pd, int rights, long address, long bytes) {
        if (MemoryTable.isWindow(lkey)) {
            return Failure.of(Reason.LKEY_OF_WINDOW, lkey);
        }
        Region region = memory.lookup(lkey);
        if (region == null) {
            return Failure.of(Reason.LKEY_UNKNOWN, lkey, address, bytes);
        }
        if (region.pd() != pd) {
            return Failure.of(Reason.LKEY_OTHER_PD, lkey);
        }
        if ((region.access() & rights) != rights) {
            return Failure.of(Reason.LKEY_ACCESS, lkey, region.access(), rights);
        }
        if (!region.covers(address, bytes)) {
            return Failure.of(Reason.LKEY_RANGE, lkey, region.start(), region.length(), address, bytes);
        }
        return Failure.of(Reason.LOCAL_MEMORY_GONE, lkey, address, bytes);
    }

    /**
     * Explains why a request of the peer was refused.
     *
     * @param pd        number of the protection domain that the rkey must belong to
     * @param qpn       number of the queue pair that received the request
     * @param rights    bits of {@link org.softrdma.verbs.AccessFlags} that the operation needs
     * @param operation value of the {@link org.softrdma.verbs.WrOpcode} that the peer posted
     */
    public static Failure remote(MemoryTable memory, int rkey, int pd, int qpn, int rights, long address, long bytes, int operation) {
        Region region = memory.lookup(rkey);
        if (region == null) {
            return Failure.of(Reason.RKEY_UNKNOWN, rkey, operation, address, bytes);
        }
        if (region.pd() != pd) {
            return Failure.of(Reason.RKEY_OTHER_PD, rkey, operation, address, bytes);
        }
        if (!region.isTypeOne() && !region.isBoundTo(qpn)) {
            return Failure.of(Reason.RKEY_OTHER_QP, rkey, operation, address, bytes);
        }
        if ((region.access() & rights) != rights) {
            return Failure.of(Reason.RKEY_ACCESS, rkey, region.access(), operation, rights);
        }
        if (!region.covers(address, bytes)) {
            return Failure.of(Reason.RKEY_RANGE, rkey, region.start(), region.length(), operation, address, bytes);
        }
        return Failure.of(Reason.REMOTE_MEMORY_GONE, rkey, operation, address, bytes);
    }
}
