// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.queue;

import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.WrOpcode;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** Executes the send work requests that send nothing: binding a memory window, invalidating a key. */
public final class LocalOperations {
    private final SendRing ring;
    private final MemoryTable memory;
    private final int pd;
    private final int qpn;

    /**
     * Creates the executor of one queue pair.
     *
     * @param pd  number of the queue pair's protection domain
     * @param qpn number of the queue pair, 24 bits
     */
    public LocalOperations(SendRing ring, MemoryTable memory, int pd, int qpn) {
        this.ring = ring;
        this.memory = memory;
        this.pd = pd;
        this.qpn = qpn;
    }

    /**
     * Tells local operations from those that send packets.
     *
     * @param wrOpcode a {@link WrOpcode} value
     * @return true for LOCAL_INV and BIND_MW
     */
    public static boolean isLocal(int wrOpcode) {
        return wrOpcode == WrOpcode.LOCAL_INV.value() || wrOpcode == WrOpcode.BIND_MW.value();
    }

    /**
     * Executes a local operation.
     *
     * @param wqe sequence number of its record in the send ring
     * @return null, or why it failed
     */
    public Failure run(long wqe) {
        if (ring.opcode(wqe) == WrOpcode.BIND_MW.value()) {
            return bind(wqe);
        }
        int key = ring.immediate(wqe);
        return memory.invalidate(key, pd, qpn) ? null : Failure.of(Reason.KEY_NOT_INVALIDATED, key);
    }

    /**
     * Binds a window. The rkey field has the window and its new key byte, the only element has the region and the address. Length 0 ends
     * the binding of a type 1 window.
     * Source: IBA vol 1 §10.6.7.2; kernel rxe refuses the same cases.
     */
    private Failure bind(long wqe) {
        int key = ring.rkey(wqe);
        long length = ring.bindLength(wqe);
        int access = ring.bindAccess(wqe);
        boolean typeOne = memory.isTypeOne(key);
        if (typeOne && length == 0) {
            return memory.bindTypeOne(key, pd, null, 0, 0, 0) ? null : Failure.of(Reason.BIND_WINDOW, key);
        }
        int lkey = ring.elementLkey(wqe, 0);
        Region region = MemoryTable.isWindow(lkey) ? null : memory.lookup(lkey);
        long at = ring.elementAddress(wqe, 0);
        boolean writes = (access & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0;
        boolean allowed = region != null && length > 0 && region.covers(at, length)
            && region.grants(pd, qpn, AccessFlags.MW_BIND | (writes ? AccessFlags.LOCAL_WRITE : 0));
        if (!allowed) {
            return Failure.of(Reason.BIND_REGION, key, at, length, lkey);
        }
        boolean bound = typeOne ? memory.bindTypeOne(key, pd, region, at, length, access)
            : memory.bindWindow(key, region, at, length, access, qpn);
        return bound ? null : Failure.of(Reason.BIND_WINDOW, key);
    }
}
