// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Values that change while a device is open. Source: {@code struct ibv_values_ex} of {@code infiniband/verbs.h}. */
public final class IbvValuesEx {
    /** Size in bytes. */
    public static final int BYTES = 24;
    /** Values wanted: {@link #RAW_CLOCK}. */
    public static final U32 COMP_MASK = new U32(0);
    /** {@code raw_clock.tv_sec}. */
    public static final U64 TV_SEC = new U64(8);
    /** {@code raw_clock.tv_nsec}: drivers store the whole counter here, in cycles. */
    public static final U64 TV_NSEC = new U64(16);

    /** {@code IBV_VALUES_MASK_RAW_CLOCK}. */
    public static final int RAW_CLOCK = 1;

    private IbvValuesEx() {
    }
}
