// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.nio.ByteBuffer;

/**
 * Identity of a file, across renames and restarts of the server.
 *
 * <pre>
 *  0  4  version, 1
 *  4  8  device
 * 12  8  inode
 * 20  8  time at which the inode was born, ns; 0 if the file system does not record it. A reused inode has another one
 * </pre>
 */
public record FileHandle(long device, long inode, long bornNs) {
    public static final int BYTES = 28;
    /** Longest handle of NFS version 3. */
    public static final int MAX_BYTES = 64;

    private static final int VERSION = 1;

    /** @throws NfsException BADHANDLE */
    public static FileHandle parse(ByteBuffer bytes) throws NfsException {
        if (bytes.remaining() != BYTES || bytes.getInt(0) != VERSION) {
            throw new NfsException(NfsStatus.BADHANDLE);
        }
        return new FileHandle(bytes.getLong(4), bytes.getLong(12), bytes.getLong(20));
    }

    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES).putInt(VERSION).putLong(device).putLong(inode).putLong(bornNs).array();
    }
}
