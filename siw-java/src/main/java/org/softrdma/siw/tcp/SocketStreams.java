// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.linux.SocketSet;

/** Streams whose sockets the owner itself reads and writes. They share one read buffer, as one is read at a time. */
public final class SocketStreams implements Streams {
    /** Largest read. Frames are up to 64 KiB; those that are complete in one read are not copied together first. */
    private static final int READ_BYTES = 1 << 18;

    private final SocketSet sockets = new SocketSet();
    private final MemorySegment memory = Arena.ofAuto().allocate(READ_BYTES, 64);
    private final ByteBuffer bytes = memory.asByteBuffer();

    /** Whether this system supports it; otherwise streams are Netty's. */
    public static boolean arePossible() {
        return SocketSet.isPossible();
    }

    /**
     * Makes the stream of an established connection. Any thread.
     *
     * @param fd as {@link SocketSet#take} says
     */
    SocketStream take(int fd) {
        return new SocketStream(this, sockets.take(fd));
    }

    /** The read buffer; its content is valid until the next stream reads. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** The same bytes as {@link #bytes}. */
    MemorySegment memory() {
        return memory;
    }

    @Override
    public int poll() {
        return sockets.poll();
    }

    @Override
    public void await(long timeoutNs) {
        sockets.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        sockets.wakeup();
    }

    @Override
    public void alsoWakeBy(int fd) {
        sockets.alsoWakeBy(fd);
    }

    @Override
    public void close() {
        sockets.close();
    }
}
