// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.connection;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ProtectionDomain;

/** Registered buffers of one size, for messages that are sent or received. */
public final class MessageBuffers implements AutoCloseable {
    static final int PAGE = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemoryRegion region;
    private final ByteBuffer[] slices;
    private final int bytes;

    /**
     * Allocates and registers buffers.
     *
     * @param bytes of each
     */
    public MessageBuffers(ProtectionDomain pd, int count, int bytes) {
        this.bytes = bytes;
        slices = new ByteBuffer[count];
        MemorySegment memory = arena.allocate(Math.max(1, (long) count * bytes), PAGE);
        for (int i = 0; i < count; i++) {
            slices[i] = memory.asSlice((long) i * bytes, bytes).asByteBuffer();
        }
        try {
            region = pd.register(memory, AccessFlags.LOCAL_WRITE);
        } catch (RuntimeException refused) {
            arena.close();
            throw refused;
        }
    }

    /** One buffer, big-endian. */
    public ByteBuffer get(int index) {
        return slices[index];
    }

    /** {@return bytes of each buffer} */
    public int bytes() {
        return bytes;
    }

    MemoryRegion region() {
        return region;
    }

    long offset(int index) {
        return (long) index * bytes;
    }

    @Override
    public void close() {
        region.close();
        arena.close();
    }
}
