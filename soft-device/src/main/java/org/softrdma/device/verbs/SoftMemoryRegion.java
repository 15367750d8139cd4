// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.verbs;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.softrdma.device.memory.Region;
import org.softrdma.device.strict.StrictRegion;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.Reregistration;
import org.softrdma.verbs.VerbsException;

/** A registered memory region of a soft device. */
final class SoftMemoryRegion implements MemoryRegion, LiveObjects.Shown {
    private static final String KIND = "memory regions";

    private final SoftContext context;
    /** Null unless the context is strict. */
    private final StrictRegion use;
    private volatile Terms terms;

    /** Properties changed by {@link #reregister} and {@link #close}, replaced as one so that readers see them consistent. */
    private record Terms(SoftProtectionDomain pd, MemorySegment memory, Region region, boolean closed) {
    }

    /** @param use rules of a strict context, or null */
    SoftMemoryRegion(SoftProtectionDomain pd, MemorySegment memory, StrictRegion use, Region region) {
        context = pd.softContext();
        this.use = use;
        terms = new Terms(pd, memory, region, false);
        pd.children.add(KIND);
        context.living.add(this);
    }

    @Override
    public ProtectionDomain pd() {
        return terms.pd;
    }

    @Override
    public MemorySegment memory() {
        return terms.memory;
    }

    @Override
    public long address() {
        return terms.region.start();
    }

    @Override
    public long length() {
        return terms.region.length();
    }

    @Override
    public int access() {
        return terms.region.access();
    }

    @Override
    public int lkey() {
        Terms now = terms;
        if (now.closed) {
            throw new VerbsException(Errno.EINVAL, "mr", "lkey 0x" + Integer.toHexString(now.region.key())
                + ": the region is closed; register the memory again");
        }
        return now.region.key();
    }

    @Override
    public int rkey() {
        if (use != null) {
            use.onRkeyGiven();
        }
        return remoteKey();
    }

    private int remoteKey() {
        Region region = terms.region;
        return (region.access() & (AccessFlags.REMOTE_ANY | AccessFlags.FLUSH_ANY)) != 0 ? region.key() : 0;
    }

    @Override
    public Resource resource() {
        int key = terms.region.key();
        return Resource.of(ResourceKind.MR).with("mrn", key >>> 8).withKey("rkey", remoteKey()).withKey("lkey", key)
            .with("mrlen", Long.toUnsignedString(length())).with("pdn", terms.pd.number());
    }

    @Override
    public void reregister(Reregistration change) {
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            if (terms.closed) {
                throw invalid("the region is closed");
            }
            if (terms.memory == null) {
                throw invalid("its memory is in another process; register it again");
            }
            if (change.mask() == 0) {
                throw invalid("nothing to change; set memory, pd or access");
            }
            Terms now = terms;
            SoftProtectionDomain pd = change.has(Reregistration.PD) ? own(change.pd()) : now.pd;
            int access = change.has(Reregistration.ACCESS) ? change.access() : now.region.access();
            boolean moves = change.has(Reregistration.TRANSLATION);
            if (!moves && ((access ^ now.region.access()) & AccessFlags.ZERO_BASED) != 0) {
                throw invalid("ZERO_BASED changes where addresses start, so it can only be changed together with the memory");
            }
            MemorySegment memory = moves ? change.memory() : now.memory;
            long start = !moves ? now.region.start() : change.hasIova() ? change.iova() : SoftProtectionDomain.startOf(memory, access);
            terms = new Terms(pd, memory, pd.pinned("rereg_mr", memory,
                () -> context.memory().reregister(now.region, memory, start, access, pd.number())), false);
            context.pinned().unpin(now.memory);
            pd.children.add(KIND);
            now.pd.children.remove(KIND);
        } finally {
            owner.unlock();
        }
    }

    private SoftProtectionDomain own(ProtectionDomain pd) {
        if (!(pd instanceof SoftProtectionDomain soft) || pd.context() != context) {
            throw invalid("the protection domain belongs to another context");
        }
        soft.requireOpen("rereg_mr");
        return soft;
    }

    private VerbsException invalid(String why) {
        return new VerbsException(Errno.EINVAL, "rereg_mr", "lkey 0x" + Integer.toHexString(terms.region.key()) + ": " + why);
    }

    @Override
    public void close() {
        ReentrantLock owner = context.agent().lock();
        owner.lock();
        try {
            Terms now = terms;
            if (!now.closed) {
                if (use != null) {
                    use.onClose(now.region.key());
                }
                context.memory().remove(now.region.key());
                terms = new Terms(now.pd, now.memory, now.region, true);
                now.pd.children.remove(KIND);
                context.living.remove(this);
                if (now.memory != null) {
                    context.pinned().unpin(now.memory);
                }
            }
        } finally {
            owner.unlock();
        }
    }

    @Override
    public String toString() {
        Terms now = terms;
        return "mr 0x" + Long.toHexString(now.region.start()) + "+" + Long.toUnsignedString(now.region.length()) + ", lkey 0x"
            + Integer.toHexString(now.region.key()) + ", rkey 0x" + Integer.toHexString(remoteKey()) + ", access "
            + AccessFlags.names(now.region.access()) + (now.closed ? ", closed" : "");
    }
}
