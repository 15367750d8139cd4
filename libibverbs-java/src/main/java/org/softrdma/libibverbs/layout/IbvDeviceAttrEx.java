// SPDX-License-Identifier: Apache-2.0
package org.softrdma.libibverbs.layout;

/** Limits and extended capabilities of a device. Source: {@code struct ibv_device_attr_ex} of {@code infiniband/verbs.h}. */
public final class IbvDeviceAttrEx {
    /** Size in bytes. */
    public static final int BYTES = 400;
    /** {@link IbvDeviceAttr}. */
    public static final Block ORIG_ATTR = new Block(0);
    /** Bits that a timestamp of a completion has; 0 without timestamps. */
    public static final U64 COMPLETION_TIMESTAMP_MASK = new U64(264);
    /** Frequency of the device's clock in kHz. */
    public static final U64 HCA_CORE_CLOCK = new U64(272);
    public static final U64 DEVICE_CAP_FLAGS_EX = new U64(280);

    private IbvDeviceAttrEx() {
    }
}
