// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.orphans;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that a process leaves when it is killed. While the process lives it holds a lock on the file, which the host drops at its end: an
 * unlocked file is an orphan.
 */
public final class OrphanedFile {
    /** Position of the byte that is locked, beyond short contents: mandatory locks would block their readers. */
    public static final long LOCK_AT = 1024;

    private OrphanedFile() {
    }

    /** Reads a file before it is removed. */
    @FunctionalInterface
    public interface Taker {
        void take(FileChannel file) throws IOException;
    }

    /**
     * Removes a file if no living process holds its lock. Must not be called for a file of this process: closing it would drop the lock.
     *
     * @param taker called before, if this process is the one that removes the file
     * @return whether it was removed
     */
    public static boolean take(Path file, Taker taker) throws IOException {
        if (isHeld(file)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(LOCK_AT, 1, false)) {
            // Another process may have removed the file before it was locked here.
            if (lock == null || Files.notExists(file)) {
                return false;
            }
            taker.take(channel);
            return Files.deleteIfExists(file);
        } catch (NoSuchFileException removed) {
            // by its process, which has ended in the meantime, or by another one
            return false;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        }
    }

    /**
     * Whether a process holds the lock, or the file is gone. Reads only: closing a file that was open for writing wakes all processes that
     * follow its directory.
     */
    private static boolean isHeld(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                FileLock lock = channel.tryLock(LOCK_AT, 1, true)) {
            return lock == null;
        } catch (NoSuchFileException | OverlappingFileLockException heldOrGone) {
            return true;
        }
    }
}
