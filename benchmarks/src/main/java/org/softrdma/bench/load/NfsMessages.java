// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Calls of NFS version 3 that read or write one file, and the status of their replies.
 *
 * <p>Source: RFC 5531, section 9; RFC 1813, section 3.3.
 */
final class NfsMessages {
    private static final int PROGRAM = 100003;
    private static final int VERSION = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int UNSTABLE = 0;
    private static final int LONGEST = 256;
    private static final int CALL_STATUS_OFFSET = 20;
    private static final int STATUS_OFFSET = 24;

    private final byte[] handle;
    private final boolean reads;
    private int xid;

    NfsMessages(byte[] handle, boolean reads) {
        this.handle = handle;
        this.reads = reads;
    }

    boolean reads() {
        return reads;
    }

    /** A call; the data of a WRITE follow it, and its length is where they belong. */
    ByteBuffer call(long offset, int size) {
        ByteBuffer call = ByteBuffer.allocate(LONGEST).putInt(++xid).putInt(0).putInt(2).putInt(PROGRAM).putInt(VERSION)
            .putInt(reads ? READ : WRITE).putLong(0).putLong(0).putInt(handle.length).put(handle).putLong(offset).putInt(size);
        if (!reads) {
            call.putInt(UNSTABLE).putInt(size);
        }
        return call.flip();
    }

    /** @throws IOException the call failed */
    static void check(ByteBuffer reply) throws IOException {
        if (reply.getInt(CALL_STATUS_OFFSET) != 0 || reply.getInt(STATUS_OFFSET) != 0) {
            throw new IOException("the call failed: " + reply.getInt(CALL_STATUS_OFFSET) + ", " + reply.getInt(STATUS_OFFSET));
        }
    }
}
