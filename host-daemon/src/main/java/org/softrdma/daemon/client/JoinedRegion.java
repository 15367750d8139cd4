// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import java.lang.foreign.MemorySegment;
import org.softrdma.abi.uverbs.RegMrCommand;
import org.softrdma.abi.uverbs.RegMrResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;
import org.softrdma.abi.uverbs.UverbsMethod;
import org.softrdma.abi.uverbs.UverbsObject;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.VerbsException;

/** Memory of this process that the daemon reaches. It is not pinned; its arena must stay open while requests name it. */
final class JoinedRegion extends JoinedObject implements MemoryRegion {
    /** Never started. */
    private static final Thread ANOTHER_THREAD = new Thread();

    private final JoinedDomain pd;
    /** Keeps automatic memory alive as well. */
    private final MemorySegment memory;
    private final long first;
    private final int access;
    private int lkey;
    private int rkey;

    private JoinedRegion(JoinedDomain pd, MemorySegment memory, long first, int access) {
        super(pd.joinedContext(), "memory region");
        this.pd = pd;
        this.memory = memory;
        this.first = first;
        this.access = access;
    }

    /** Registers memory; remote addresses are its real ones, or start at 0 with ZERO_BASED. */
    static JoinedRegion register(JoinedDomain pd, MemorySegment memory, int access) {
        boolean zeroBased = (access & AccessFlags.ZERO_BASED) != 0;
        return register(pd, memory, memory.address(), zeroBased ? 0 : memory.address(), access);
    }

    static JoinedRegion register(JoinedDomain pd, MemorySegment memory, long iova, int access) {
        return register(pd, memory, iova, iova, access & ~AccessFlags.ZERO_BASED);
    }

    /**
     * @param asked address for work requests as the command has it: with ZERO_BASED the daemon makes 0 of it
     * @param first address for work requests
     */
    private static JoinedRegion register(JoinedDomain pd, MemorySegment memory, long asked, long first, int access) {
        int domain = pd.handle("reg_mr");
        check(memory, access);
        if (Long.compareUnsigned(first + memory.byteSize(), first) < 0 && first + memory.byteSize() != 0) {
            throw new VerbsException(Errno.EINVAL, "reg_mr", memory.byteSize() + " bytes from iova 0x" + Long.toHexString(first)
                + " reach past 2^64");
        }
        JoinedRegion made = new JoinedRegion(pd, memory, first, access);
        try (Ioctl call = Ioctl.command(pd.joinedContext(), UverbsCommand.REG_MR)) {
            MemorySegment in = call.room(RegMrCommand.BYTES);
            RegMrCommand.start(in, 0, memory.address());
            RegMrCommand.length(in, 0, memory.byteSize());
            RegMrCommand.hcaVa(in, 0, asked);
            RegMrCommand.pdHandle(in, 0, domain);
            RegMrCommand.accessFlags(in, 0, access);
            MemorySegment out = call.room(RegMrResponse.BYTES);
            call.in(in).out(out).run("reg_mr");
            made.lkey = RegMrResponse.lkey(out, 0);
            made.rkey = RegMrResponse.rkey(out, 0);
            made.created(RegMrResponse.mrHandle(out, 0));
            pd.add(made, made.lkey);
            return made;
        }
    }

    private static void check(MemorySegment memory, int access) {
        String wrong = null;
        if (!memory.isNative()) {
            wrong = "memory on the heap can move; allocate it with an Arena";
        } else if (!memory.scope().isAlive()) {
            wrong = "the memory's arena is closed";
        } else if (!memory.isAccessibleBy(ANOTHER_THREAD)) {
            wrong = "the memory is confined to one thread; use a shared, automatic or global arena";
        } else if ((access & AccessFlags.LOCAL_WRITE) != 0 && memory.isReadOnly()) {
            wrong = "LOCAL_WRITE requested on read-only memory";
        }
        if (wrong != null) {
            throw new VerbsException(Errno.EINVAL, "reg_mr", wrong);
        }
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long address() {
        return first;
    }

    @Override
    public long length() {
        return memory.byteSize();
    }

    @Override
    public int access() {
        return access;
    }

    @Override
    public int lkey() {
        requireOpen("mr");
        if (!memory.scope().isAlive()) {
            throw new VerbsException(Errno.EINVAL, "mr", "the memory's arena was closed while the memory was registered");
        }
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    /**
     * Copies a part of the registered memory.
     *
     * @param address first byte, in the region's address space
     * @param bytes   at least 0
     * @param at      position in {@code to}
     * @return false if the part is not within the region, or the memory was freed
     */
    boolean copyOut(long address, int bytes, MemorySegment to, long at) {
        long offset = address - first;
        if (offset < 0 || offset > memory.byteSize() || bytes < 0 || bytes > memory.byteSize() - offset || !memory.scope().isAlive()) {
            return false;
        }
        MemorySegment.copy(memory, offset, to, at, bytes);
        return true;
    }

    @Override
    public void reregister(Reregistration change) {
        requireOpen("rereg_mr");
        throw new VerbsException(Errno.EOPNOTSUPP, "rereg_mr", "the daemon's devices have none; register the memory anew");
    }

    @Override
    String label() {
        return "0x" + Integer.toHexString(lkey) + ": ";
    }

    @Override
    boolean uses(JoinedObject other) {
        return other == pd;
    }

    @Override
    void destroy(int handle) {
        try (Ioctl call = new Ioctl(joinedContext(), UverbsObject.MR, UverbsMethod.MR_DESTROY)) {
            call.number(UverbsAttribute.DESTROY_MR_HANDLE, handle).run("dereg_mr");
        }
        pd.remove(this, lkey);
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
