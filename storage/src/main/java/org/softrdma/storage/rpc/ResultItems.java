// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import java.nio.ByteBuffer;

/** Memory of the client for the large items of a result, which then are not part of the reply (RFC 8267). */
public interface ResultItems {
    /** No memory: the items are part of the reply, as over TCP. */
    ResultItems NONE = new ResultItems() {
        @Override
        public int nextBytes() {
            return 0;
        }

        @Override
        public ByteBuffer next() {
            throw new IllegalStateException("there is no memory for items");
        }

        @Override
        public void done(int bytes) {
            throw new IllegalStateException("there is no memory for items");
        }
    };

    /** Bytes of the next item at most; 0: it belongs into the reply. */
    int nextBytes();

    ByteBuffer next();

    /** Ends an item of so many bytes. */
    void done(int bytes);

    /** Items for a call whose reply is kept, and therefore complete: there is no memory. */
    default ResultItems withoutMemory() {
        return NONE;
    }

    /** The line of text that the program contributes to; null if calls are not traced. */
    default CallTrace trace() {
        return null;
    }
}
