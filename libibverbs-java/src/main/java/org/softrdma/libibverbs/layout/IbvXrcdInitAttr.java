// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Arguments of opening an XRC domain. Source: {@code struct ibv_xrcd_init_attr} of {@code infiniband/verbs.h}. */
public final class IbvXrcdInitAttr {
    /** Size in bytes. */
    public static final int BYTES = 12;
    /** Fields that are set: always both. */
    public static final U32 COMP_MASK = new U32(0);
    /** Descriptor of the file that names the domain; -1 for none. */
    public static final U32 FD = new U32(4);
    /** {@code O_CREAT}, {@code O_EXCL}. */
    public static final U32 OFLAGS = new U32(8);

    /** Bits of {@link #COMP_MASK} ({@code enum ibv_xrcd_init_attr_mask}). */
    public static final int HAS_FD = 1;
    public static final int HAS_OFLAGS = 1 << 1;

    private IbvXrcdInitAttr() {
    }
}
