// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs;

import static org.softrdma.libibverbs.NativeMemory.ALL;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.softrdma.libibverbs.layout.IbvMr;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.VerbsException;

/** {@code struct ibv_mr}. */
final class NativeMemoryRegion extends NativeObject implements MemoryRegion {
    /** Never started. */
    private static final Thread ANOTHER_THREAD = new Thread();
    private static final Path LIMITS = Path.of("/proc/self/limits");
    /** The soft limit, unless there is none. Source: proc(5). */
    private static final Pattern MEMLOCK = Pattern.compile("Max locked memory +([0-9]+) .*");

    /** Keeps automatic memory alive as well. */
    private MemorySegment memory;
    private NativeProtectionDomain pd;
    private int access;
    private long first;
    private final int lkey;
    private final int rkey;

    private NativeMemoryRegion(NativeProtectionDomain pd, MemorySegment memory, long first, int access, long address) {
        super(pd.nativeContext(), "memory region", address);
        this.pd = pd;
        this.memory = memory;
        this.access = access;
        this.first = first;
        lkey = IbvMr.LKEY.get(ALL, address);
        rkey = IbvMr.RKEY.get(ALL, address);
        pd.add(lkey, this);
    }

    /** Registers memory; remote addresses are its real ones, or start at 0 with ZERO_BASED. */
    static NativeMemoryRegion register(NativeProtectionDomain pd, MemorySegment memory, int access) {
        boolean zeroBased = (access & AccessFlags.ZERO_BASED) != 0;
        // A region with its first address 0 is what ZERO_BASED means, and works where the driver refuses the flag.
        return zeroBased ? register(pd, memory, 0, access) : register(pd, memory, memory.address(), access);
    }

    static NativeMemoryRegion register(NativeProtectionDomain pd, MemorySegment memory, long iova, int access) {
        check(memory, "reg_mr");
        checkAccess(memory, access);
        int asked = access & ~AccessFlags.ZERO_BASED;
        long address = memory.address();
        long domain = pd.address("reg_mr");
        long created;
        if (Libibverbs.REG_MR_IOVA2.isThere() && (iova != address || (asked & AccessFlags.OPTIONAL_RANGE) != 0)) {
            created = Libibverbs.REG_MR_IOVA2.call(domain, address, memory.byteSize(), iova, asked);
        } else if (iova != address) {
            created = Libibverbs.REG_MR_IOVA.call(domain, address, memory.byteSize(), iova, asked);
        } else {
            created = Libibverbs.REG_MR.call(domain, address, memory.byteSize(), asked);
        }
        if (created == 0) {
            int errno = NativeFunction.errno();
            throw Libibverbs.failure(errno, "reg_mr", memory.byteSize() + " bytes, access " + AccessFlags.names(access) + limit(errno));
        }
        return new NativeMemoryRegion(pd, memory, iova, access, created);
    }

    private static void check(MemorySegment memory, String verb) {
        if (!memory.isNative()) {
            throw new VerbsException(Errno.EINVAL, verb, "memory on the heap can move; allocate it with an Arena");
        }
        if (!memory.scope().isAlive()) {
            throw new VerbsException(Errno.EINVAL, verb, "the memory's arena is closed");
        }
        if (!memory.isAccessibleBy(ANOTHER_THREAD)) {
            throw new VerbsException(Errno.EINVAL, verb, "the memory is confined to one thread; use a shared, automatic or global arena");
        }
    }

    /** Says what the kernel refuses without a word. */
    private static void checkAccess(MemorySegment memory, int access) {
        boolean writable = (access & AccessFlags.LOCAL_WRITE) != 0;
        if (!writable && (access & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC)) != 0) {
            throw new VerbsException(Errno.EINVAL, "reg_mr",
                "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE (access 0x" + Integer.toHexString(access) + ")");
        }
        if (writable && memory.isReadOnly()) {
            throw new VerbsException(Errno.EINVAL, "reg_mr", "LOCAL_WRITE requested on read-only memory");
        }
    }

    /** The limit that registrations are most often refused for; empty after other errors. */
    private static String limit(int errno) {
        if (errno != Errno.ENOMEM.value() && errno != Errno.EAGAIN.value()) {
            return "";
        }
        try {
            return Files.readAllLines(LIMITS).stream().map(MEMLOCK::matcher).filter(Matcher::matches).findFirst()
                .map(line -> "; all registered memory counts against RLIMIT_MEMLOCK (ulimit -l), which is " + line.group(1)
                    + " bytes for this process: raise it (limits.conf, systemd's LimitMEMLOCK) or grant CAP_IPC_LOCK")
                .orElse("");
        } catch (IOException notShown) {
            return "";
        }
    }

    @Override
    public synchronized ProtectionDomain pd() {
        return pd;
    }

    @Override
    public synchronized MemorySegment memory() {
        return memory;
    }

    @Override
    public synchronized long address() {
        return first;
    }

    /**
     * Copies a part of the registered memory.
     *
     * @param address first byte, in the region's address space
     * @param bytes   at least 0
     * @param at      position in {@code to}
     * @return false if the part is not within the region, or the memory was freed
     */
    synchronized boolean copyOut(long address, int bytes, MemorySegment to, long at) {
        long offset = address - first;
        if (offset < 0 || offset > memory.byteSize() || bytes > memory.byteSize() - offset || !memory.scope().isAlive()) {
            return false;
        }
        MemorySegment.copy(memory, offset, to, at, bytes);
        return true;
    }

    @Override
    public synchronized long length() {
        return memory.byteSize();
    }

    @Override
    public synchronized int access() {
        return access;
    }

    @Override
    public int lkey() {
        address("mr");
        if (!memory.scope().isAlive()) {
            throw new VerbsException(Errno.EINVAL, "mr", "the memory's arena was closed while the memory was registered");
        }
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public synchronized void reregister(Reregistration change) {
        long region = address("rereg_mr");
        if (change.mask() == 0) {
            throw new VerbsException(Errno.EINVAL, "rereg_mr", "nothing to change");
        }
        if (change.hasIova()) {
            throw new VerbsException(Errno.EOPNOTSUPP, "rereg_mr", "libibverbs changes memory without an iova only");
        }
        MemorySegment to = change.has(Reregistration.TRANSLATION) ? change.memory() : memory;
        if (change.has(Reregistration.TRANSLATION)) {
            check(to, "rereg_mr");
        }
        NativeProtectionDomain in = change.has(Reregistration.PD)
            ? own(NativeProtectionDomain.class, change.pd(), nativeContext(), "rereg_mr", "the protection domain") : pd;
        // The result is a code of the phase that failed; errno has the reason.
        long refused =
            Libibverbs.REREG_MR.call(region, change.mask(), in.address("rereg_mr"), to.address(), to.byteSize(), change.access());
        if (refused != 0) {
            int errno = NativeFunction.errno();
            throw Libibverbs.failure(errno, "rereg_mr", change + limit(errno));
        }
        pd.remove(lkey, this);
        pd = in;
        pd.add(lkey, this);
        memory = to;
        access = change.has(Reregistration.ACCESS) ? change.access() : access;
        first = change.has(Reregistration.TRANSLATION) ? to.address() : first;
    }

    @Override
    String label() {
        return "0x" + Integer.toHexString(lkey) + ": ";
    }

    @Override
    synchronized boolean uses(NativeObject other) {
        return other == pd;
    }

    @Override
    int destroy(long structure) {
        int refused = (int) Libibverbs.DEREG_MR.call(structure);
        if (refused == 0) {
            pd.remove(lkey, this);
        }
        return refused;
    }

    @Override
    String destroyVerb() {
        return "dereg_mr";
    }

    @Override
    public String toString() {
        return "memory region 0x" + Integer.toHexString(lkey) + ", " + length() + " bytes" + (isClosed() ? ", closed" : "");
    }
}
