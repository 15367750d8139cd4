// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.store;

import java.nio.ByteBuffer;

/**
 * Bytes that a namespace consists of. Any thread; accesses at the same time to the same bytes have either's result for each byte. Positions
 * and lengths are within {@link #bytes}, which the caller ensures.
 */
public interface BlockStore extends AutoCloseable {
    /** Size, which does not change. */
    long bytes();

    /** Whether writes fail. */
    boolean isReadOnly();

    /** Fills the rest of a buffer. */
    void read(long position, ByteBuffer into) throws StoreException;

    /** Writes the rest of a buffer. */
    void write(long position, ByteBuffer from) throws StoreException;

    /** Writes zeros. */
    void zero(long position, long length) throws StoreException;

    /** Forces what was written to the medium. */
    void flush() throws StoreException;

    @Override
    void close();
}
