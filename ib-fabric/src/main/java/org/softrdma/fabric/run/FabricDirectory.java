// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.run;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.ListeningFile;
import org.softrdma.host.inspect.ProcessDirectory;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Directory of the sockets of one user's running fabrics, by name. It is private to the user, and the same in all network namespaces: ports
 * of one fabric can be used in several.
 */
public final class FabricDirectory {
    /** Name of a fabric unless another one is chosen. */
    public static final String DEFAULT_NAME = "fabric0";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,32}");
    private static final String SUFFIX = ".sock";
    private static final String OWNER_ALONE = "rwx------";

    private final Path path;

    /**
     * The directory within a state directory; it need not exist.
     *
     * @param state the user's state directory
     */
    public FabricDirectory(Path state) {
        path = state.toAbsolutePath().resolve("fabrics");
    }

    public static FabricDirectory ofUser() {
        return new FabricDirectory(StateDirectory.ofUser());
    }

    /**
     * Checks a name.
     *
     * @throws VerbsException EINVAL
     */
    public static String checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new VerbsException(Errno.EINVAL, "fabric", "'" + name + "' is no name of a fabric: 1 to 32 letters, digits and _ . -");
        }
        return name;
    }

    private Path entry(String name) {
        return path.resolve(checkName(name) + SUFFIX);
    }

    /**
     * Listens under a name.
     *
     * @throws VerbsException EADDRINUSE: a fabric of that name runs; EIO
     */
    ListeningFile listen(String name) {
        Path entry = entry(name);
        try {
            Files.createDirectories(path);
            ProcessDirectory.keepOthersOut(path, OWNER_ALONE);
            if (isAlive(entry)) {
                throw new VerbsException(Errno.EADDRINUSE, "fabric", "a fabric named " + name + " runs; choose another name (--name)");
            }
            ListeningFile.delete(entry);
            return ListeningFile.listen(entry);
        } catch (IOException failed) {
            throw new VerbsException(Errno.EIO, "fabric", entry + ": " + failed.getMessage(), failed);
        }
    }

    private static boolean isAlive(Path entry) {
        try (SocketChannel channel = SocketChannel.open(ListeningFile.address(entry))) {
            return channel.isConnected();
        } catch (IOException dead) {
            return false;
        }
    }

    /**
     * Connects to a running fabric.
     *
     * @throws VerbsException ENODEV: none of that name runs
     */
    public SocketChannel connect(String name) {
        Path entry = entry(name);
        try {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(ListeningFile.address(entry));
                return channel;
            } catch (IOException refused) {
                channel.close();
                throw refused;
            }
        } catch (IOException refused) {
            List<String> running = running();
            throw new VerbsException(Errno.ENODEV, "fabric", "no fabric named " + name + " runs"
                + (running.isEmpty() ? "; start one: softrdma fabric run TOPOLOGY" : ", but " + String.join(", ", running)), refused);
        }
    }

    /** Names of the fabrics that run. */
    public List<String> running() {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*" + SUFFIX)) {
            for (Path each : files) {
                String file = each.getFileName().toString();
                if (isAlive(each)) {
                    names.add(file.substring(0, file.length() - SUFFIX.length()));
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException unreadable) {
            throw new VerbsException(Errno.EIO, "fabric", path + ": " + unreadable.getMessage(), unreadable);
        }
        names.sort(null);
        return names;
    }
}
