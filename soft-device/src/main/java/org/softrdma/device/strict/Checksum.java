// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.strict;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.memory.Region;

/** The checksum of the registered memory that a request names. One thread at a time. */
final class Checksum {
    /** Bytes of each element that are looked at; of longer ones, as many at its end. */
    static final int MAX_BYTES = 1 << 20;
    private static final int CHUNK = 1 << 16;

    private final MemoryTable memory;
    private final byte[] chunk = new byte[CHUNK];
    private final MemorySegment copy = MemorySegment.ofArray(chunk);
    private final CRC32C crc = new CRC32C();

    Checksum(MemoryTable memory) {
        this.memory = memory;
    }

    void begin() {
        crc.reset();
    }

    /**
     * Adds an element.
     *
     * @param length bytes, u32
     * @return false if the key names no such memory, or that is gone
     */
    boolean add(long address, int length, int lkey) {
        long bytes = Integer.toUnsignedLong(length);
        Region region = bytes == 0 ? null : memory.lookup(lkey);
        if (region == null || !region.covers(address, bytes)) {
            return bytes == 0;
        }
        long head = Math.min(bytes, MAX_BYTES);
        long tail = Math.min(bytes - head, MAX_BYTES);
        return add(region, address, head) && add(region, address + bytes - tail, tail);
    }

    private boolean add(Region region, long address, long bytes) {
        for (long done = 0; done < bytes; done += CHUNK) {
            int part = (int) Math.min(CHUNK, bytes - done);
            if (!region.copyOut(address + done, copy, 0, part)) {
                return false;
            }
            crc.update(chunk, 0, part);
        }
        return true;
    }

    long value() {
        return crc.getValue();
    }
}
