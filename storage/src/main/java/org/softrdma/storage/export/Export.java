// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The exported directory. Clients name files by handles, and by names in a directory that they have a handle of. Neither leads out of the
 * export: a handle's file must be found in it, names have no slash, and the server follows no symbolic link. Names change under one lock,
 * so that no client can exchange a directory for a link while another one's call is executed in it. Programs on this host can; they see the
 * files anyway. Any thread.
 */
public final class Export implements AutoCloseable {
    /** Bytes of a name at most, as Linux's file systems have it. */
    public static final int MAX_NAME = 255;

    /** Accesses, as both versions number them. */
    public static final int ACCESS_READ = 0x01;
    public static final int ACCESS_MODIFY = 0x04;
    public static final int ACCESS_EXECUTE = 0x20;
    public static final int ACCESS_ALL = 0x3f;
    private static final int ACCESS_LOOKUP = 0x02;
    private static final int ACCESS_EXTEND = 0x08;
    private static final int ACCESS_DELETE = 0x10;
    private static final int ACCESS_CHANGES = ACCESS_MODIFY | ACCESS_EXTEND | ACCESS_DELETE;

    /** File systems that record when an inode was born, whatever the kernel. */
    private static final Set<String> RECORD_BIRTH = Set.of("ext4", "xfs", "btrfs", "f2fs");
    /** Locks of single files, for attributes before and after a change. */
    private static final int STRIPES = 64;

    private final Path root;
    private final boolean readOnly;
    private final boolean recordsBirth;
    private final FileTree tree;
    private final ReadWriteLock names = new ReentrantReadWriteLock();
    private final Object[] stripes = new Object[STRIPES];
    private final Listings listings = new Listings();
    private final OpenFiles openFiles;

    /** A procedure's work on files. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException, NfsException;
    }

    /**
     * @param directory the exported directory
     * @throws IOException it cannot be read, or its file system is not POSIX's
     */
    public Export(Path directory, boolean readOnly) throws IOException {
        root = directory.toRealPath();
        this.readOnly = readOnly;
        recordsBirth = RECORD_BIRTH.contains(Files.getFileStore(root).type());
        tree = new FileTree(root, recordsBirth);
        openFiles = new OpenFiles(readOnly);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
    }

    public Path root() {
        return root;
    }

    public FileHandle rootHandle() {
        return tree.root();
    }

    public boolean isReadOnly() {
        return readOnly;
    }

    /** @return size and free space of the file system */
    public FileStore store() throws NfsException {
        return reading(() -> Files.getFileStore(root));
    }

    // ---- locks ----

    /** Does work that changes no names. */
    public <T> T reading(Work<T> work) throws NfsException {
        return under(names.readLock(), work);
    }

    /** Does work that changes a file, but no names. */
    <T> T changing(FileHandle file, Work<T> work) throws NfsException {
        requireWritable();
        return reading(() -> {
            synchronized (stripes[Math.floorMod(file.inode(), STRIPES)]) {
                return work.run();
            }
        });
    }

    /** Does work that changes names. */
    <T> T renaming(Work<T> work) throws NfsException {
        requireWritable();
        return under(names.writeLock(), work);
    }

    private <T> T under(Lock lock, Work<T> work) throws NfsException {
        lock.lock();
        try {
            return work.run();
        } catch (IOException failed) {
            throw NfsException.of(failed, root);
        } catch (InvalidPathException unusable) {
            throw NfsException.of(unusable);
        } finally {
            lock.unlock();
        }
    }

    private void requireWritable() throws NfsException {
        if (readOnly) {
            throw new NfsException(NfsStatus.ROFS);
        }
    }

    // ---- files; under a lock ----

    /** @throws NfsException STALE */
    public Located locate(FileHandle file) throws NfsException {
        return tree.locate(file);
    }

    /** @throws NfsException STALE, NOTDIR */
    public Located locateDirectory(FileHandle file) throws NfsException {
        Located located = tree.locate(file);
        if (!located.attributes().isDirectory()) {
            throw new NfsException(NfsStatus.NOTDIR);
        }
        return located;
    }

    /** @throws NfsException STALE, ISDIR; INVAL: it is no regular file */
    Located locateRegular(FileHandle file) throws NfsException {
        Located located = tree.locate(file);
        if (located.attributes().type() != FileType.REGULAR) {
            throw new NfsException(located.attributes().isDirectory() ? NfsStatus.ISDIR : NfsStatus.INVAL);
        }
        return located;
    }

    /**
     * Finds a file by its name.
     *
     * @throws NfsException NOENT; ACCES: it is on another file system, which is not exported
     */
    public Located lookup(Located directory, String name) throws IOException, NfsException {
        if (name.equals(".")) {
            return directory;
        }
        if (name.equals("..")) {
            if (directory.handle().equals(rootHandle())) {
                return directory;
            }
            Path parent = directory.path().getParent();
            return new Located(parent, attributes(parent));
        }
        Path path = directory.path().resolve(checked(name));
        FileAttributes attributes = attributes(path);
        if (attributes.handle().device() != rootHandle().device()) {
            throw new NfsException(NfsStatus.ACCES);
        }
        tree.add(directory.handle(), name, attributes);
        return new Located(path, attributes);
    }

    FileAttributes attributes(Path path) throws IOException {
        return FileAttributes.read(path, recordsBirth);
    }

    FileTree tree() {
        return tree;
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    public Listings listings() {
        return listings;
    }

    /** Closes the files. */
    @Override
    public void close() throws IOException {
        openFiles.close();
    }

    /**
     * Decodes a name or the text of a symbolic link.
     *
     * @throws NfsException INVAL: it is not in UTF-8, or contains a NUL
     */
    public static String text(ByteBuffer bytes) throws NfsException {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate());
            if (text.toString().indexOf('\0') >= 0) {
                throw new NfsException(NfsStatus.INVAL);
            }
            return text.toString();
        } catch (CharacterCodingException malformed) {
            throw new NfsException(NfsStatus.INVAL);
        }
    }

    /**
     * Checks the name of an entry.
     *
     * @throws NfsException INVAL: it is empty, "." or "..", or has a slash; NAMETOOLONG
     */
    static String checked(String name) throws NfsException {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0) {
            throw new NfsException(NfsStatus.INVAL);
        }
        if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME) {
            throw new NfsException(NfsStatus.NAMETOOLONG);
        }
        return name;
    }

    // ---- permissions ----

    /** Accesses of {@link #ACCESS_READ} and the others that the user who runs the server has to a file, as all clients have. */
    public int access(Located file) {
        if (file.attributes().type() == FileType.SYMBOLIC_LINK) {
            return ACCESS_READ;
        }
        Path path = file.path();
        int granted = Files.isReadable(path) ? ACCESS_READ : 0;
        if (Files.isExecutable(path)) {
            granted |= file.attributes().isDirectory() ? ACCESS_LOOKUP : ACCESS_EXECUTE;
        }
        if (!readOnly && Files.isWritable(path)) {
            granted |= file.attributes().isDirectory() ? ACCESS_CHANGES : ACCESS_MODIFY | ACCESS_EXTEND;
        }
        return granted;
    }

    // ---- data ----

    /**
     * Reads from a file.
     *
     * @param into receives the bytes, as many as there are
     * @return the file's attributes
     */
    public FileAttributes read(FileHandle file, long offset, ByteBuffer into) throws NfsException {
        return reading(() -> {
            Located located = locateRegular(file);
            if (offset < 0) {
                throw new NfsException(NfsStatus.INVAL);
            }
            openFiles.reading(located, channel -> {
                long at = offset;
                while (into.hasRemaining()) {
                    int count = channel.read(into, at);
                    if (count < 0) {
                        break;
                    }
                    at += count;
                }
                return null;
            });
            return attributes(located.path());
        });
    }

    /**
     * Writes to a file.
     *
     * @param stable whether it is on stable storage afterwards
     */
    public Change write(FileHandle file, long offset, ByteBuffer data, boolean stable) throws NfsException {
        return changing(file, () -> {
            Located located = locateRegular(file);
            if (offset < 0 || offset + data.remaining() < 0) {
                throw new NfsException(NfsStatus.FBIG);
            }
            openFiles.writing(located, channel -> {
                long at = offset;
                while (data.hasRemaining()) {
                    at += channel.write(data, at);
                }
                if (stable) {
                    channel.force(true);
                }
                return null;
            });
            return new Change(located.attributes(), attributes(located.path()));
        });
    }

    /** Brings all data of a file to stable storage. */
    public Change commit(FileHandle file) throws NfsException {
        return changing(file, () -> {
            Located located = locateRegular(file);
            openFiles.writing(located, channel -> {
                channel.force(true);
                return null;
            });
            return new Change(located.attributes(), attributes(located.path()));
        });
    }
}
