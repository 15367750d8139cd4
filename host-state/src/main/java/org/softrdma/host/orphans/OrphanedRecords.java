// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.orphans;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.softrdma.host.inspect.ProcessDirectory;

/** Finds the {@linkplain ConnectionRecord records} of processes that have ended without removing them; each is found by one process. */
public final class OrphanedRecords {
    /** Maximum bytes of a record that are read: more connections than a process can have on 32 devices. */
    private static final long MAX_BYTES = (long) ConnectionRecord.SLOT_BYTES << 21;

    private OrphanedRecords() {
    }

    /**
     * Hands over the entries of each record found, and removes the record.
     *
     * @param state the user's state directory
     * @param taker receives the entries of one process; their contents are unchecked
     * @return number of records
     * @throws IOException if the directory belongs to another user, or cannot be read
     */
    public static synchronized int take(Path state, Consumer<List<byte[]>> taker) throws IOException {
        int taken = 0;
        for (Path each : new ProcessDirectory(state).entries(ConnectionRecord.SUFFIX)) {
            if (!ConnectionRecord.isOwn(each) && takeIfOrphaned(each, taker)) {
                taken++;
            }
        }
        return taken;
    }

    private static boolean takeIfOrphaned(Path path, Consumer<List<byte[]>> taker) throws IOException {
        if (!Files.exists(path)) {
            return false;
        }
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"); FileLock lock = file.getChannel().tryLock()) {
            // Another process may have removed the file between the listing and the lock.
            if (lock != null && Files.exists(path)) {
                taker.accept(entries(file));
                Files.deleteIfExists(path);
                return true;
            }
        } catch (FileNotFoundException removed) {
            // by another process, which has taken the entries
            return false;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        }
        return false;
    }

    private static List<byte[]> entries(RandomAccessFile file) throws IOException {
        byte[] all = new byte[(int) Math.min(file.length(), MAX_BYTES)];
        file.seek(0);
        file.readFully(all);
        List<byte[]> entries = new ArrayList<>();
        for (int at = 0; at < all.length; at += ConnectionRecord.SLOT_BYTES) {
            int length = all[at];
            if (length > 0 && at + 1 + length <= all.length) {
                entries.add(Arrays.copyOfRange(all, at + 1, at + 1 + length));
            }
        }
        return entries;
    }
}
