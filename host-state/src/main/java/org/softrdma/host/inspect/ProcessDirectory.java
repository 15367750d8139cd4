// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.softrdma.host.config.NetworkNamespace;
import org.softrdma.host.config.StateDirectory;

/**
 * Directory of the sockets and files of one user's processes with open devices, in one network namespace. It is private to the user: where
 * files have owners, only the owner has permissions, and a directory of another user is refused.
 */
public final class ProcessDirectory {
    /** Maximum entries that are read. */
    static final int MAX_ENTRIES = 1024;

    /** Ends the names of sockets that send reports. */
    static final String REPORTS = ".sock";
    /** Ends the names of sockets that send recordings. */
    static final String RECORDINGS = ".record";

    private static final String OWNER_ALONE = "rwx------";

    private final Path path;

    /**
     * The directory within a state directory; it need not exist.
     *
     * @param state the user's state directory
     */
    public ProcessDirectory(Path state) {
        path = state.toAbsolutePath().resolve("processes-" + NetworkNamespace.ofThisProcess());
    }

    /** Path of the directory, whether or not it exists. */
    public Path path() {
        return path;
    }

    /**
     * Creates the directory if it does not exist.
     *
     * @throws IOException if it cannot be created, or belongs to another user
     */
    public void create() throws IOException {
        StateDirectory.create(path.getParent());
        try {
            Files.createDirectory(path);
        } catch (FileAlreadyExistsException wasThere) {
            // possibly of another user, which the next line detects
        }
        keepOthersOut(path, OWNER_ALONE);
    }

    /**
     * Restricts a file to its owner.
     *
     * @throws IOException if that is another user
     */
    public static void keepOthersOut(Path file, String permissions) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null) {
            view.setPermissions(PosixFilePermissions.fromString(permissions));
        }
    }

    /** An unused name for a file of this process, unique even if process numbers repeat in several PID namespaces. */
    public Path newEntry(long pid, String suffix) {
        return path.resolve(pid + "-" + Integer.toHexString(ThreadLocalRandom.current().nextInt()) + suffix);
    }

    /** The process number in an entry's name, or -1 if there is none. */
    public static long pidOf(Path entry) {
        String name = entry.getFileName().toString();
        try {
            return Long.parseLong(name.substring(0, Math.max(0, name.indexOf('-'))));
        } catch (NumberFormatException other) {
            return -1;
        }
    }

    /**
     * The sockets of both kinds, the first {@value #MAX_ENTRIES} of each; none without the directory.
     *
     * @throws IOException if the directory belongs to another user
     */
    List<Path> sockets() throws IOException {
        List<Path> sockets = new ArrayList<>(entries(REPORTS));
        sockets.addAll(entries(RECORDINGS));
        return sockets;
    }

    /**
     * The first {@value #MAX_ENTRIES} files with names that end like this; none without the directory.
     *
     * @throws IOException if the directory belongs to another user
     */
    public List<Path> entries(String suffix) throws IOException {
        List<Path> entries = new ArrayList<>();
        try {
            keepOthersOut(path, OWNER_ALONE);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*" + suffix)) {
                for (Path file : files) {
                    if (entries.size() == MAX_ENTRIES) {
                        break;
                    }
                    entries.add(file);
                }
            }
        } catch (NoSuchFileException absent) {
            return List.of();
        }
        return entries;
    }
}
