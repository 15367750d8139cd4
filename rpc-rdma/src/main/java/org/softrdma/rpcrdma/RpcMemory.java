// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.softrdma.rpcrdma.machine.Exposure;
import org.softrdma.verbs.MemoryRegion;

/** Memory of a client that its calls expose to the server. Close it when no call uses it. */
public final class RpcMemory implements AutoCloseable {
    private final Arena arena;
    private final MemoryRegion region;

    RpcMemory(Arena arena, MemoryRegion region) {
        this.arena = arena;
        this.region = region;
    }

    /** {@return the memory} */
    public MemorySegment segment() {
        return region.memory();
    }

    /** {@return the memory, big-endian} */
    public ByteBuffer buffer() {
        return region.memory().asByteBuffer();
    }

    /** {@return its length in bytes} */
    public int bytes() {
        return (int) region.length();
    }

    Exposure expose(Exposure.Kind kind, int position, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes());
        return new Exposure(kind, position, region.lkey(), region.rkey(), region.address() + offset, length);
    }

    @Override
    public void close() {
        region.close();
        arena.close();
    }
}
