// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.store;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A store in memory outside the heap. Its content ends with it. */
public final class MemoryStore implements BlockStore {
    private static final int PAGE = 4096;

    /** Closed when the store is unreachable: an access on another thread may be under way when the store is closed. */
    private final MemorySegment memory;

    /**
     * Creates a store.
     *
     * @param bytes size; all are zero
     */
    public MemoryStore(long bytes) {
        memory = Arena.ofAuto().allocate(bytes, PAGE);
    }

    @Override
    public long bytes() {
        return memory.byteSize();
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public void read(long position, ByteBuffer into) {
        MemorySegment.ofBuffer(into).copyFrom(memory.asSlice(position, into.remaining()));
        into.position(into.limit());
    }

    @Override
    public void write(long position, ByteBuffer from) {
        memory.asSlice(position, from.remaining()).copyFrom(MemorySegment.ofBuffer(from));
        from.position(from.limit());
    }

    @Override
    public void zero(long position, long length) {
        memory.asSlice(position, length).fill((byte) 0);
    }

    @Override
    public void flush() {
        // There is no medium.
    }

    @Override
    public void close() {
        // Freed with the object.
    }
}
