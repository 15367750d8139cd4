// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import java.lang.foreign.MemorySegment;
import java.util.TreeMap;
import org.softrdma.abi.uverbs.UverbsValue;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Places of rings in the file that a program maps: extents of whole pages. The offset of an extent is what the program passes to mmap.
 * Thread-safe.
 */
public final class RingSpace {
    /** Bytes of a page of the program's mappings. */
    public static final long PAGE_BYTES = 4096;
    /** No ring begins here: libsiw takes this offset for a queue without a ring. */
    static final long UNUSABLE = UverbsValue.SIW_INVALID_KEY;

    private final MemorySegment memory;
    /** Free extents by offset: bytes. Neighbours are merged. */
    private final TreeMap<Long, Long> free = new TreeMap<>();

    /**
     * Extent of one ring.
     *
     * @param offset in the file, a multiple of the page size
     * @param bytes  mapped by the program: the length that its library was told, at most the extent's pages
     * @param memory exactly these bytes, zero at first
     */
    public record Extent(long offset, long bytes, MemorySegment memory) {
        private long pages() {
            return bytes + PAGE_BYTES - 1 & -PAGE_BYTES;
        }
    }

    /**
     * Creates a space without rings.
     *
     * @param memory the mapped file up to its doorbell area; zero
     */
    public RingSpace(MemorySegment memory) {
        this.memory = memory;
        long bytes = memory.byteSize() & -PAGE_BYTES;
        free.put(0L, Math.min(bytes, UNUSABLE));
        if (bytes > UNUSABLE + PAGE_BYTES) {
            free.put(UNUSABLE + PAGE_BYTES, bytes - UNUSABLE - PAGE_BYTES);
        }
    }

    /**
     * Takes the first free extent that is large enough.
     *
     * @param bytes at least 1
     * @throws VerbsException ENOMEM: no such extent, or the program has cut its file off
     */
    public synchronized Extent allocate(long bytes) {
        long wanted = bytes + PAGE_BYTES - 1 & -PAGE_BYTES;
        for (var each : free.entrySet()) {
            if (each.getValue() >= wanted) {
                long offset = each.getKey();
                long rest = each.getValue() - wanted;
                MemorySegment place = memory.asSlice(offset, bytes);
                clear(place);
                free.remove(offset);
                if (rest > 0) {
                    free.put(offset + wanted, rest);
                }
                return new Extent(offset, bytes, place);
            }
        }
        throw new VerbsException(Errno.ENOMEM, "mmap", "no " + wanted + " bytes left for rings of this context");
    }

    private static void clear(MemorySegment place) {
        try {
            place.fill((byte) 0);
            LostPages.raise();
        } catch (InternalError noPages) {
            throw new VerbsException(Errno.ENOMEM, "mmap", "no memory for " + place.byteSize() + " bytes of rings", noPages);
        }
    }

    /** Frees an extent. The program may have it mapped still: it then shares the memory with a later ring of its own. */
    public synchronized void free(Extent extent) {
        long offset = extent.offset;
        long bytes = extent.pages();
        var below = free.floorEntry(offset);
        if (below != null && below.getKey() + below.getValue() == offset) {
            offset = below.getKey();
            bytes += below.getValue();
            free.remove(offset);
        }
        Long above = free.remove(offset + bytes);
        free.put(offset, above == null ? bytes : bytes + above);
    }
}
