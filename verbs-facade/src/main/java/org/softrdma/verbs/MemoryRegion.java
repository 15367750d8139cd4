// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import java.lang.foreign.MemorySegment;

/** A registered memory region. Any thread. */
public interface MemoryRegion extends AutoCloseable {
    /** {@return the protection domain} */
    ProtectionDomain pd();

    /** {@return the registered memory} */
    MemorySegment memory();

    /**
     * {@return the address of the first byte as scatter/gather elements and peers name it: the real address, the iova, or 0 if zero-based}
     */
    long address();

    /** {@return the length in bytes} */
    long length();

    /** {@return bits of {@link AccessFlags}} */
    int access();

    /**
     * {@return the key for local use}
     *
     * @throws VerbsException EINVAL: the region is closed
     */
    int lkey();

    /**
     * {@return the key for the peer} If the region grants no remote access, softrdma's devices give 0, an adapter may give a key that
     * grants nothing. It stays readable after {@link #close}: peers may still use it.
     */
    int rkey();

    /**
     * Changes memory, protection domain or rights in one step ({@code rereg_mr}); the keys stay. A request in progress continues
     * under the new terms from its next packet.
     *
     * @param change what is replaced
     * @throws VerbsException EINVAL: nothing to change, as with {@link ProtectionDomain#register}, or a protection domain of another
     *     context; EBUSY while windows are bound. The region is then as it was and still registered
     */
    void reregister(Reregistration change);

    /** Deregisters the memory: its key is refused and the memory is not accessed any more. EBUSY while windows are bound. */
    @Override
    void close();
}
