// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The listening socket behind an entry of a directory. Addresses of Unix sockets are short: where the entry's path does not fit, the entry
 * is a symbolic link to a socket in a temporary directory of its own.
 *
 * @param entry the socket, or the link to it
 */
public record ListeningFile(ServerSocketChannel channel, Path entry) {
    /** Bytes of the longest path of a socket on macOS, without its zero; Linux and Windows have 107. */
    private static final int MAX_PATH_BYTES = 103;
    private static final String OWNER_ALONE = "rw-------";

    /**
     * Creates a socket that listens once its entry appears.
     *
     * @param entry path that does not exist
     */
    public static ListeningFile listen(Path entry) throws IOException {
        // Renamed once it accepts connections: a socket that does not would be removed as that of a dead process.
        Path unfinished = entry.resolveSibling(entry.getFileName() + ".new");
        boolean fits = unfinished.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_PATH_BYTES;
        Path file = fits ? unfinished : Files.createTempDirectory("softrdma-").resolve("socket");
        ServerSocketChannel opened = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            opened.bind(UnixDomainSocketAddress.of(file));
            ProcessDirectory.keepOthersOut(file, OWNER_ALONE);
            if (fits) {
                Files.move(file, entry, StandardCopyOption.ATOMIC_MOVE);
            } else {
                Files.createSymbolicLink(entry, file);
            }
            return new ListeningFile(opened, entry);
        } catch (IOException | RuntimeException refused) {
            opened.close();
            delete(file, !fits);
            throw refused;
        }
    }

    /**
     * Address of an entry's socket.
     *
     * @throws ConnectException a link whose socket is gone
     */
    public static UnixDomainSocketAddress address(Path entry) throws IOException {
        if (!Files.isSymbolicLink(entry)) {
            return UnixDomainSocketAddress.of(entry);
        }
        Path file = Files.readSymbolicLink(entry);
        if (!Files.exists(file)) {
            throw new ConnectException(file + " is gone");
        }
        return UnixDomainSocketAddress.of(file);
    }

    /** Deletes an entry and its socket, which nobody listens on. */
    public static void delete(Path entry) throws IOException {
        if (Files.isSymbolicLink(entry)) {
            delete(Files.readSymbolicLink(entry), true);
        }
        Files.deleteIfExists(entry);
    }

    private static void delete(Path file, boolean withDirectory) throws IOException {
        Files.deleteIfExists(file);
        if (withDirectory) {
            Files.deleteIfExists(file.getParent());
        }
    }

    /** Closes the socket and deletes the entry. */
    public void close() throws IOException {
        try {
            delete(entry);
        } finally {
            channel.close();
        }
    }
}
