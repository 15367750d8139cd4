// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Layouts of fields of the kernel: little endian, or big endian where the kernel says {@code __be}; none needs alignment. */
public final class AbiLayout {
    /** u8. */
    public static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    /** u16. */
    public static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** u32. */
    public static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** u64. */
    public static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** be16. */
    public static final ValueLayout.OfShort BE16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** be32. */
    public static final ValueLayout.OfInt BE32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** be64. */
    public static final ValueLayout.OfLong BE64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private AbiLayout() {
    }
}
