// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.lang.foreign.MemorySegment;
import org.softrdma.linux.LinuxSockets;

/** A descriptor by which the kernel tells that something has changed; what it was is not read. For one thread. */
abstract class KernelNotices implements AutoCloseable {
    private final int fd;

    /** @param fd a descriptor that does not block */
    KernelNotices(int fd) {
        this.fd = fd;
    }

    /** The descriptor: readable when there are notices, and when some were lost. */
    public final int fd() {
        return fd;
    }

    /** Forgets the notices that have arrived. */
    public final void drain() {
        MemorySegment forgotten = CLibrary.current().text;
        long read;
        do {
            read = Descriptors.read(fd, forgotten, CLibrary.TEXT_BYTES);
        } while (read > 0 || read == -CLibrary.ENOBUFS || read == -CLibrary.EINTR);
    }

    @Override
    public final void close() {
        LinuxSockets.close(fd);
    }
}
