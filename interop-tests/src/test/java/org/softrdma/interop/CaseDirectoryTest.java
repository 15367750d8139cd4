// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaseDirectoryTest {
    private static final String FILE = "capture.txt";

    @TempDir
    Path lab;

    @Test
    void shouldKeepTheTryBefore() throws IOException {
        leave("first");
        leave("second");
        assertEquals("first", leftIn("case-before"));
        leave("third");
        assertEquals("second", leftIn("case-before"));
        assertEquals("third", leftIn("case"));
    }

    @Test
    void shouldDeleteWhatEarlierProcessesLeft() throws IOException {
        Path old = Files.createDirectories(lab.resolve("case/deep"));
        Files.writeString(old.resolve(FILE), "old");
        Files.createDirectories(lab.resolve("case-before"));
        leave("new");
        assertFalse(Files.exists(old));
        assertFalse(Files.exists(lab.resolve("case-before")));
    }

    @Test
    void shouldMakeADirectoryThatIsGone() throws IOException {
        Files.delete(CaseDirectory.make(lab.resolve("case")));
        leave("again");
        assertEquals("again", leftIn("case"));
    }

    private void leave(String text) throws IOException {
        Files.writeString(CaseDirectory.make(lab.resolve("case")).resolve(FILE), text);
    }

    private String leftIn(String directory) throws IOException {
        return Files.readString(lab.resolve(directory).resolve(FILE));
    }
}
