// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Bits of memory regions' and queue pairs' access rights ({@code enum ibv_access_flags}). Local read is always allowed. */
public final class AccessFlags {
    /** The device may write: receives, results of READs and atomics. */
    public static final int LOCAL_WRITE = 1;
    /** The peer may write. Needs LOCAL_WRITE. */
    public static final int REMOTE_WRITE = 1 << 1;
    /** The peer may read. */
    public static final int REMOTE_READ = 1 << 2;
    /** The peer may use atomics. Needs LOCAL_WRITE. */
    public static final int REMOTE_ATOMIC = 1 << 3;
    /** Memory windows may be bound to the region. */
    public static final int MW_BIND = 1 << 4;
    /** Remote addresses of the region start at 0 instead of its virtual address. */
    public static final int ZERO_BASED = 1 << 5;
    /** The memory need not be present: it is looked up at each access. */
    public static final int ON_DEMAND = 1 << 6;
    /** The memory consists of huge pages. */
    public static final int HUGETLB = 1 << 7;
    /** The peer may FLUSH for global visibility. */
    public static final int FLUSH_GLOBAL = 1 << 8;
    /** The peer may FLUSH for persistence; regions with it are mapped files. */
    public static final int FLUSH_PERSISTENT = 1 << 9;
    /** The first of the ten optional bits (20..29): a device ignores those it does not know. */
    public static final int RELAXED_ORDERING = 1 << 20;

    /** All rights of a peer but FLUSH. */
    public static final int REMOTE_ANY = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC;
    /** Both kinds of FLUSH. */
    public static final int FLUSH_ANY = FLUSH_GLOBAL | FLUSH_PERSISTENT;
    /** The ten optional bits. */
    public static final int OPTIONAL_RANGE = 0x3ff00000;

    private static final String[] NAMES = {
        "LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC", "MW_BIND", "ZERO_BASED", "ON_DEMAND", "HUGETLB", "FLUSH_GLOBAL",
        "FLUSH_PERSISTENT", null, null, null, null, null, null, null, null, null, null, "RELAXED_ORDERING"};

    private AccessFlags() {
    }

    /**
     * Names the bits that are set.
     *
     * @param access bits of this class
     * @return as in {@code LOCAL_WRITE|REMOTE_READ}; {@code 0} for none
     */
    public static String names(int access) {
        return access == 0 ? "0" : BitNames.list(access, "|", NAMES);
    }
}
