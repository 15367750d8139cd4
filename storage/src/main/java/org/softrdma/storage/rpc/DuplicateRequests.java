// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/**
 * Replies to calls that must not be executed twice. A client whose connection has ended sends its unanswered calls again with the same
 * XIDs: such a call receives the reply of the first one, also when that is still being executed. Any thread.
 */
final class DuplicateRequests {
    /** Replies kept at most, besides those of calls in work; the oldest go first. A client has some hundred calls under way at most. */
    private static final int CAPACITY = 2048;

    private final Map<Key, CompletableFuture<byte[]>> replies = new LinkedHashMap<>();

    /** One call. Two clients may share an address and an XID, but hardly the checksum of their calls as well. */
    record Key(InetAddress client, int xid, int bytes, long checksum) {
        static Key of(InetAddress client, int xid, ByteBuffer call) {
            CRC32C checksum = new CRC32C();
            checksum.update(call.duplicate());
            return new Key(client, xid, call.remaining(), checksum.getValue());
        }
    }

    /**
     * Begins a call.
     *
     * @return null if it is new: {@link #end} must follow. Else the reply of the first one, perhaps in the future
     */
    synchronized CompletableFuture<byte[]> begin(Key key) {
        CompletableFuture<byte[]> first = replies.putIfAbsent(key, new CompletableFuture<>());
        if (first == null && replies.size() > CAPACITY) {
            forgetOldest();
        }
        return first;
    }

    /** Forgets the oldest reply. A call in work is kept, because its duplicates wait for the reply. */
    private void forgetOldest() {
        Iterator<CompletableFuture<byte[]>> oldest = replies.values().iterator();
        while (oldest.hasNext()) {
            if (oldest.next().isDone()) {
                oldest.remove();
                return;
            }
        }
    }

    /**
     * Ends a call that was new.
     *
     * @param reply null if it has none, as the server has failed: the call may be tried again
     */
    synchronized void end(Key key, byte[] reply) {
        CompletableFuture<byte[]> waiting = reply == null ? replies.remove(key) : replies.get(key);
        if (waiting != null) {
            waiting.complete(reply);
        }
    }
}
