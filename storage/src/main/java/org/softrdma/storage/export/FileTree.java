// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where files are: names of the handles that clients have been given. A name is a hint that is checked against the file's identity before
 * it is used. After a restart the tree is empty; the first handle that it does not know makes it read the whole export, once. Any thread.
 */
final class FileTree {
    /** Files known at most; those that were not used for longest go first. */
    private static final int CAPACITY = 1 << 20;
    /** Names kept of a file that has several. */
    private static final int MAX_NAMES = 8;
    private static final int MAX_DEPTH = 1024;

    private final Path root;
    private final FileAttributes rootAttributes;
    private final boolean recordsBirth;
    private final Map<FileHandle, Set<Name>> names = new LinkedHashMap<>(1024, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<FileHandle, Set<Name>> eldest) {
            if (size() > CAPACITY) {
                complete = false;
                return true;
            }
            return false;
        }
    };
    /** Whether the export has been read and nothing was forgotten since. */
    private boolean complete;

    private record Name(FileHandle directory, String name) {
    }

    private record Found(FileHandle directory, Path path) {
    }

    FileTree(Path root, boolean recordsBirth) throws IOException {
        this.root = root;
        this.recordsBirth = recordsBirth;
        rootAttributes = FileAttributes.read(root, recordsBirth);
    }

    FileHandle root() {
        return rootAttributes.handle();
    }

    synchronized void add(FileHandle directory, String name, FileAttributes file) {
        Set<Name> all = names.computeIfAbsent(file.handle(), none -> new LinkedHashSet<>(2));
        if (file.isDirectory()) {
            all.clear();
        }
        all.add(new Name(directory, name));
        if (all.size() > MAX_NAMES) {
            all.remove(all.iterator().next());
        }
    }

    /** Removes a name; the file may have others. */
    synchronized void remove(FileHandle directory, String name, FileHandle file) {
        Set<Name> all = names.get(file);
        if (all != null && all.remove(new Name(directory, name)) && all.isEmpty()) {
            names.remove(file);
        }
    }

    /**
     * Finds a file.
     *
     * @return its path and attributes, which are those of the file that the handle means
     * @throws NfsException STALE: it is not in the export, or no more
     */
    Located locate(FileHandle file) throws NfsException {
        Located located = tryKnownNames(file);
        if (located == null && readExport()) {
            located = tryKnownNames(file);
        }
        if (located == null) {
            throw new NfsException(NfsStatus.STALE);
        }
        return located;
    }

    private Located tryKnownNames(FileHandle file) {
        for (Path each : paths(file)) {
            try {
                FileAttributes attributes = FileAttributes.read(each, recordsBirth);
                if (attributes.handle().equals(file)) {
                    return new Located(each, attributes);
                }
            } catch (IOException gone) {
                // Renamed or removed by another program than this server.
            }
        }
        return null;
    }

    private synchronized List<Path> paths(FileHandle file) {
        if (file.equals(root())) {
            return List.of(root);
        }
        Set<Name> all = names.get(file);
        return all == null ? List.of() : all.stream().map(this::path).filter(each -> each != null).toList();
    }

    /** Follows the first name of each directory up to the root. */
    private Path path(Name name) {
        Deque<String> parts = new ArrayDeque<>();
        parts.push(name.name);
        FileHandle directory = name.directory;
        while (!directory.equals(root())) {
            Set<Name> all = names.get(directory);
            if (all == null || parts.size() == MAX_DEPTH) {
                return null;
            }
            Name next = all.iterator().next();
            parts.push(next.name);
            directory = next.directory;
        }
        Path path = root;
        for (String each : parts) {
            path = path.resolve(each);
        }
        return path;
    }

    /** @return whether anything may have become known */
    private synchronized boolean readExport() {
        if (complete) {
            return false;
        }
        complete = true;
        Deque<Found> directories = new ArrayDeque<>();
        directories.add(new Found(root(), root));
        while (!directories.isEmpty() && complete) {
            Found next = directories.remove();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(next.path)) {
                for (Path each : entries) {
                    readEntry(next.directory, each, directories);
                }
            } catch (IOException | DirectoryIteratorException unreadable) {
                // Its files cannot be served either.
            }
        }
        return true;
    }

    private void readEntry(FileHandle directory, Path path, Deque<Found> directories) {
        try {
            FileAttributes attributes = FileAttributes.read(path, recordsBirth);
            if (attributes.handle().device() == root().device()) {
                add(directory, path.getFileName().toString(), attributes);
                if (attributes.isDirectory()) {
                    directories.add(new Found(attributes.handle(), path));
                }
            }
        } catch (IOException gone) {
            // Removed in the meantime.
        }
    }
}
