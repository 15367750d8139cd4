// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DuplicateRequestsTest {
    private static final byte[] REPLY = {1, 2, 3};
    private static final int MANY = 5000;

    private final DuplicateRequests requests = new DuplicateRequests();

    private static DuplicateRequests.Key key(int xid) {
        return new DuplicateRequests.Key(InetAddress.getLoopbackAddress(), xid, 40, 7);
    }

    private void execute(int xid) {
        assertNull(requests.begin(key(xid)), "a new call");
        requests.end(key(xid), REPLY);
    }

    @Test
    void shouldRepeatTheReply() {
        execute(1);
        assertArrayEquals(REPLY, requests.begin(key(1)).join());
    }

    @Test
    void shouldForgetTheOldestReply() {
        for (int xid = 0; xid < MANY; xid++) {
            execute(xid);
        }
        assertNotNull(requests.begin(key(MANY - 1)));
        assertNull(requests.begin(key(0)), "forgotten, and so a new call");
    }

    @Test
    void shouldKeepACallInWorkHoweverManyFollow() {
        assertNull(requests.begin(key(-1)));
        for (int xid = 0; xid < MANY; xid++) {
            execute(xid);
        }
        CompletableFuture<byte[]> duplicate = requests.begin(key(-1));
        assertNotNull(duplicate);
        assertFalse(duplicate.isDone());
        requests.end(key(-1), REPLY);
        assertArrayEquals(REPLY, duplicate.join());
    }

    @Test
    void shouldLetACallThatFailedBeTriedAgain() {
        assertNull(requests.begin(key(1)));
        CompletableFuture<byte[]> duplicate = requests.begin(key(1));
        requests.end(key(1), null);
        assertNull(duplicate.join());
        assertNull(requests.begin(key(1)), "a new call");
    }
}
