// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that an export keeps open, and pages of its directories. */
class OpenFilesTest {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final NewAttributes READ_ONLY = new NewAttributes(0444, null, null, null, null, null);

    @TempDir
    Path directory;

    private Export export;
    private Changes changes;

    @BeforeEach
    void start() throws IOException {
        export = new Export(directory, false);
        changes = new Changes(export);
    }

    @AfterEach
    void end() throws IOException {
        export.close();
    }

    private FileHandle create(String name, NewAttributes attributes) throws NfsException {
        return changes.create(export.rootHandle(), name, attributes, true).file().handle();
    }

    private void write(FileHandle file, String text) throws NfsException {
        export.write(file, 0, ByteBuffer.wrap(text.getBytes()), false);
    }

    /** Names of this process's open files in the export. On systems without a list of them there is none to check. */
    private long open() throws IOException {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return 0;
        }
        String start = directory.toRealPath() + "/";
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.filter(each -> target(each).startsWith(start)).count();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closed) {
            return "";
        }
    }

    @Test
    void shouldWriteToAFileThatWasCreatedReadOnly() throws Exception {
        FileHandle file = create("f", READ_ONLY);
        write(file, "one");
        assertEquals("one", Files.readString(directory.resolve("f")));
        // After a restart nothing is open, and its owner writes all the same.
        end();
        start();
        write(file, "two");
        changes.setAttributes(file, new NewAttributes(null, null, null, 2L, null, null), null);
        export.commit(file);
        assertEquals("tw", Files.readString(directory.resolve("f")));
        assertEquals(0444, (int) Files.getAttribute(directory.resolve("f"), "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777);
    }

    @Test
    void shouldKeepABoundedNumberOfFilesOpen() throws Exception {
        int files = OpenFiles.CAPACITY + 20;
        FileHandle[] all = new FileHandle[files];
        for (int i = 0; i < files; i++) {
            all[i] = create("f" + i, READ_ONLY);
            write(all[i], "x" + i);
        }
        assertTrue(open() <= OpenFiles.CAPACITY, "open: " + open());
        for (int i = 0; i < files; i++) {
            write(all[i], "y" + i);
            assertEquals("y" + i, Files.readString(directory.resolve("f" + i)));
        }
        end();
        assertEquals(0, open());
    }

    @Test
    void shouldNotKeepAFileWithoutANameOpen() throws Exception {
        FileHandle file = create("f", NewAttributes.NONE);
        write(file, "text");
        changes.link(file, export.rootHandle(), "g");
        changes.remove(export.rootHandle(), "f");
        write(file, "more");
        changes.rename(export.rootHandle(), "g", export.rootHandle(), "h");
        changes.remove(export.rootHandle(), "h");
        create("victim", NewAttributes.NONE);
        create("w", NewAttributes.NONE);
        changes.rename(export.rootHandle(), "w", export.rootHandle(), "victim");
        assertEquals(Files.isDirectory(DESCRIPTORS) ? 1 : 0, open());
        assertEquals(NfsStatus.STALE, assertThrows(NfsException.class, () -> write(file, "gone")).status());
    }

    @Test
    void shouldListWhatWasJustCreatedAndRemoved() throws Exception {
        for (int i = 0; i < 50; i++) {
            create("f" + i, NewAttributes.NONE);
            assertEquals(i + 1, names());
        }
        for (int i = 0; i < 50; i++) {
            changes.remove(export.rootHandle(), "f" + i);
            assertEquals(49 - i, names());
        }
    }

    private int names() throws NfsException {
        return export.reading(() -> export.listings().after(export.locate(export.rootHandle()), 0).size());
    }
}
