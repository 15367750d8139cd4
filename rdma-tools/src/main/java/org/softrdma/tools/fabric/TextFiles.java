// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.fabric;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.softrdma.tools.cli.ToolFailure;

/** Files that the user names. */
final class TextFiles {
    private TextFiles() {
    }

    /**
     * Reads a file.
     *
     * @param tool for the message
     * @throws ToolFailure with the file and what is wrong with it
     */
    static String read(String tool, Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            String why = switch (unreadable) {
                case NoSuchFileException missing -> "there is no such file";
                case AccessDeniedException denied -> "this user may not read it";
                case CharacterCodingException binary -> "it is not text in UTF-8";
                default -> unreadable.getMessage();
            };
            throw new ToolFailure(tool + ": " + file + ": " + why);
        }
    }
}
