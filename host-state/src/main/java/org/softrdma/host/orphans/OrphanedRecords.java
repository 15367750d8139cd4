// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.orphans;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.softrdma.host.inspect.ProcessDirectory;

/** Finds the {@linkplain ConnectionRecord records} of processes that have ended without removing them; each is found by one process. */
public final class OrphanedRecords {
    /** Maximum bytes of a record that are read: more connections than a process can have on 32 devices. */
    private static final long MAX_BYTES = (long) ConnectionRecord.SLOT_BYTES << 21;

    private OrphanedRecords() {
    }

    /** Receives what a process has left. */
    @FunctionalInterface
    public interface Taker {
        /**
         * Called before the record is removed.
         *
         * @param pid     number of the process, which the host may not have given up yet
         * @param entries their contents are unchecked
         */
        void take(long pid, List<byte[]> entries);
    }

    /**
     * Hands over the entries of each record found, and removes the record.
     *
     * @param state the user's state directory
     * @param taker called for each record
     * @throws IOException if the directory belongs to another user, or cannot be read
     */
    public static synchronized void take(Path state, Taker taker) throws IOException {
        for (Path each : new ProcessDirectory(state).entries(ConnectionRecord.SUFFIX)) {
            if (!ConnectionRecord.isOwn(each)) {
                OrphanedFile.take(each, file -> taker.take(ProcessDirectory.pidOf(each), entries(file)));
            }
        }
    }

    private static List<byte[]> entries(FileChannel file) throws IOException {
        ByteBuffer contents = ByteBuffer.allocate((int) Math.min(file.size(), MAX_BYTES));
        int read = 0;
        while (contents.hasRemaining() && read >= 0) {
            read = file.read(contents);
        }
        byte[] all = contents.array();
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
