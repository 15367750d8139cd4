// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * How much memory a process may register. Adapters pin it, and the operating system allows a process that is not privileged only so much of
 * that. A soft device pins nothing; one that is to behave like an adapter counts as if it did: each region with all pages it touches,
 * regions that overlap twice. Thread-safe.
 * Source: setrlimit(2) RLIMIT_MEMLOCK, capabilities(7) CAP_IPC_LOCK; Linux's ib_umem counts the same way.
 */
public final class PinnedMemory {
    /** As much as there is. */
    public static final PinnedMemory UNLIMITED = new PinnedMemory(() -> Long.MAX_VALUE, 1);

    private static final class Holder {
        private static final PinnedMemory OF_THIS_PROCESS = new PinnedMemory(MemoryLockLimit::bytes, MemoryLockLimit.pageBytes());
    }

    private final LongSupplier limitBytes;
    private final long pageBytes;
    private long pinnedBytes;

    /**
     * @param limitBytes what is allowed now; {@link Long#MAX_VALUE} without limit
     * @param pageBytes  a power of two
     */
    PinnedMemory(LongSupplier limitBytes, long pageBytes) {
        this.limitBytes = limitBytes;
        this.pageBytes = pageBytes;
    }

    /** What {@code ulimit -l} says, over all devices of the process; without limit on systems other than Linux, and for the privileged. */
    public static PinnedMemory ofThisProcess() {
        return Holder.OF_THIS_PROCESS;
    }

    /** @throws VerbsException ENOMEM if that were more than is allowed: nothing has changed */
    public void pin(String verb, MemorySegment memory) {
        if (this != UNLIMITED) {
            count(verb, memory);
        }
    }

    private synchronized void count(String verb, MemorySegment memory) {
        long more = pageBytes(memory);
        long limit = limitBytes.getAsLong();
        if (limit != Long.MAX_VALUE && pinnedBytes + more > limit) {
            throw new VerbsException(Errno.ENOMEM, verb, more / 1024 + " KiB of pages, " + pinnedBytes / 1024
                + " KiB are pinned already, and this process may pin " + limit / 1024 + " KiB. `ulimit -l unlimited` raises that as far as "
                + "the hard limit goes, `@rdma - memlock unlimited` in /etc/security/limits.conf for the next login; "
                + "`rdma link set DEV memlock none` has the device ask for no pinned memory");
        }
        pinnedBytes += more;
    }

    /** Undoes one {@link #pin} of the same memory. */
    public void unpin(MemorySegment memory) {
        if (this != UNLIMITED) {
            forget(memory);
        }
    }

    private synchronized void forget(MemorySegment memory) {
        pinnedBytes -= pageBytes(memory);
    }

    private long pageBytes(MemorySegment memory) {
        long first = memory.address() & -pageBytes;
        long end = memory.address() + memory.byteSize() + pageBytes - 1 & -pageBytes;
        return memory.byteSize() == 0 ? 0 : end - first;
    }
}
