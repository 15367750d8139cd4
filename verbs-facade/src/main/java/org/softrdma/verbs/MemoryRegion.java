// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.lang.foreign.MemorySegment;

/** A registered memory region. Any thread. */
public interface MemoryRegion extends AutoCloseable {
    ProtectionDomain pd();

    MemorySegment memory();

    /** Address of the first byte as scatter/gather elements and peers name it: the real address, the iova, or 0 if zero-based. */
    long address();

    /** Bytes. */
    long length();

    int access();

    /** Key for local use. */
    int lkey();

    /** Key for the peer; 0 if the region grants no remote access. */
    int rkey();

    /** Deregisters: from then on the key is refused and the memory never touched again. EINVAL while windows are bound. */
    @Override
    void close();
}
