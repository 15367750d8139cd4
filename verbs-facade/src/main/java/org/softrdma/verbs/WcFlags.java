// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

/** Bits of a work completion ({@code enum ibv_wc_flags}). */
public final class WcFlags {
    /** The receive begins with 40 bytes of headers. */
    public static final int GRH = 1;
    /** There are immediate data. */
    public static final int WITH_IMM = 1 << 1;
    /** The checksums of IP are right, for raw packets. */
    public static final int IP_CSUM_OK = 1 << 2;
    /** The peer invalidated a key. */
    public static final int WITH_INV = 1 << 3;

    private WcFlags() {
    }
}
