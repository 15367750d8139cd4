// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.inspect;

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
import org.softrdma.device.config.NetworkNamespace;

/**
 * The directory with a socket for each process of one user, in one network namespace, that has devices open. Nobody else gets into it:
 * where files have owners, it is made and kept for the owner alone, and one of another user is refused.
 */
final class ProcessDirectory {
    /** Entries that are looked at. */
    static final int MAX_ENTRIES = 1024;

    private static final String SUFFIX = ".sock";
    private static final String OWNER_ALONE = "rwx------";

    private final Path path;

    /** @param state the user's state directory */
    ProcessDirectory(Path state) {
        path = state.toAbsolutePath().resolve("processes-" + NetworkNamespace.ofThisProcess());
    }

    Path path() {
        return path;
    }

    /** @throws IOException if it cannot be made, or is not this user's */
    void create() throws IOException {
        Files.createDirectories(path.getParent());
        try {
            Files.createDirectory(path);
        } catch (FileAlreadyExistsException wasThere) {
            // maybe another user's: that is what the next line finds out
        }
        keepOthersOut(path, OWNER_ALONE);
    }

    /** The file is for its owner alone from now on. @throws IOException if that is somebody else */
    static void keepOthersOut(Path file, String permissions) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null) {
            view.setPermissions(PosixFilePermissions.fromString(permissions));
        }
    }

    /** A name for this process's socket that no process has, whichever namespace its number is of. */
    Path newEntry(long pid) {
        return path.resolve(pid + "-" + Integer.toHexString(ThreadLocalRandom.current().nextInt()) + SUFFIX);
    }

    /** The process an entry is of, or -1 if its name does not tell. */
    static long pidOf(Path entry) {
        String name = entry.getFileName().toString();
        try {
            return Long.parseLong(name.substring(0, Math.max(0, name.indexOf('-'))));
        } catch (NumberFormatException other) {
            return -1;
        }
    }

    /** The first {@value #MAX_ENTRIES} sockets; none without the directory. @throws IOException if the directory is not this user's */
    List<Path> entries() throws IOException {
        List<Path> entries = new ArrayList<>();
        try {
            keepOthersOut(path, OWNER_ALONE);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*" + SUFFIX)) {
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
