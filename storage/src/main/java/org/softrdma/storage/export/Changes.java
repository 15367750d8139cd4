// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;

/**
 * Changes of attributes and names in an export. Files belong to the user who runs the server, whoever creates them: owners that clients
 * give to new files are ignored, and changing an owner is not permitted. Any thread.
 */
public final class Changes {
    private final Export export;

    /** A file that was created or found, and the change of its directory. */
    public record Created(Located file, Change directory) {
    }

    /** The changes of two directories. */
    public record Moved(Change from, Change to) {
    }

    /** A file with another name, and the change of its directory. */
    public record Linked(FileAttributes file, Change directory) {
    }

    /** How a file is created. */
    private interface Maker {
        void make(Path path) throws IOException, NfsException;
    }

    public Changes(Export export) {
        this.export = export;
    }

    /**
     * Sets attributes.
     *
     * @param guard the time of the last change that the file must have, or null
     * @throws NfsException NOT_SYNC: it has another one
     */
    public Change setAttributes(FileHandle file, NewAttributes wanted, FileTime guard) throws NfsException {
        return export.changing(file, () -> {
            Located located = export.locate(file);
            if (guard != null && !guard.equals(located.attributes().changed())) {
                throw new NfsException(NfsStatus.NOT_SYNC);
            }
            apply(located.path(), located.attributes(), wanted);
            return new Change(located.attributes(), export.attributes(located.path()));
        });
    }

    private void apply(Path path, FileAttributes present, NewAttributes wanted) throws IOException, NfsException {
        if (wanted.uid() != null && wanted.uid() != present.uid() || wanted.gid() != null && wanted.gid() != present.gid()) {
            throw new NfsException(NfsStatus.PERM);
        }
        if (wanted.size() != null) {
            resize(new Located(path, present), wanted.size());
        }
        if (wanted.mode() != null) {
            // Opening a pipe would wait, and a link has no mode.
            if (present.type() != FileType.REGULAR && !present.isDirectory()) {
                throw new NfsException(NfsStatus.INVAL);
            }
            Files.setAttribute(path, "unix:mode", wanted.mode() & 07777, LinkOption.NOFOLLOW_LINKS);
        }
        if (wanted.accessed() != null || wanted.modified() != null) {
            Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(wanted.modified(), wanted.accessed(), null);
        }
    }

    private void resize(Located file, long size) throws IOException, NfsException {
        if (file.attributes().type() != FileType.REGULAR) {
            throw new NfsException(file.attributes().isDirectory() ? NfsStatus.ISDIR : NfsStatus.INVAL);
        }
        if (size < 0) {
            throw new NfsException(NfsStatus.FBIG);
        }
        export.openFiles().writing(file, channel -> {
            if (size > channel.size()) {
                channel.write(ByteBuffer.allocate(1), size - 1);
            } else {
                channel.truncate(size);
            }
            return null;
        });
    }

    // ---- new files ----

    /**
     * Creates a regular file.
     *
     * @param mustBeNew whether an existing file is an error; else its size is set, if one is wanted
     * @throws NfsException EXIST
     */
    public Created create(FileHandle directory, String name, NewAttributes wanted, boolean mustBeNew) throws NfsException {
        return make(directory, name, path -> {
            try {
                createFile(path);
            } catch (FileAlreadyExistsException exists) {
                FileAttributes present = export.attributes(path);
                if (mustBeNew || present.type() != FileType.REGULAR) {
                    throw exists;
                }
                apply(path, present, wanted.onlySize());
                return;
            }
            apply(path, export.attributes(path), withoutOwner(wanted));
        });
    }

    /**
     * Creates a regular file, exactly once: the verifier is kept in its times until the client sets them.
     *
     * @throws NfsException EXIST: there is one, which was not created by this call
     */
    public Created createOnce(FileHandle directory, String name, long verifier) throws NfsException {
        // 31 bits each, as some file systems keep no more.
        FileTime accessed = FileTime.fromMillis((verifier >>> 32 & 0x7fffffff) * 1000);
        FileTime modified = FileTime.fromMillis((verifier & 0x7fffffff) * 1000);
        return make(directory, name, path -> {
            try {
                createFile(path);
            } catch (FileAlreadyExistsException exists) {
                FileAttributes present = export.attributes(path);
                if (present.type() != FileType.REGULAR || !present.accessed().equals(accessed) || !present.modified().equals(modified)) {
                    throw exists;
                }
                return;
            }
            apply(path, export.attributes(path), new NewAttributes(null, null, null, null, accessed, modified));
        });
    }

    public Created createDirectory(FileHandle directory, String name, NewAttributes wanted) throws NfsException {
        return make(directory, name, path -> {
            Files.createDirectory(path);
            apply(path, export.attributes(path), new NewAttributes(wanted.mode(), null, null, null, null, null));
        });
    }

    /** Creates a symbolic link, which leads wherever it says: clients follow it among their own files. */
    public Created createSymbolicLink(FileHandle directory, String name, String target) throws NfsException {
        if (target.isEmpty()) {
            throw new NfsException(NfsStatus.INVAL);
        }
        return make(directory, name, path -> Files.createSymbolicLink(path, Path.of(target)));
    }

    /** Creates a file and keeps it open: its mode may soon forbid writing. */
    private void createFile(Path path) throws IOException {
        FileChannel channel = OpenFiles.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        export.openFiles().add(export.attributes(path).handle(), channel);
    }

    private static NewAttributes withoutOwner(NewAttributes wanted) {
        return new NewAttributes(wanted.mode(), null, null, wanted.size(), wanted.accessed(), wanted.modified());
    }

    private Created make(FileHandle directory, String name, Maker maker) throws NfsException {
        return export.renaming(() -> {
            Located parent = export.locateDirectory(directory);
            maker.make(parent.path().resolve(Export.checked(name)));
            return new Created(export.lookup(parent, name), change(parent));
        });
    }

    private Change change(Located directory) throws IOException {
        export.listings().forget(directory.handle());
        return new Change(directory.attributes(), export.attributes(directory.path()));
    }

    // ---- names ----

    /** @throws NfsException NOENT, ISDIR */
    public Change remove(FileHandle directory, String name) throws NfsException {
        return delete(directory, name, false);
    }

    /** @throws NfsException NOENT, NOTDIR, NOTEMPTY */
    public Change removeDirectory(FileHandle directory, String name) throws NfsException {
        return delete(directory, name, true);
    }

    private Change delete(FileHandle directory, String name, boolean ofDirectory) throws NfsException {
        return export.renaming(() -> {
            Located parent = export.locateDirectory(directory);
            Located victim = export.lookup(parent, Export.checked(name));
            if (victim.attributes().isDirectory() != ofDirectory) {
                throw new NfsException(ofDirectory ? NfsStatus.NOTDIR : NfsStatus.ISDIR);
            }
            Files.delete(victim.path());
            forget(directory, name, victim.attributes());
            return change(parent);
        });
    }

    private void forget(FileHandle directory, String name, FileAttributes victim) throws IOException {
        export.tree().remove(directory, name, victim.handle());
        if (victim.links() == 1) {
            export.openFiles().forget(victim.handle());
        }
    }

    /**
     * Renames a file or directory, in place of another one of its kind.
     *
     * @throws NfsException NOENT, ISDIR, NOTDIR, NOTEMPTY; INVAL: into itself
     */
    public Moved rename(FileHandle from, String name, FileHandle to, String newName) throws NfsException {
        return export.renaming(() -> {
            Located fromParent = export.locateDirectory(from);
            Located toParent = export.locateDirectory(to);
            Located file = export.lookup(fromParent, Export.checked(name));
            Path target = toParent.path().resolve(Export.checked(newName));
            if (target.startsWith(file.path()) && !target.equals(file.path())) {
                throw new NfsException(NfsStatus.INVAL);
            }
            FileAttributes victim = victim(file, target);
            if (victim == null || !victim.handle().equals(file.handle())) {
                Files.move(file.path(), target, StandardCopyOption.ATOMIC_MOVE);
                if (victim != null) {
                    forget(to, newName, victim);
                }
                export.tree().remove(from, name, file.handle());
                export.tree().add(to, newName, file.attributes());
            }
            return new Moved(change(fromParent), change(toParent));
        });
    }

    /** @return what the renamed file replaces, or null */
    private FileAttributes victim(Located file, Path target) throws IOException, NfsException {
        FileAttributes victim;
        try {
            victim = export.attributes(target);
        } catch (NoSuchFileException none) {
            return null;
        }
        if (victim.isDirectory() != file.attributes().isDirectory()) {
            throw new NfsException(victim.isDirectory() ? NfsStatus.ISDIR : NfsStatus.NOTDIR);
        }
        if (victim.isDirectory() && !victim.handle().equals(file.handle())) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
                if (entries.iterator().hasNext()) {
                    throw new NfsException(NfsStatus.NOTEMPTY);
                }
            }
        }
        return victim;
    }

    /** @throws NfsException EXIST; INVAL: it is a directory */
    public Linked link(FileHandle file, FileHandle directory, String name) throws NfsException {
        return export.renaming(() -> {
            Located located = export.locate(file);
            Located parent = export.locateDirectory(directory);
            if (located.attributes().type() != FileType.REGULAR) {
                throw new NfsException(NfsStatus.INVAL);
            }
            Files.createLink(parent.path().resolve(Export.checked(name)), located.path());
            return new Linked(export.lookup(parent, name).attributes(), change(parent));
        });
    }
}
