// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.mpa;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StreamBufferTest {
    /** Bytes move to the front only if the end has no room for those to come. */
    @Test
    void shouldMakeRoomUpToItsCapacity() {
        StreamBuffer buffer = new StreamBuffer(10);
        buffer.bytes().put(0, new byte[] {1, 2, 3, 4, 5, 6});
        buffer.wrote(6);
        buffer.took(2);
        assertTrue(buffer.hasRoom(4));
        assertEquals(2, buffer.start(), "the end has room");
        assertFalse(buffer.hasRoom(7));
        assertEquals(2, buffer.start());
        assertTrue(buffer.hasRoom(6));
        assertEquals(0, buffer.start());
        assertEquals(4, buffer.end());
        byte[] bytes = new byte[4];
        buffer.bytes().get(0, bytes);
        assertArrayEquals(new byte[] {3, 4, 5, 6}, bytes);
    }
}
