// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.softrdma.linux.MemoryLockLimit;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class PinnedMemoryTest {
    private static final int PAGE = 4096;

    private final AtomicLong limit = new AtomicLong(4 * PAGE);
    private final PinnedMemory pinned = new PinnedMemory(limit::get, PAGE);

    /** Segment without backing memory; it is never accessed. */
    private static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Test
    void shouldCountEveryPageThatIsTouched() {
        pinned.pin("reg_mr", at(5 * PAGE - 1, 2));
        pinned.pin("reg_mr", at(9 * PAGE, PAGE));

        assertEquals(Errno.ENOMEM, refused(at(20 * PAGE + 1, PAGE)).errno());
        pinned.pin("reg_mr", at(20 * PAGE, PAGE));
        assertEquals(Errno.ENOMEM, refused(at(30 * PAGE, 1)).errno());
        pinned.pin("reg_mr", at(30 * PAGE, 0));
    }

    @Test
    void shouldCountWhatIsRegisteredTwiceTwice() {
        pinned.pin("reg_mr", at(PAGE, 2 * PAGE));
        pinned.pin("reg_mr", at(PAGE, 2 * PAGE));
        refused(at(PAGE, 1));

        pinned.unpin(at(PAGE, 2 * PAGE));
        pinned.pin("reg_mr", at(PAGE, 1));
    }

    @Test
    void shouldFollowTheLimit() {
        limit.set(PAGE - 1);
        refused(at(PAGE, 1));
        limit.set(PAGE);
        pinned.pin("reg_mr", at(PAGE, 1));
        limit.set(Long.MAX_VALUE);
        pinned.pin("reg_mr", at(PAGE, Long.MAX_VALUE / 2));
    }

    @Test
    void shouldSayWhatThereIsAndWhatToDo() {
        pinned.pin("reg_mr", at(PAGE, PAGE));

        String message = refused(at(PAGE, 16 * PAGE)).getMessage();

        assertTrue(message.startsWith("reg_mr: Cannot allocate memory (ENOMEM): 64 KiB of pages, 4 KiB are pinned already, and this "
            + "process may pin 16 KiB."), message);
        assertTrue(message.contains("ulimit -l unlimited") && message.contains("/etc/security/limits.conf"), message);
    }

    @Test
    void shouldKnowThePrivileged() {
        // Status of a root shell, of a root shell without CAP_IPC_LOCK, and of a user's shell.
        assertTrue(MemoryLockLimit.mayLock(List.of("Name:\tcat", "CapPrm:\t0000000000000000", "CapEff:\t000001ffffffffff")));
        assertFalse(MemoryLockLimit.mayLock(List.of("CapEff:\t000001ffffffbfff")));
        assertFalse(MemoryLockLimit.mayLock(List.of("CapEff:\t0000000000000000")));
        assertFalse(MemoryLockLimit.mayLock(List.of()));
    }

    /** The limit found equals the one that the shell's ulimit prints in a child of the same process. */
    @Test
    void shouldFindTheLimitOfTheShell() throws Exception {
        Path status = Path.of("/proc/self/status");
        assumeTrue(Files.exists(status), "Linux only");
        Process shell = new ProcessBuilder("sh", "-c", "ulimit -l").start();
        String kibibytes = new String(shell.getInputStream().readAllBytes()).strip();
        boolean none = kibibytes.equals("unlimited") || MemoryLockLimit.mayLock(Files.readAllLines(status));

        assertEquals(none ? Long.MAX_VALUE : 1024 * Long.parseLong(kibibytes), MemoryLockLimit.bytes());
        assertEquals(0, MemoryLockLimit.pageBytes() % PAGE);
    }

    private VerbsException refused(MemorySegment memory) {
        return assertThrows(VerbsException.class, () -> pinned.pin("reg_mr", memory));
    }

    @Test
    void shouldCountTheProcessOnce() {
        assertNotNull(PinnedMemory.ofThisProcess());
        assertSame(PinnedMemory.ofThisProcess(), PinnedMemory.ofThisProcess());
    }
}
