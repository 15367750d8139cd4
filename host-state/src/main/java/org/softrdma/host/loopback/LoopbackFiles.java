// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.loopback;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.softrdma.host.config.NetworkNamespace;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.orphans.OrphanedFile;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Files that record the listeners on the loopback interface, one for each port. A file contains the listener's address and is locked by the
 * listener: an unlocked file belongs to a process that has ended. Processes of one user and one network namespace share the files.
 *
 * <p>Without a writable directory, other processes find the listener only at its own 127.0.x.y; a warning is logged.
 */
public final class LoopbackFiles implements LoopbackListeners {
    private static final System.Logger LOG = System.getLogger(LoopbackFiles.class.getName());
    private static final int LONGEST_ADDRESS = 15;

    private final Path directory;
    /** Claims of this process, as opening its own file a second time would drop the lock. */
    private final Map<Port, InetAddress> own = new HashMap<>();
    private boolean cleaned;

    /**
     * Creates the table.
     *
     * @param state the user's state directory; a subdirectory is created with the first claim
     */
    public LoopbackFiles(Path state) {
        directory = state.resolve("loopback-" + NetworkNamespace.ofThisProcess());
    }

    private Path fileOf(Port port) {
        return directory.resolve(port.space().name().toLowerCase(Locale.ROOT) + "-" + port.number());
    }

    @Override
    public synchronized Claim claim(Port port, InetAddress address) {
        if (own.containsKey(port)) {
            throw new VerbsException(Errno.EADDRINUSE, "listen", "this process listens for port " + port.number() + " of "
                + port.space() + " already");
        }
        FileChannel channel = null;
        try {
            StateDirectory.create(directory);
            removeUnlocked();
            channel = FileChannel.open(fileOf(port), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock(OrphanedFile.LOCK_AT, 1, false);
            if (lock == null) {
                String where = read(channel);
                channel.close();
                throw new VerbsException(Errno.EADDRINUSE, "listen", "another process listens for port " + port.number() + " of "
                    + port.space() + ", at " + where);
            }
            if (Files.notExists(fileOf(port))) {
                // Another process found the file unlocked a moment ago, and removed it.
                channel.close();
                return claim(port, address);
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(address.getHostAddress().getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException refused) {
            LOG.log(System.Logger.Level.WARNING, "other processes can reach port " + port.number() + " of " + port.space() + " at "
                + address.getHostAddress() + ", but not at 127.0.0.1: " + refused);
            closeQuietly(channel);
            channel = null;
        }
        own.put(port, address);
        FileChannel held = channel;
        return () -> release(port, held);
    }

    /** Removes, before the first claim, the files of processes that were killed. */
    private void removeUnlocked() {
        if (cleaned) {
            return;
        }
        cleaned = true;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                OrphanedFile.take(file, orphan -> { });
            }
        } catch (IOException unreadable) {
            LOG.log(System.Logger.Level.DEBUG, "files of killed processes were not removed: " + unreadable);
        }
    }

    private synchronized void release(Port port, FileChannel held) {
        if (own.remove(port) != null && held != null) {
            try {
                Files.deleteIfExists(fileOf(port));
            } catch (IOException stays) {
                LOG.log(System.Logger.Level.DEBUG, "unlocked file could not be deleted: " + stays);
            }
            closeQuietly(held);
        }
    }

    @Override
    public synchronized InetAddress find(Port port) {
        InetAddress here = own.get(port);
        if (here != null) {
            return here;
        }
        try (FileChannel channel = FileChannel.open(fileOf(port), StandardOpenOption.READ)) {
            FileLock lock = channel.tryLock(OrphanedFile.LOCK_AT, 1, true);
            return lock == null ? parse(read(channel)) : null;
        } catch (NoSuchFileException nobody) {
            return null;
        } catch (IOException unreadable) {
            LOG.log(System.Logger.Level.WARNING, "cannot find the listener for port " + port.number() + " of " + port.space() + ": "
                + unreadable);
            return null;
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(LONGEST_ADDRESS);
        int read = channel.read(text, 0);
        return new String(text.array(), 0, Math.max(0, read), StandardCharsets.US_ASCII);
    }

    /** Parses the address; null for an incomplete file, which is being written. */
    private static InetAddress parse(String text) throws IOException {
        if (!text.matches("127(\\.[0-9]{1,3}){3}")) {
            return null;
        }
        return InetAddress.getByName(text);
    }

    private static void closeQuietly(FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException nothingLeftToDo) {
                LOG.log(System.Logger.Level.DEBUG, nothingLeftToDo.toString());
            }
        }
    }
}
