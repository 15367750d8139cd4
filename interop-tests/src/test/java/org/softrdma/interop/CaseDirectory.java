// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Directories of cases, where they leave the output of both ends and their captures. */
final class CaseDirectory {
    private static final Set<Path> MADE = ConcurrentHashMap.newKeySet();

    private CaseDirectory() {
    }

    /**
     * Makes an empty directory. The one before that this process made is kept beside it, with "-before" in its name: a case that is tried
     * again has failed. What earlier processes left is deleted.
     */
    static Path make(Path directory) throws IOException {
        Path before = directory.resolveSibling(directory.getFileName() + "-before");
        delete(before);
        if (MADE.add(directory)) {
            delete(directory);
        } else if (Files.exists(directory)) {
            Files.move(directory, before);
        }
        return Files.createDirectories(directory);
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> old = Files.walk(directory)) {
            for (Path each : old.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
