// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.orphans;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.softrdma.host.inspect.ProcessDirectory;

/**
 * A file with one entry for each connection of this process, in a directory of its user's alone. The file exists from the first entry on
 * until {@link #close}. If the process is killed, the file stays, and loses its lock: {@link OrphanedRecords} finds it then.
 *
 * <p>An entry is written with one system call into a slot of its own, so a process can be killed at any time. Failures do not keep
 * connections from being made: they are then not recorded, which is logged. Thread-safe.
 */
public final class ConnectionRecord {
    /** Returned by {@link #add} if the entry was not recorded. */
    public static final int NONE = -1;

    static final String SUFFIX = ".connections";
    /** A power of two, so that no slot crosses a page. */
    static final int SLOT_BYTES = 128;
    /** The first byte of a slot is the length of its entry, or 0. */
    static final int MAX_ENTRY_BYTES = SLOT_BYTES - 1;

    private static final System.Logger LOG = System.getLogger(ConnectionRecord.class.getName());
    private static final String OWNER_ALONE = "rw-------";
    private static final byte[] FREE = {0};
    /** Files of this process: opening one of them a second time, and closing it, would drop its lock. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final ProcessDirectory directory;
    private final BitSet used = new BitSet();
    private Path path;
    /** Not a FileChannel, which a thread that is interrupted would close, and the lock with it. */
    private RandomAccessFile file;
    private boolean closed;

    /**
     * A record without entries, and without a file yet.
     *
     * @param state the user's state directory
     */
    public ConnectionRecord(Path state) {
        directory = new ProcessDirectory(state);
    }

    static boolean isOwn(Path path) {
        return OWN.contains(path);
    }

    /**
     * Adds an entry.
     *
     * @param entry 1..127 bytes
     * @return its slot, for {@link #remove}; or {@link #NONE}
     */
    public synchronized int add(byte[] entry) {
        if (entry.length == 0 || entry.length > MAX_ENTRY_BYTES) {
            throw new IllegalArgumentException(entry.length + " bytes");
        }
        try {
            if (closed || file == null && !open()) {
                return NONE;
            }
            int slot = used.nextClearBit(0);
            byte[] bytes = new byte[1 + entry.length];
            bytes[0] = (byte) entry.length;
            System.arraycopy(entry, 0, bytes, 1, entry.length);
            write(slot, bytes);
            used.set(slot);
            return slot;
        } catch (IOException refused) {
            LOG.log(System.Logger.Level.DEBUG, "a connection is not recorded: " + refused);
            return NONE;
        }
    }

    /** Removes an entry. Without effect for {@link #NONE}. */
    public synchronized void remove(int slot) {
        if (slot == NONE || closed) {
            return;
        }
        used.clear(slot);
        try {
            write(slot, FREE);
        } catch (IOException refused) {
            LOG.log(System.Logger.Level.DEBUG, "a connection stays in the record: " + refused);
        }
    }

    private void write(int slot, byte[] bytes) throws IOException {
        file.seek((long) slot * SLOT_BYTES);
        file.write(bytes);
    }

    /**
     * Creates the file.
     *
     * @return false if file locks do not work there
     */
    private boolean open() throws IOException {
        directory.create();
        Path fresh = directory.newEntry(ProcessHandle.current().pid(), SUFFIX);
        // Renamed once it is locked: without its lock it would be taken for that of a dead process.
        Path unfinished = fresh.resolveSibling(fresh.getFileName() + ".new");
        RandomAccessFile opened = new RandomAccessFile(unfinished.toFile(), "rw");
        boolean locked = false;
        try {
            ProcessDirectory.keepOthersOut(unfinished, OWNER_ALONE);
            locked = opened.getChannel().tryLock() != null;
            if (locked) {
                OWN.add(fresh);
                Files.move(unfinished, fresh, StandardCopyOption.ATOMIC_MOVE);
                path = fresh;
                file = opened;
            }
        } finally {
            if (file == null) {
                OWN.remove(fresh);
                opened.close();
                Files.deleteIfExists(unfinished);
            }
        }
        return locked;
    }

    /** Removes the file: nothing has to be done for this process any more. Later entries are not recorded. */
    public synchronized void close() {
        closed = true;
        if (file == null) {
            return;
        }
        try {
            Files.deleteIfExists(path);
            file.close();
        } catch (IOException stays) {
            LOG.log(System.Logger.Level.DEBUG, "cannot remove " + path + ": " + stays);
        }
        OWN.remove(path);
        file = null;
    }
}
