// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.rings;

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
import org.softrdma.device.queue.ReceiveRing;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;

/** Rings in a file that the program cuts off after they were made. */
final class VanishedRingsTest {
    private static final int BYTES = 1 << 20;

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

    private static boolean push(RingCompletions completions) {
        return completions.push(6, WcStatus.SUCCESS, WcOpcode.RECV, 12, 0, 0x345, 0, 0, false);
    }
}
