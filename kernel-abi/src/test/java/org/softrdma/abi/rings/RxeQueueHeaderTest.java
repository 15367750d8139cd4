// SPDX-License-Identifier: Apache-2.0
package org.softrdma.abi.rings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RxeQueueHeaderTest {
    @Test
    void shouldPlaceSlotsBehindTheHead() {
        // 4 slots of 64 bytes, as librxe sees a completion queue of 3
        assertEquals(384, RxeQueueHeader.slot(0, 0, 6, 3));
        assertEquals(384 + 3 * 64, RxeQueueHeader.slot(0, 3, 6, 3));
        assertEquals(384, RxeQueueHeader.slot(0, 4, 6, 3));
        assertEquals(4096 + 384 + 3 * 64, RxeQueueHeader.slot(4096, -1, 6, 3));
        assertEquals(384 + 4 * 64, RxeQueueHeader.bytes(6, 3));
    }

    @Test
    void shouldCountLargeRingsWithoutOverflow() {
        assertEquals(384 + (1L << 40), RxeQueueHeader.bytes(12, (1 << 28) - 1));
        assertEquals(384 + (1L << 43), RxeQueueHeader.bytes(12, Integer.MAX_VALUE));
    }

    @Property
    void shouldStayInTheRingForAnyIndex(@ForAll int index, @ForAll @IntRange(min = 4, max = 16) int log2ElemSize,
            @ForAll @IntRange(min = 0, max = 24) int log2Slots) {
        int mask = (1 << log2Slots) - 1;
        long slot = RxeQueueHeader.slot(0, index, log2ElemSize, mask);
        assertTrue(slot >= RxeQueueHeader.DATA_OFFSET);
        assertTrue(slot + (1L << log2ElemSize) <= RxeQueueHeader.bytes(log2ElemSize, mask));
    }
}
