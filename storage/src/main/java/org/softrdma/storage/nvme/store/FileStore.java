// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A store in a file, whose size it keeps. Bytes that were written and not flushed are in the page cache: they survive the end of the
 * process, but not a crash of its host.
 */
public final class FileStore implements BlockStore {
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 16).asReadOnlyBuffer();

    private final Path file;
    private final boolean readOnly;
    private final FileChannel channel;
    private final long bytes;

    /**
     * Opens a file, and locks it unless it is read-only, so that no two targets write to it.
     *
     * @param file     that has the bytes; its size is that of the store
     * @param readOnly whether writes fail
     * @throws IOException also if another process has locked it
     */
    public FileStore(Path file, boolean readOnly) throws IOException {
        this.file = file;
        this.readOnly = readOnly;
        channel = FileChannel.open(file, readOnly ? Set.of(StandardOpenOption.READ)
            : Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
        try {
            bytes = channel.size();
            if (!readOnly && !lock()) {
                throw new IOException(file + " is in use by another target");
            }
        } catch (IOException unusable) {
            channel.close();
            throw unusable;
        }
    }

    private boolean lock() throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException sameProcess) {
            return false;
        }
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public boolean isReadOnly() {
        return readOnly;
    }

    @Override
    public void read(long position, ByteBuffer into) throws StoreException {
        try {
            long at = position;
            while (into.hasRemaining()) {
                int count = channel.read(into, at);
                if (count < 0) {
                    throw new EOFException("the file was truncated");
                }
                at += count;
            }
        } catch (IOException failed) {
            throw failure("read", position, failed);
        }
    }

    @Override
    public void write(long position, ByteBuffer from) throws StoreException {
        try {
            long at = position;
            while (from.hasRemaining()) {
                at += channel.write(from, at);
            }
        } catch (IOException failed) {
            throw failure("write", position, failed);
        }
    }

    @Override
    public void zero(long position, long length) throws StoreException {
        long end = position + length;
        long at = position;
        while (at < end) {
            int count = (int) Math.min(end - at, ZEROS.capacity());
            write(at, ZEROS.slice(0, count));
            at += count;
        }
    }

    @Override
    public void flush() throws StoreException {
        try {
            if (!readOnly) {
                channel.force(false);
            }
        } catch (IOException failed) {
            throw failure("flush", 0, failed);
        }
    }

    private StoreException failure(String what, long position, IOException cause) {
        return new StoreException(file + ": " + what + " at " + position + " failed: " + cause.getMessage(), cause);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException alreadyLost) {
            // Hosts flush what they must not lose.
        }
    }
}
