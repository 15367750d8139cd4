// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.softrdma.linux.MemoryLockLimit;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Limit of the memory that a process may register. Adapters pin registered memory, and the operating system limits pinned memory of
 * unprivileged processes. A soft device pins nothing, but can count as an adapter would: each region with all pages it touches, pages of
 * overlapping regions once per region. Thread-safe.
 * Source: setrlimit(2) RLIMIT_MEMLOCK, capabilities(7) CAP_IPC_LOCK; Linux's ib_umem counts the same way.
 */
public final class PinnedMemory {
    /** No limit; nothing is counted. */
    public static final PinnedMemory UNLIMITED = new PinnedMemory(() -> Long.MAX_VALUE, 1);

    private static final class Holder {
        private static final PinnedMemory OF_THIS_PROCESS = new PinnedMemory(MemoryLockLimit::bytes, MemoryLockLimit.pageBytes());
    }

    private final LongSupplier limitBytes;
    private final long pageBytes;
    private long pinnedBytes;

    /**
     * Creates a limit with nothing pinned.
     *
     * @param limitBytes supplies the current limit; {@link Long#MAX_VALUE} without limit
     * @param pageBytes  a power of two
     */
    PinnedMemory(LongSupplier limitBytes, long pageBytes) {
        this.limitBytes = limitBytes;
        this.pageBytes = pageBytes;
    }

    /** Returns the limit of {@code ulimit -l} for all devices of the process; none on systems other than Linux or with CAP_IPC_LOCK. */
    public static PinnedMemory ofThisProcess() {
        return Holder.OF_THIS_PROCESS;
    }

    /**
     * Counts the pages of a region as pinned.
     *
     * @param verb name of the calling verb, for the exception
     * @throws VerbsException ENOMEM if the limit would be exceeded; then nothing has changed
     */
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
            uncount(memory);
        }
    }

    private synchronized void uncount(MemorySegment memory) {
        pinnedBytes -= pageBytes(memory);
    }

    private long pageBytes(MemorySegment memory) {
        long first = memory.address() & -pageBytes;
        long end = memory.address() + memory.byteSize() + pageBytes - 1 & -pageBytes;
        return memory.byteSize() == 0 ? 0 : end - first;
    }
}
