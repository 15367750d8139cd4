// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Changes for {@link MemoryRegion#reregister}; properties that are not set stay. Setting one also sets its bit of {@link #mask()}
 * ({@code enum ibv_rereg_mr_flags}). Not thread-safe; a provider reads it during the call.
 */
public final class Reregistration {
    /** Other memory. */
    public static final int TRANSLATION = 1;
    /** Another protection domain. */
    public static final int PD = 1 << 1;
    /** Other rights. */
    public static final int ACCESS = 1 << 2;

    private int mask;
    private MemorySegment memory;
    private boolean hasIova;
    private long iova;
    private ProtectionDomain pd;
    private int access;

    /** Creates a change that changes nothing yet. */
    public Reregistration() {
    }

    /**
     * Sets other memory; remote addresses are its real ones, or start at 0 if the region is zero-based.
     *
     * @param memory as with {@link ProtectionDomain#register}
     * @return this
     */
    public Reregistration memory(MemorySegment memory) {
        this.memory = memory;
        hasIova = false;
        mask |= TRANSLATION;
        return this;
    }

    /**
     * Sets other memory, with addresses of the caller's choice.
     *
     * @param memory as with {@link ProtectionDomain#register}
     * @param iova   address of the first byte, u64
     * @return this
     */
    public Reregistration memory(MemorySegment memory, long iova) {
        memory(memory);
        this.iova = iova;
        hasIova = true;
        return this;
    }

    /**
     * Sets another protection domain.
     *
     * @param pd of the same context
     * @return this
     */
    public Reregistration pd(ProtectionDomain pd) {
        this.pd = pd;
        mask |= PD;
        return this;
    }

    /**
     * Replaces all rights.
     *
     * @param access bits of {@link AccessFlags}
     * @return this
     */
    public Reregistration access(int access) {
        this.access = access;
        mask |= ACCESS;
        return this;
    }

    /** {@return bits of {@link #TRANSLATION}, {@link #PD} and {@link #ACCESS} for the properties that are set} */
    public int mask() {
        return mask;
    }

    /**
     * Looks what is set.
     *
     * @param bits of {@link #TRANSLATION}, {@link #PD} and {@link #ACCESS}
     * @return whether all of them are
     */
    public boolean has(int bits) {
        return (mask & bits) == bits;
    }

    /** {@return the memory; null if it stays} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return whether {@link #iova()} was set} */
    public boolean hasIova() {
        return hasIova;
    }

    /** {@return the address of the first byte; meaningful with {@link #hasIova}} */
    public long iova() {
        return iova;
    }

    /** {@return the protection domain; null if it stays} */
    public ProtectionDomain pd() {
        return pd;
    }

    /** {@return the rights; meaningful with {@link #ACCESS}} */
    public int access() {
        return access;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (has(TRANSLATION)) {
            text.append("memory ").append(memory).append(hasIova ? ", iova 0x" + Long.toHexString(iova) : "");
        }
        if (has(PD)) {
            text.append(text.isEmpty() ? "" : ", ").append(pd);
        }
        if (has(ACCESS)) {
            text.append(text.isEmpty() ? "" : ", ").append("access ").append(AccessFlags.names(access));
        }
        return text.isEmpty() ? "nothing set" : text.toString();
    }
}
