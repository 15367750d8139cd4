// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DirectoryChangesTest {
    @TempDir
    private Path directory;
    private DirectoryChanges changes;

    @BeforeEach
    void open() {
        changes = new DirectoryChanges();
        assertTrue(changes.follow(directory));
        assertFalse(isNoticed());
    }

    @AfterEach
    void close() {
        changes.close();
    }

    private boolean isNoticed() {
        boolean noticed = EventPipe.events(changes.fd(), EventPipe.POLLIN) != 0;
        changes.drain();
        assertEquals(0, EventPipe.events(changes.fd(), EventPipe.POLLIN), "notices stay after they were drained");
        return noticed;
    }

    @Test
    void shouldNoticeFilesThatComeAndGo() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertTrue(isNoticed());
        Path renamed = Files.move(file, directory.resolve("renamed"));
        assertTrue(isNoticed());
        Files.delete(renamed);
        assertTrue(isNoticed());
    }

    @Test
    void shouldNoticeAWriterThatClosesButNoReader() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertTrue(isNoticed());
        Files.writeString(file, "text");
        assertTrue(isNoticed());
        Files.readString(file);
        assertFalse(isNoticed());
    }

    /** A killed process does nothing any more; the kernel closes its files. */
    @Test
    void shouldNoticeTheEndOfAProcessThatWasKilled() throws Exception {
        Path file = directory.resolve("file");
        Process process = new ProcessBuilder("sh", "-c", "exec 3>>\"$0\"; echo open; exec sleep 60", file.toString()).start();
        try {
            assertEquals("open", process.inputReader().readLine());
            isNoticed();
            assertFalse(isNoticed());
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertTrue(isNoticed());
    }

    @Test
    void shouldFollowADirectoryThatWasMadeAgain() throws IOException {
        Path inner = Files.createDirectory(directory.resolve("inner"));
        assertTrue(changes.follow(inner));
        Files.delete(inner);
        assertFalse(changes.follow(inner));
        Files.createDirectory(inner);
        assertTrue(changes.follow(inner));
        isNoticed();
        Files.createFile(inner.resolve("file"));
        assertTrue(isNoticed());
    }

    @Test
    void shouldRefuseWhatIsNoDirectory() throws IOException {
        assertFalse(changes.follow(directory.resolve("absent")));
        assertFalse(changes.follow(Files.createFile(directory.resolve("file"))));
    }
}
