// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop.app;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.SendFlags;
import org.softrdma.verbs.WrOpcode;

/** One send work request, for either side. Elements are parts of that side's region. Signaled by default. */
final class Work {
    /** A part of the region. */
    record Part(int offset, int length) {
    }

    final WrOpcode opcode;
    final long wrId;
    final List<Part> parts = new ArrayList<>();
    int flags = SendFlags.SIGNALED;
    /** Immediate data, or the key to invalidate. */
    int immediate;
    long address;
    int rkey;
    long compareAdd;
    long swap;
    int flushed;
    /** Q_Key of a datagram; null for the peer's. */
    Integer qkey;
    /** Group that a datagram is sent to, instead of the peer. */
    Gid group;
    /** Whether a datagram is sent by an address handle of another protection domain. */
    boolean foreignHandle;

    private Work(WrOpcode opcode, long wrId) {
        this.opcode = opcode;
        this.wrId = wrId;
    }

    static Work send(long wrId) {
        return new Work(WrOpcode.SEND, wrId);
    }

    static Work sendWithImmediate(long wrId, int immediate) {
        Work work = new Work(WrOpcode.SEND_WITH_IMM, wrId);
        work.immediate = immediate;
        return work;
    }

    static Work sendWithInvalidate(long wrId, int rkey) {
        Work work = new Work(WrOpcode.SEND_WITH_INV, wrId);
        work.immediate = rkey;
        return work;
    }

    static Work write(long wrId, long address, int rkey) {
        return new Work(WrOpcode.RDMA_WRITE, wrId).at(address, rkey);
    }

    static Work writeWithImmediate(long wrId, long address, int rkey, int immediate) {
        Work work = new Work(WrOpcode.RDMA_WRITE_WITH_IMM, wrId).at(address, rkey);
        work.immediate = immediate;
        return work;
    }

    static Work read(long wrId, long address, int rkey) {
        return new Work(WrOpcode.RDMA_READ, wrId).at(address, rkey);
    }

    static Work compareAndSwap(long wrId, long address, int rkey, long compare, long swap) {
        Work work = new Work(WrOpcode.ATOMIC_CMP_AND_SWP, wrId).at(address, rkey);
        work.compareAdd = compare;
        work.swap = swap;
        return work;
    }

    static Work fetchAndAdd(long wrId, long address, int rkey, long add) {
        Work work = new Work(WrOpcode.ATOMIC_FETCH_AND_ADD, wrId).at(address, rkey);
        work.compareAdd = add;
        return work;
    }

    /** Writes the 8 bytes of the one part atomically. */
    static Work atomicWrite(long wrId, long address, int rkey) {
        return new Work(WrOpcode.ATOMIC_WRITE, wrId).at(address, rkey);
    }

    /** Flushes this number of bytes, for global visibility. */
    static Work flush(long wrId, long address, int rkey, int length) {
        Work work = new Work(WrOpcode.FLUSH, wrId).at(address, rkey);
        work.flushed = length;
        return work;
    }

    /** Ends the binding of a window of the poster's own queue pair. */
    static Work localInvalidate(long wrId, int rkey) {
        Work work = new Work(WrOpcode.LOCAL_INV, wrId);
        work.immediate = rkey;
        return work;
    }

    private Work at(long remote, int key) {
        address = remote;
        rkey = key;
        return this;
    }

    Work qkey(int other) {
        qkey = other;
        return this;
    }

    Work toGroup(Gid gid) {
        group = gid;
        return this;
    }

    Work byForeignHandle() {
        foreignHandle = true;
        return this;
    }

    Work part(int offset, int length) {
        parts.add(new Part(offset, length));
        return this;
    }

    Work also(int flag) {
        flags |= flag;
        return this;
    }

    Work unsignaled() {
        flags &= ~SendFlags.SIGNALED;
        return this;
    }
}
