// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.store;

import java.nio.ByteBuffer;

/**
 * Bytes that a namespace consists of. Any thread; accesses at the same time to the same bytes have either's result for each byte. Positions
 * and lengths are within {@link #bytes}, which the caller ensures.
 */
public interface BlockStore extends AutoCloseable {
    /** {@return the size, which does not change} */
    long bytes();

    /** {@return whether writes fail} */
    boolean isReadOnly();

    /**
     * Fills the rest of a buffer.
     *
     * @param position of the first byte
     * @param into     what is read
     * @throws StoreException the medium failed
     */
    void read(long position, ByteBuffer into) throws StoreException;

    /**
     * Writes the rest of a buffer.
     *
     * @param position of the first byte
     * @param from     what is written
     * @throws StoreException the medium failed, or permits no writes
     */
    void write(long position, ByteBuffer from) throws StoreException;

    /**
     * Writes zeros.
     *
     * @param position of the first byte
     * @param length   number of bytes
     * @throws StoreException the medium failed, or permits no writes
     */
    void zero(long position, long length) throws StoreException;

    /**
     * Forces what was written to the medium.
     *
     * @throws StoreException the medium failed
     */
    void flush() throws StoreException;

    @Override
    void close();
}
