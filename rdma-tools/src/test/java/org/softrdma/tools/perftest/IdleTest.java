// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.softrdma.tools.cli.ToolFailure;
import org.softrdma.verbs.CompletionQueue;

/** Waiting ends at the time limit, unless something is received. */
class IdleTest {
    /** Enough for several looks at the clock. */
    private static final int LOOKS = 1 << 18;

    private static Idle idle(long patienceNs) {
        return new Idle(new Endpoint(new Parameters(Verb.SEND, false), 4096, 64), patienceNs, 10);
    }

    @Test
    void shouldGiveUpASilentPeer() {
        Idle idle = idle(0);

        ToolFailure failure = assertThrows(ToolFailure.class, () -> {
            for (int i = 0; i < LOOKS; i++) {
                idle.nothingCame(3);
            }
        });

        assertEquals(" Did not get Message for 0 Seconds, exiting..\n Total Received=3, Total Iters Required=10", failure.getMessage());
    }

    /** It is to say, by a message, where the server's datagrams go. */
    @Test
    void shouldGiveUpAClientThatVanishesWhileItConnects() {
        CompletionQueue empty = (CompletionQueue) Proxy.newProxyInstance(IdleTest.class.getClassLoader(),
            new Class<?>[] {CompletionQueue.class}, (proxy, poll, arguments) -> 0);

        assertThrows(ToolFailure.class, () -> CmConnection.await(empty, idle(0)));
    }

    @Test
    void shouldBePatientWhileMessagesCome() {
        Idle idle = idle(0);

        assertDoesNotThrow(() -> {
            for (int i = 0; i < LOOKS; i++) {
                idle.nothingCame(i);
            }
        });
    }

    @Test
    void shouldBePatientAsLongAsItWasAsked() {
        Idle idle = idle(Long.MAX_VALUE);

        assertDoesNotThrow(() -> {
            for (int i = 0; i < LOOKS; i++) {
                idle.nothingCame(3);
            }
        });
    }
}
