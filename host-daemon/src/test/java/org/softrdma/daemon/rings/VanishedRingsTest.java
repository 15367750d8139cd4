// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.device.queue.PostedReceives;
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Rings in a file that the program cuts off after they were made. */
final class VanishedRingsTest {
    private static final int BYTES = 1 << 20;
    /** Calls after which the C2 compiler has long compiled what is called, and inlined it. */
    private static final int CALLS = 10_000;
    private static final int ROUNDS = 20_000;

    @TempDir
    private Path directory;
    private int completed;
    private int overruns;

    private final CompletionEvents events = new CompletionEvents() {
        @Override
        public void completed() {
            completed++;
        }

        @Override
        public void overrun() {
            overruns++;
        }
    };

    @Test
    void shouldTakeThemForEmptyAndFull() throws IOException {
        for (RingFormat format : new RingFormat[] {RingFormat.RXE, RingFormat.SIW}) {
            try (Arena arena = Arena.ofShared(); FileChannel file = FileChannel.open(directory.resolve("rings"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                RingSpace space = new RingSpace(file.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena));
                RingFormat.Receives receives = format.receives(space, 4, 1);
                RingCompletions completions = format.completions(space, 4, events);
                assertEquals(0, receives.posted().size());
                assertTrue(push(completions));
                overruns = 0;
                file.truncate(0);
                for (int i = 0; i < 3; i++) {
                    assertEquals(0, receives.posted().size());
                    assertFalse(receives.posted().moveOldestTo(new ReceiveRing(1, 1)));
                    assertFalse(push(completions));
                }
                assertEquals(1, overruns, "CQ_ERR, once");
            }
        }
        assertEquals(0, completed);
    }

    /** HotSpot throws the error of compiled code at the next safepoint poll, which inlining moves behind the ring's own guard. */
    @Test
    void shouldNoticeItWithinTheGuardWhenCompiled() throws IOException {
        try (Arena arena = Arena.ofShared(); FileChannel file = FileChannel.open(directory.resolve("rings"), StandardOpenOption.CREATE,
            StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            RingSpace space = new RingSpace(file.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena));
            PostedReceives receives = RingFormat.RXE.receives(space, 4, 1).posted();
            for (int i = 0; i < ROUNDS; i++) {
                assertEquals(0, sizes(receives, CALLS));
            }
            file.truncate(0);
            assertEquals(0, assertDoesNotThrow(() -> sizes(receives, 1)));
        }
    }

    private static int sizes(PostedReceives receives, int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) {
            sum += receives.size();
        }
        return sum;
    }

    private static boolean push(RingCompletions completions) {
        return completions.push(6, WcStatus.SUCCESS, WcOpcode.RECV, 12, 0, 0x345, 0, 0, false);
    }
}
