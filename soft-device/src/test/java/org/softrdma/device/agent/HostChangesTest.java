// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.host.orphans.OrphanedFile;

/** The waits have no limit: what is not noticed hangs. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostChangesTest {
    @TempDir
    private Path directory;
    private HostChanges changes;

    /** A process that holds the lock of a file until it is killed. */
    static final class Holder {
        private Holder() {
        }

        public static void main(String[] arguments) throws IOException, InterruptedException {
            RandomAccessFile file = new RandomAccessFile(arguments[0], "rw");
            file.getChannel().lock();
            System.out.println("locked");
            Thread.sleep(TimeUnit.MINUTES.toMillis(1));
        }
    }

    @BeforeEach
    void open() {
        changes = new HostChanges(List.of(directory, directory.resolve("processes")));
    }

    @AfterEach
    void close() {
        changes.close();
    }

    @Test
    void shouldFollowADirectoryOnceItExists() throws IOException {
        assertFalse(changes.follow());
        Path processes = Files.createDirectory(directory.resolve("processes"));
        assertTrue(changes.await(-1));
        assertTrue(changes.follow());
        Files.createFile(processes.resolve("file"));
        assertTrue(changes.await(-1));
    }

    @Test
    void shouldReturnAfterAWakeUp() {
        changes.wakeUp();
        assertFalse(changes.await(-1));
    }

    /** Otherwise the looks of two processes would wake each other for ever. */
    @Test
    void shouldNoticeTheEndOfAProcessButNotThatItIsLookedFor() throws Exception {
        Path processes = Files.createDirectory(directory.resolve("processes"));
        Path file = processes.resolve("file");
        Process holder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp", System.getProperty("java.class.path"),
            Holder.class.getName(), file.toString()).redirectErrorStream(true).start();
        try {
            assertEquals("locked", holder.inputReader().readLine());
            assertTrue(changes.follow());
            assertFalse(OrphanedFile.take(file, _ -> { }));
            assertFalse(changes.await(0), "looking for dead processes is noticed");
        } finally {
            holder.destroyForcibly().waitFor();
        }
        assertTrue(changes.await(-1));
        assertTrue(OrphanedFile.take(file, _ -> { }));
    }
}
