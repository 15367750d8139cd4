// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests on Linux of child processes, which write what they saw into a file. */
abstract class ChildTests {
    @TempDir
    Path directory;

    @BeforeAll
    static void assumeLinux() {
        Commands.assumeLinux();
    }

    /** The file that a test's child writes. */
    final Path out() {
        return directory.resolve("out");
    }
}
