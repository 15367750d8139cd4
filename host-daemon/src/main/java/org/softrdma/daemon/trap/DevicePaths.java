// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.softrdma.linux.process.Descriptors;
import org.softrdma.linux.process.ProcessInfo;

/**
 * Paths of programs that mean devices or their files in sysfs: {@code /dev/infiniband} and {@code /sys/class/infiniband*} with everything
 * below, and {@code /sys/class/misc/rdma_cm}. Nearly all paths of a program are none of these, which a look at their bytes shows.
 */
final class DevicePaths {
    /** Directory of the devices. */
    static final String DEVICES = "/dev/infiniband";

    private static final String SYSFS = "/sys/class/infiniband";
    private static final String SYSFS_CM = "/sys/class/misc/rdma_cm";
    /** One of these words is in every path of ours. */
    private static final byte[][] WORDS = {ascii("infiniband"), ascii("rdma_cm")};
    /** Names of devices relative to their directory. */
    private static final byte[][] RELATIVE_WORDS = {ascii("uverbs"), ascii("umad")};

    private final DeviceTree tree;

    DevicePaths(DeviceTree tree) {
        this.tree = tree;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether a path may be ours: false for nearly all. Allocates nothing. */
    static boolean mayBeOurs(MemorySegment path, int length) {
        if (contains(path, length, WORDS[0]) || contains(path, length, WORDS[1])) {
            return true;
        }
        return path.get(JAVA_BYTE, 0) != '/' && (contains(path, length, RELATIVE_WORDS[0]) || contains(path, length, RELATIVE_WORDS[1]));
    }

    private static boolean contains(MemorySegment path, int length, byte[] word) {
        byte first = word[0];
        for (int at = 0; at + word.length <= length; at++) {
            if (path.get(JAVA_BYTE, at) == first && isAt(path, at, word)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAt(MemorySegment path, int at, byte[] word) {
        for (int i = 1; i < word.length; i++) {
            if (path.get(JAVA_BYTE, at + i) != word[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Finds what a path means.
     *
     * @param directory descriptor that a relative path begins at, or {@link Descriptors#AT_FDCWD}
     * @return null if it is not ours
     */
    Place resolve(int tid, int directory, String path) {
        String absolute = path;
        if (!path.startsWith("/")) {
            String base = directory == Descriptors.AT_FDCWD ? ProcessInfo.workingDirectory(tid) : ProcessInfo.fdLink(tid, directory);
            if (base == null || !base.startsWith("/")) {
                return null;
            }
            absolute = tree.seen(base) + '/' + path;
        }
        return place(normal(absolute));
    }

    private Place place(String path) {
        if (isBelow(path, DEVICES)) {
            return new Place(tree.node(path.substring(Math.min(path.length(), DEVICES.length() + 1))), tree.file(path));
        }
        return path.startsWith(SYSFS) || isBelow(path, SYSFS_CM) ? new Place(null, tree.file(path)) : null;
    }

    private static boolean isBelow(String path, String directory) {
        return path.startsWith(directory) && (path.length() == directory.length() || path.charAt(directory.length()) == '/');
    }

    /** The path without empty parts, {@code .} and {@code ..}: there are no symbolic links on ours. */
    static String normal(String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : path.split("/")) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.addLast(part);
            }
        }
        // A directory is meant by a slash at the end, and a device is none.
        return '/' + String.join("/", parts) + (path.endsWith("/") ? "/" : "");
    }
}
