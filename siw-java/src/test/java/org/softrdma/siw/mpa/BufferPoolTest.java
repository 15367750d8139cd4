// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private final BufferPool pool = new BufferPool(100, 1);

    @Test
    void shouldGiveAgainWhatCameBackAndKeepNoMore() {
        StreamBuffer one = pool.take();
        StreamBuffer other = pool.take();
        assertNotSame(one, other);
        assertEquals(100, one.bytes().capacity());
        one.wrote(7);
        pool.giveBack(one);
        pool.giveBack(other);
        assertSame(one, pool.take());
        assertTrue(one.isEmpty());
        assertNotSame(other, pool.take());
    }
}
