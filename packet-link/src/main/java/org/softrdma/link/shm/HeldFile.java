// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.softrdma.host.inspect.ProcessDirectory;
import org.softrdma.host.orphans.OrphanedFile;

/**
 * A file of this process, locked until it is closed or the process ends, so that files of processes that were killed are recognised. It
 * appears under its name once it is locked and has its contents.
 */
final class HeldFile implements AutoCloseable {
    /** Ends the names of files that are not ready. */
    static final String UNFINISHED = ".new";

    private static final System.Logger LOG = System.getLogger(HeldFile.class.getName());
    private static final String OWNER_ALONE = "rw-------";
    /** Files of this process. None of them may be opened a second time: closing it would drop the lock. */
    private static final Map<Path, HeldFile> OWN = new ConcurrentHashMap<>();

    private final Path path;
    /** Not a FileChannel, which a thread that is interrupted would close, and the lock with it. */
    private final RandomAccessFile file;
    private final MemorySegment memory;

    private HeldFile(Path path, RandomAccessFile file, MemorySegment memory) {
        this.path = path;
        this.file = file;
        this.memory = memory;
    }

    /**
     * Creates the file, with its blocks: a full file system is noticed here, not when the memory is used.
     *
     * @param path     an unused name
     * @param bytes    length, 0 for a file that is only there
     * @param contents fills the memory, which is zero
     * @throws IOException also if the host has no file locks there
     */
    static HeldFile create(Path path, int bytes, Consumer<MemorySegment> contents) throws IOException {
        Path unfinished = path.resolveSibling(path.getFileName() + UNFINISHED);
        RandomAccessFile opened = new RandomAccessFile(unfinished.toFile(), "rw");
        boolean complete = false;
        try {
            ProcessDirectory.keepOthersOut(unfinished, OWNER_ALONE);
            if (opened.getChannel().tryLock(OrphanedFile.LOCK_AT, 1, false) == null) {
                throw new IOException(unfinished + " is locked by another process");
            }
            opened.write(new byte[bytes]);
            HeldFile held = new HeldFile(path, opened, map(opened.getChannel(), bytes));
            contents.accept(held.memory);
            OWN.put(path, held);
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
            complete = true;
            return held;
        } finally {
            if (!complete) {
                OWN.remove(path);
                opened.close();
                Files.deleteIfExists(unfinished);
            }
        }
    }

    private static MemorySegment map(FileChannel channel, long bytes) throws IOException {
        // Unmapped when neither end in this process uses it any more.
        return bytes == 0 ? MemorySegment.NULL : channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
    }

    /** Whether the file is one of this process. */
    static boolean isOwn(Path path) {
        return OWN.containsKey(path);
    }

    /**
     * Maps a file, of this process or another one.
     *
     * @param bytes the length that it must have
     * @throws IOException if it has another one, or is gone
     */
    static MemorySegment map(Path path, long bytes) throws IOException {
        HeldFile own = OWN.get(path);
        if (own != null) {
            return own.memory;
        }
        try (RandomAccessFile other = new RandomAccessFile(path.toFile(), "rw")) {
            if (other.length() != bytes) {
                throw new IOException(path + " has " + other.length() + " bytes instead of " + bytes);
            }
            return map(other.getChannel(), bytes);
        }
    }

    Path path() {
        return path;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Removes the file. Its memory stays as long as it is used. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
            file.close();
        } catch (IOException stays) {
            LOG.log(System.Logger.Level.DEBUG, "cannot remove " + path + ": " + stays);
        }
        OWN.remove(path);
    }
}
