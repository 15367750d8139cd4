// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.tools.ToolRun;
import org.softrdma.tools.cli.ToolFailure;

class TextFilesTest {
    @TempDir
    private Path directory;

    private void assertRefused(String expected, String... words) {
        ToolFailure refused = assertThrows(ToolFailure.class,
            () -> ToolRun.of(console -> new FabricTool().run("fabric", List.of(words), console)));

        assertEquals(expected, refused.getMessage());
    }

    @Test
    void shouldSayWhichTopologyCannotBeReadAndWhy() throws IOException {
        Path file = directory.resolve("net");
        assertRefused("softrdma fabric: " + file + ": there is no such file", "run", file.toString());

        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertRefused("softrdma fabric: " + file + ": it is not text in UTF-8", "run", file.toString());

        Files.writeString(file, "include \"other\"\n");
        assertRefused("softrdma fabric: " + directory.resolve("other") + ": there is no such file", "run", file.toString());
    }

    @Test
    void shouldSayWhichPartitionsCannotBeRead() {
        Path file = directory.resolve("partitions.conf");
        ToolFailure refused = assertThrows(ToolFailure.class,
            () -> ToolRun.of(console -> new SmTool().run("sm", List.of("--node", "h1", "-P", file.toString()), console)));

        assertEquals("softrdma sm: " + file + ": there is no such file", refused.getMessage());
    }
}
