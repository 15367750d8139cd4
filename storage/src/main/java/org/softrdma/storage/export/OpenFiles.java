// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Files that are open because they have been read or written. Calls of a client name no open file, so that each would have to open one.
 * The owner of a file may read and write it whatever its mode, as with Linux's nfsd: permissions have been checked when a program on the
 * client opened it, and that program may have created it read-only. Any thread.
 */
final class OpenFiles {
    /** Files open without being in use, at most; those that were not used for longest are closed. */
    static final int CAPACITY = 128;

    private static final int OWNER_ALL = 0600;

    private final Map<FileHandle, OpenFile> files = new LinkedHashMap<>(CAPACITY, 0.75f, true);
    private final boolean readOnly;

    /** Work on an open file. */
    @FunctionalInterface
    interface Use<T> {
        T of(FileChannel channel) throws IOException;
    }

    private static final class OpenFile {
        private final FileChannel channel;
        private final boolean writable;
        /** Calls that use it. Changed under the lock, as is {@link #forgotten}. */
        private int users;
        private boolean forgotten;

        OpenFile(FileChannel channel, boolean writable) {
            this.channel = channel;
            this.writable = writable;
        }
    }

    /** @param readOnly whether modes must remain as they are */
    OpenFiles(boolean readOnly) {
        this.readOnly = readOnly;
    }

    <T> T reading(Located file, Use<T> use) throws IOException {
        return using(file, false, use);
    }

    <T> T writing(Located file, Use<T> use) throws IOException {
        return using(file, true, use);
    }

    private <T> T using(Located file, boolean write, Use<T> use) throws IOException {
        OpenFile open = acquire(file, write);
        try {
            return use.of(open.channel);
        } finally {
            release(open);
        }
    }

    private synchronized OpenFile acquire(Located file, boolean write) throws IOException {
        OpenFile open = files.get(file.handle());
        if (open == null || write && !open.writable || !open.channel.isOpen()) {
            forget(file.handle());
            open = new OpenFile(write ? open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : open(file, StandardOpenOption.READ), write);
            files.put(file.handle(), open);
        }
        open.users++;
        closeOldest();
        return open;
    }

    private synchronized void release(OpenFile open) throws IOException {
        open.users--;
        if (open.forgotten && open.users == 0) {
            open.channel.close();
        }
    }

    private void closeOldest() throws IOException {
        Iterator<OpenFile> oldest = files.values().iterator();
        int excess = files.size() - CAPACITY;
        while (excess > 0 && oldest.hasNext()) {
            OpenFile each = oldest.next();
            if (each.users == 0) {
                oldest.remove();
                each.channel.close();
                excess--;
            }
        }
    }

    /** Takes over a file that was just opened for reading and writing, whatever its mode becomes. */
    synchronized void add(FileHandle file, FileChannel channel) throws IOException {
        forget(file);
        files.put(file, new OpenFile(channel, true));
        closeOldest();
    }

    /** Closes a file, at once or when it is no more in use: it has no name any more. */
    synchronized void forget(FileHandle file) throws IOException {
        OpenFile open = files.remove(file);
        if (open == null) {
            return;
        }
        open.forgotten = true;
        if (open.users == 0) {
            open.channel.close();
        }
    }

    /** Closes all files. */
    synchronized void close() throws IOException {
        for (FileHandle each : Set.copyOf(files.keySet())) {
            forget(each);
        }
    }

    private FileChannel open(Located file, StandardOpenOption... options) throws IOException {
        try {
            return open(file.path(), options);
        } catch (AccessDeniedException denied) {
            int mode = file.attributes().mode();
            if (readOnly || (mode & OWNER_ALL) == OWNER_ALL) {
                throw denied;
            }
            // Only root can open a file in spite of its mode, and only its owner can change that.
            setMode(file.path(), mode | OWNER_ALL);
            try {
                return open(file.path(), options);
            } finally {
                setMode(file.path(), mode);
            }
        }
    }

    private static void setMode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode, LinkOption.NOFOLLOW_LINKS);
    }

    static FileChannel open(Path path, StandardOpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Set.of(options));
        all.add(LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(path, all);
    }
}
