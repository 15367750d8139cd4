// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.softrdma.daemon.service.DaemonSession;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.VerbsException;

/** A program that wants more than the daemon's heap can hold. As the real one, this daemon ends if its heap is exhausted. */
@Timeout(120)
class DaemonMemoryTest {
    private static final QpCapabilities SMALL = new QpCapabilities(16, 16, 1, 1, 0);
    /** More than fit into the heap. */
    private static final int MANY = 100_000;
    private static final long PATIENCE_NS = 30_000_000_000L;

    @Test
    void shouldRefuseObjectsBeforeItsHeapIsExhausted() {
        try (RunningDaemon daemon = new RunningDaemon(1, "-Xmx40m", "-XX:+ExitOnOutOfMemoryError");
            Context context = daemon.devices().getFirst().open(); CompletionQueue before = context.createCq(16)) {
            DaemonSession greedy = daemon.another();
            Context theirs = DaemonProvider.of(greedy).getFirst().open();
            ProtectionDomain pd = theirs.allocatePd();
            CompletionQueue cq = theirs.createCq(16);
            VerbsException refused = assertThrows(VerbsException.class, () -> {
                for (int i = 0; i < MANY; i++) {
                    pd.createQp(QpInitAttributes.rc(cq, SMALL));
                }
            });
            assertEquals(Errno.ENOMEM, refused.errno(), refused.getMessage());
            assertTrue(daemon.process().isAlive());
            before.requestNotify();

            greedy.close();
            long untilNs = System.nanoTime() + PATIENCE_NS;
            while (!canCreate(context)) {
                assertTrue(System.nanoTime() - untilNs < 0, "the memory of a program that has ended is not free");
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    private static boolean canCreate(Context context) {
        try {
            context.createCq(16).close();
            return true;
        } catch (VerbsException full) {
            assertEquals(Errno.ENOMEM, full.errno());
            return false;
        }
    }
}
