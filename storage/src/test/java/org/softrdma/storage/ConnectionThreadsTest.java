// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ConnectionThreadsTest {
    private long nowNs = Long.MAX_VALUE - 1;
    private final ConnectionThreads threads = new ConnectionThreads(() -> nowNs);

    private void execute(long durationNs) {
        threads.execute(() -> nowNs += durationNs);
    }

    @Test
    void shouldExecuteCallsThatAreShort() {
        assertTrue(threads.mayExecute());
        execute(ConnectionThreads.LONGEST_NS);
        assertTrue(threads.mayExecute());
    }

    @Test
    void shouldPauseAfterACallThatWasNot() {
        execute(ConnectionThreads.LONGEST_NS + 1);
        assertFalse(threads.mayExecute());
        nowNs += ConnectionThreads.PAUSE_NS - 1;
        assertFalse(threads.mayExecute());
        nowNs += 1;
        assertTrue(threads.mayExecute());
    }
}
