// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Descriptors above the standard streams that the parent of this process left open for it: {@code 3<file} of a shell, the pipes of make's
 * job server. A program that runs in this process's place expects them.
 */
public final class InheritedDescriptors {
    private static final int FIRST = 3;

    private InheritedDescriptors() {
    }

    /**
     * Finds the descriptors: those that are not closed on exec, except files of the JVM, which are its modules and archives.
     * To be called early, before a library opens others.
     *
     * @return for {@link ProcessSpawn#prepare}; at most as many as it takes, the lowest ones
     */
    public static int[] find() {
        Set<String> jvmFiles = jvmFiles();
        // The list itself is closed before its entries are examined.
        return Arrays.stream(open()).filter(fd -> fd >= FIRST && fd < ProcessSpawn.MAX_INHERITED_NUMBER && isInherited(fd, jvmFiles))
            .sorted().limit(ProcessSpawn.MAX_INHERITED).toArray();
    }

    private static int[] open() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.mapToInt(each -> Integer.parseInt(each.getFileName().toString())).toArray();
        } catch (IOException hidden) {
            return new int[0];
        }
    }

    private static boolean isInherited(int fd, Set<String> jvmFiles) {
        int self = (int) ProcessHandle.current().pid();
        int flags = ProcessInfo.fdFlags(self, fd);
        String link = ProcessInfo.fdLink(self, fd);
        return flags != ProcessInfo.UNKNOWN && (flags & Descriptors.O_CLOEXEC) == 0 && link != null
            && !link.startsWith(System.getProperty("java.home") + File.separator) && !jvmFiles.contains(link);
    }

    /** Real paths of the archives on the class path and the module path. */
    private static Set<String> jvmFiles() {
        String paths = System.getProperty("java.class.path", "") + File.pathSeparator + System.getProperty("jdk.module.path", "");
        Set<String> files = new HashSet<>();
        for (String each : paths.split(File.pathSeparator)) {
            try {
                files.add(Path.of(each).toRealPath().toString());
            } catch (IOException absent) {
                // An entry without a file is not open.
            }
        }
        return files;
    }
}
