// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.softrdma.host.config.NetworkNamespace;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.ProcessDirectory;
import org.softrdma.host.orphans.OrphanedFile;
import org.softrdma.verbs.Gid;

/**
 * The directory in which links of one user's processes in one network namespace meet. An inbox says that a link takes packets to an address
 * by shared memory; a ring holds those of one sender to one inbox:
 *
 * <pre>
 *   ADDRESS.NONCE.inbox         of the receiver, locked by its process
 *   ADDRESS.NONCE.NONCE.ring    of a sender, locked by its process
 * </pre>
 *
 * Names are used once, so whatever has no lock may be removed by anybody who finds it. The directory goes with the last file.
 */
final class SharedDirectory {
    private static final System.Logger LOG = System.getLogger(SharedDirectory.class.getName());
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path THIS_PROCESS = Path.of("/proc/self");
    private static final String PREFIX = "softrdma-shm-";
    private static final String OWNER_ALONE = "rwx------";
    private static final String INBOX = ".inbox";
    private static final String RING = ".ring";
    /** A file without lock may be one that its process is about to lock; but not for so long. */
    private static final long UNFINISHED_MS = 60_000;
    /** Maximum files that are looked at. */
    private static final int MAX_FILES = 4096;

    private final Path path;

    /** @param path of the directory; its parent exists */
    SharedDirectory(Path path) {
        this.path = path.toAbsolutePath();
    }

    /** The directory of this process's user and network namespace; it need not exist. */
    static SharedDirectory ofUser() throws IOException {
        return new SharedDirectory(parent().resolve(PREFIX + userNumber() + "-" + NetworkNamespace.ofThisProcess()));
    }

    private static Path parent() {
        return Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY
            : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static String userNumber() throws IOException {
        return Files.exists(THIS_PROCESS) ? Files.getAttribute(THIS_PROCESS, "unix:uid").toString() : System.getProperty("user.name");
    }

    private static UserPrincipal user() throws IOException {
        return Files.exists(THIS_PROCESS) ? Files.getOwner(THIS_PROCESS)
            : THIS_PROCESS.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(System.getProperty("user.name"));
    }

    /**
     * Creates the directory if it does not exist, and removes files of processes that were killed.
     *
     * @throws IOException if it cannot be created, or is not this user's alone
     */
    void open() throws IOException {
        create();
        removeOrphans();
    }

    private void create() throws IOException {
        StateDirectory.create(path);
        // Everybody may create files in the directory above, so it may be another user's.
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || !Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(user())) {
            throw new IOException(path + " is not a directory of this user");
        }
        ProcessDirectory.keepOthersOut(path, OWNER_ALONE);
    }

    private HeldFile hold(Path file, int bytes, Consumer<MemorySegment> contents) throws IOException {
        try {
            return HeldFile.create(file, bytes, contents);
        } catch (IOException removed) {
            // The last process that left has removed the directory.
            create();
            return HeldFile.create(file, bytes, contents);
        }
    }

    private static String nonce() {
        return String.format("%016x", ThreadLocalRandom.current().nextLong());
    }

    private static String name(Gid address) {
        return String.format("%016x%016x", address.high(), address.low());
    }

    /** Creates an inbox for an address of this host. */
    HeldFile createInbox(Gid address) throws IOException {
        return hold(path.resolve(name(address) + "." + nonce() + INBOX), 0, memory -> { });
    }

    /** Creates a ring for an inbox. */
    HeldFile createRing(Path inbox, Gid sender) throws IOException {
        return hold(path.resolve(prefix(inbox) + nonce() + RING), Ring.FILE_BYTES, memory -> RingWriter.format(memory, sender));
    }

    /** Beginning of the names of all rings of an inbox. */
    private static String prefix(Path inbox) {
        String name = inbox.getFileName().toString();
        return name.substring(0, name.length() - INBOX.length()) + ".";
    }

    /** Returns the rings of an inbox. */
    List<Path> rings(Path inbox) throws IOException {
        return files(prefix(inbox) + "*" + RING);
    }

    /** Finds the inbox of a living process for an address, or returns null. */
    Path findInbox(Gid address) throws IOException {
        for (Path inbox : files(name(address) + ".*" + INBOX)) {
            if (isAlive(inbox)) {
                return inbox;
            }
        }
        return null;
    }

    /** Whether the process of a file lives and has not removed it. Removes the file otherwise. */
    static boolean isAlive(Path file) throws IOException {
        return HeldFile.isOwn(file) || !OrphanedFile.take(file, orphan -> { }) && Files.exists(file);
    }

    /** Removes the rings of an inbox that is closed: nothing reads them any more. */
    void removeRings(Path inbox) throws IOException {
        for (Path ring : rings(inbox)) {
            Files.deleteIfExists(ring);
        }
    }

    /** Removes the files of killed processes, here and in the user's directories of other network namespaces. */
    private void removeOrphans() throws IOException {
        String name = path.getFileName().toString();
        int end = name.startsWith(PREFIX) ? name.lastIndexOf('-') : -1;
        if (end < 0) {
            removeOrphansHere();
            return;
        }
        for (Path sibling : list(path.getParent(), name.substring(0, end + 1) + "*")) {
            if (Files.isDirectory(sibling, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(sibling, LinkOption.NOFOLLOW_LINKS).equals(user())) {
                SharedDirectory other = new SharedDirectory(sibling);
                other.removeOrphansHere();
                if (!sibling.equals(path)) {
                    other.removeIfEmpty();
                }
            }
        }
    }

    private void removeOrphansHere() throws IOException {
        for (Path file : files("*{" + INBOX + "," + RING + "}")) {
            isAlive(file);
        }
        for (Path file : files("*" + HeldFile.UNFINISHED)) {
            try {
                if (System.currentTimeMillis() - Files.getLastModifiedTime(file).toMillis() > UNFINISHED_MS) {
                    OrphanedFile.take(file, orphan -> { });
                }
            } catch (NoSuchFileException finished) {
                // It has its name now.
            }
        }
    }

    /** Removes what killed processes have left, and the directory if no other process is in it. */
    void close() {
        try {
            removeOrphans();
        } catch (IOException stay) {
            LOG.log(System.Logger.Level.DEBUG, "files of killed processes stay in " + path + ": " + stay);
        }
        removeIfEmpty();
    }

    private void removeIfEmpty() {
        try {
            Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException used) {
            // Others are here.
        } catch (IOException stays) {
            LOG.log(System.Logger.Level.DEBUG, "cannot remove " + path + ": " + stays);
        }
    }

    private List<Path> files(String glob) throws IOException {
        return list(path, glob);
    }

    private static List<Path> list(Path directory, String glob) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
            for (Path file : files) {
                if (found.size() == MAX_FILES) {
                    break;
                }
                found.add(file);
            }
        } catch (NoSuchFileException absent) {
            return List.of();
        }
        return found;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
