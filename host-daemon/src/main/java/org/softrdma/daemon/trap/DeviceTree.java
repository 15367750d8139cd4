// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A private directory with what programs see as {@code /sys/class/infiniband*} and {@code /dev/infiniband}: real files and directories, so
 * that programs list and read them natively once they are open. Devices are empty files here, whose status is answered as a device's.
 * Brought up to date when a program opens something; removed by {@link #close}. Any thread.
 */
public final class DeviceTree implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DeviceTree.class.getName());
    /** How old the files may be when a program opens one, in milliseconds. */
    public static final long FRESH_MS = 250;

    private static final long FRESH_NS = FRESH_MS * 1_000_000;

    private final Path root;
    private final String rootText;
    private final DeviceSource source;
    /** Texts of the files written, by path below the root; guarded by this object's monitor. */
    private final Map<String, String> written = new HashMap<>();
    private volatile Map<String, DeviceNode> nodes = Map.of();
    private long refreshedNs;
    private boolean everRefreshed;

    /**
     * Creates the directory.
     *
     * @param root   its path, which must not exist; its parent must
     * @param source what to show
     * @throws VerbsException EIO: the directory cannot be written
     */
    public DeviceTree(Path root, DeviceSource source) {
        this.source = source;
        try {
            Files.createDirectory(root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            this.root = root.toRealPath();
        } catch (IOException failed) {
            throw failure(failed);
        }
        rootText = this.root.toString();
        try {
            refresh();
        } catch (RuntimeException | Error failed) {
            close();
            throw failed;
        }
    }

    /** Brings the files up to date, unless that was done a moment ago. A failure of the source leaves the files as they are. */
    synchronized void refresh() {
        long now = System.nanoTime();
        if (everRefreshed && now - refreshedNs < FRESH_NS) {
            return;
        }
        try {
            write();
        } catch (VerbsException refused) {
            if (!everRefreshed) {
                throw refused;
            }
            LOG.log(System.Logger.Level.WARNING, "the devices that programs see are not up to date: " + refused.getMessage());
        }
        refreshedNs = System.nanoTime();
        everRefreshed = true;
    }

    private void write() {
        Map<String, String> wanted = new HashMap<>();
        source.sysfs().forEach((path, text) -> wanted.put("sys/" + path, text));
        Map<String, DeviceNode> byName = new HashMap<>();
        for (DeviceNode node : source.nodes()) {
            byName.put(node.name(), node);
            wanted.put(DevicePaths.DEVICES.substring(1) + '/' + node.name(), "");
        }
        nodes = Map.copyOf(byName);
        try {
            removeOthers(wanted.keySet());
            for (Map.Entry<String, String> each : wanted.entrySet()) {
                write(each.getKey(), each.getValue());
            }
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    /** Writes into the existing file: libibverbs compares the times of a device's directory. */
    private void write(String path, String text) throws IOException {
        String before = written.get(path);
        if (text.equals(before)) {
            return;
        }
        Path file = root.resolve(path);
        if (path.endsWith("/")) {
            Files.createDirectories(file);
        } else {
            Files.createDirectories(file.getParent());
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
                int length = bytes.remaining();
                channel.write(bytes, 0);
                channel.truncate(length);
            }
        }
        written.put(path, text);
    }

    private void removeOthers(Set<String> wanted) throws IOException {
        Set<Path> keep = new HashSet<>();
        for (String path : wanted) {
            for (Path each = root.resolve(path); !each.equals(root); each = each.getParent()) {
                keep.add(each);
            }
        }
        for (String path : Set.copyOf(written.keySet())) {
            if (!wanted.contains(path)) {
                written.remove(path);
                for (Path each = root.resolve(path); !each.equals(root) && !keep.contains(each); each = each.getParent()) {
                    if (!isEmptyOrFile(each)) {
                        break;
                    }
                    Files.deleteIfExists(each);
                }
            }
        }
    }

    private static boolean isEmptyOrFile(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return true;
        }
        try (var entries = Files.newDirectoryStream(path)) {
            return !entries.iterator().hasNext();
        }
    }

    /** The device of a name below {@code /dev/infiniband}; null if there is none. */
    DeviceNode node(String name) {
        return nodes.get(name);
    }

    /** The path of a file here that programs see under {@code path}. */
    String file(String path) {
        return rootText + path;
    }

    /** The path under which programs know a file, which may be one of these: they have descriptors of directories here. */
    String seen(String path) {
        return path.startsWith(rootText) && (path.length() == rootText.length() || path.charAt(rootText.length()) == '/')
            ? path.substring(rootText.length()) : path;
    }

    /** Removes the directory. */
    @Override
    public synchronized void close() {
        try {
            delete(root);
        } catch (IOException | UncheckedIOException left) {
            LOG.log(System.Logger.Level.WARNING, "files are left in " + root, left);
        }
    }

    /**
     * Removes such a directory of a process that has ended.
     *
     * @throws IOException it cannot be removed
     */
    public static void delete(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
                if (failed instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failed;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failed) throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static VerbsException failure(IOException failed) {
        return new VerbsException(Errno.EIO, "open_device", "the files of devices cannot be written: " + failed, failed);
    }
}
