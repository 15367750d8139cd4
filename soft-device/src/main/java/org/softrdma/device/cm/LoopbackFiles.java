// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.cm;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.softrdma.device.config.NetworkNamespace;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A file for each port that somebody listens for on the loopback interface. It holds the listener's address, and the listener holds its
 * lock: a file that nobody has locked is one of a process that is gone. Processes of one user and one network namespace see each other.
 *
 * <p>Without a directory to write to, others find the listener by its own 127.0.0.x only; a warning says so.
 */
final class LoopbackFiles implements LoopbackListeners {
    private static final System.Logger LOG = System.getLogger(LoopbackFiles.class.getName());
    private static final int LONGEST_ADDRESS = 15;
    /** Beyond what is read: where locks are mandatory, they lock out readers. */
    private static final long LOCK_AT = 1024;

    private final Path directory;
    /** Claims of this process: a second look at its own file would drop the lock. */
    private final Map<CmService, InetAddress> own = new HashMap<>();

    /** @param state the user's state directory; ours is in it and appears with the first claim */
    LoopbackFiles(Path state) {
        directory = state.resolve("loopback-" + NetworkNamespace.ofThisProcess());
    }

    private Path fileOf(CmService service) {
        return directory.resolve(service.space().name().toLowerCase(Locale.ROOT) + "-" + service.port());
    }

    @Override
    public synchronized Claim claim(CmService service, InetAddress address) {
        if (own.containsKey(service)) {
            throw new VerbsException(Errno.EADDRINUSE, "listen", "this process listens for port " + service.port() + " of "
                + service.space() + " already");
        }
        FileChannel channel = null;
        try {
            Files.createDirectories(directory);
            channel = FileChannel.open(fileOf(service), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock(LOCK_AT, 1, false);
            if (lock == null) {
                String where = read(channel);
                channel.close();
                throw new VerbsException(Errno.EADDRINUSE, "listen", "another process listens for port " + service.port() + " of "
                    + service.space() + ", at " + where);
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(address.getHostAddress().getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException refused) {
            LOG.log(System.Logger.Level.WARNING, "other processes find port " + service.port() + " of " + service.space() + " at "
                + address.getHostAddress() + ", but not at 127.0.0.1: " + refused);
            closeQuietly(channel);
            channel = null;
        }
        own.put(service, address);
        FileChannel held = channel;
        return () -> release(service, held);
    }

    private synchronized void release(CmService service, FileChannel held) {
        if (own.remove(service) != null && held != null) {
            try {
                Files.deleteIfExists(fileOf(service));
            } catch (IOException stays) {
                LOG.log(System.Logger.Level.DEBUG, "left behind, unlocked: " + stays);
            }
            closeQuietly(held);
        }
    }

    @Override
    public synchronized InetAddress find(CmService service) {
        InetAddress here = own.get(service);
        if (here != null) {
            return here;
        }
        try (FileChannel channel = FileChannel.open(fileOf(service), StandardOpenOption.READ)) {
            FileLock lock = channel.tryLock(LOCK_AT, 1, true);
            return lock == null ? parse(read(channel)) : null;
        } catch (NoSuchFileException nobody) {
            return null;
        } catch (IOException unreadable) {
            LOG.log(System.Logger.Level.WARNING, "cannot see who listens for port " + service.port() + " of " + service.space() + ": "
                + unreadable);
            return null;
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(LONGEST_ADDRESS);
        int read = channel.read(text, 0);
        return new String(text.array(), 0, Math.max(0, read), StandardCharsets.US_ASCII);
    }

    /** Null for a file that is just being written. */
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
