// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class NativeHeapTest {
    private static final int BLOCKS = 4096;
    private static final int BLOCK_BYTES = 16 * 1024;
    private static final long HALF_KIB = (long) BLOCKS * BLOCK_BYTES / 1024 / 2;

    /** The block that is kept is the last: none before it is at the end of the heap. */
    @Test
    void shouldReturnWhatIsFreeBetweenBlocksInUse() throws IOException {
        try (Arena kept = Arena.ofConfined()) {
            long fullKib;
            try (Arena freed = Arena.ofConfined()) {
                for (int i = 0; i < BLOCKS; i++) {
                    freed.allocate(BLOCK_BYTES).fill((byte) 1);
                }
                kept.allocate(BLOCK_BYTES).fill((byte) 1);
                fullKib = residentKib();
            }
            if (CLibrary.find("malloc_trim").isEmpty()) {
                assertFalse(NativeHeap.trim());
                return;
            }
            assertTrue(NativeHeap.trim());
            long trimmedKib = residentKib();
            assertTrue(fullKib - trimmedKib > HALF_KIB, () -> "from " + fullKib + " KiB to " + trimmedKib + " KiB only");
        }
    }

    private static long residentKib() throws IOException {
        try (Stream<String> status = Files.lines(Path.of("/proc/self/status"))) {
            return Long.parseLong(status.filter(line -> line.startsWith("VmRSS")).findFirst().orElseThrow().replaceAll("\\D+", ""));
        }
    }
}
