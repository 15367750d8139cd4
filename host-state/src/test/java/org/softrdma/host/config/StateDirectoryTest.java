// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class StateDirectoryTest {
    @Test
    void shouldPreferTheVariableOverXdgOverThePlatform() {
        assertEquals(Path.of("/a"), linux(Map.of("SOFTRDMA_STATE_DIR", "/a", "XDG_STATE_HOME", "/b")));
        assertEquals(Path.of("/b/softrdma"), linux(Map.of("SOFTRDMA_STATE_DIR", "", "XDG_STATE_HOME", "/b")));
        assertEquals(Path.of("/home/u/.local/state/softrdma"), linux(Map.of()));
    }

    /** Order of the XDG base directory specification: its variable, then HOME; HOME is what the launcher and every shell use. */
    @Test
    void shouldPreferHomeOverTheListOfUsers() {
        assertEquals(Path.of("/h/.local/state/softrdma"), linux(Map.of("HOME", "/h")));
        assertEquals(Path.of("/home/u/.local/state/softrdma"), linux(Map.of("HOME", "")));
        assertEquals(Path.of("/b/softrdma"), linux(Map.of("HOME", "/h", "XDG_STATE_HOME", "/b")));
        assertEquals(Path.of("/h/Library/Application Support/softrdma"), StateDirectory.of(Map.of("HOME", "/h"), "Mac OS X", "/Users/u"));
        assertEquals(Path.of("/u/AppData/Local/softrdma"), StateDirectory.of(Map.of("HOME", "/h"), "Windows 11", "/u"));
    }

    @Test
    void shouldFollowThePlatform() {
        assertEquals(Path.of("/Users/u/Library/Application Support/softrdma"), StateDirectory.of(Map.of(), "Mac OS X", "/Users/u"));
        assertEquals(Path.of("/l/softrdma"), StateDirectory.of(Map.of("LOCALAPPDATA", "/l"), "Windows 11", "/u"));
        assertEquals(Path.of("/u/AppData/Local/softrdma"), StateDirectory.of(Map.of(), "Windows 11", "/u"));
    }

    /** Permissions of the XDG base directory specification. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldKeepOthersOutOfNewDirectoriesOnly(@TempDir Path home) throws IOException {
        Path shared = Files.createDirectory(home.resolve("shared"), PosixFilePermissions.asFileAttribute(fromString("rwxr-xr-x")));
        Path state = StateDirectory.create(shared.resolve("state/softrdma"));
        assertEquals(fromString("rwx------"), Files.getPosixFilePermissions(state));
        assertEquals(fromString("rwx------"), Files.getPosixFilePermissions(state.getParent()));
        StateDirectory.create(shared);
        assertEquals(fromString("rwxr-xr-x"), Files.getPosixFilePermissions(shared));
    }

    /** As with the user of a container who is in no list: Java then calls the home directory "?", and took it for a relative path. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldGiveAUserWithoutHomeADirectoryAmongTheTemporaryFiles(@TempDir Path temporary) throws IOException {
        assertNull(StateDirectory.of(Map.of("HOME", ""), "Linux", "?"));
        assertEquals(Path.of("/h/.local/state/softrdma"), StateDirectory.of(Map.of("HOME", "/h"), "Linux", "?"));

        Path own = Files.createFile(temporary.resolve("own"));
        Path state = StateDirectory.ofHomelessUser(temporary, own);
        assertEquals(temporary.resolve("softrdma-" + Files.getAttribute(own, "unix:uid")), state);
        assertEquals(fromString("rwx------"), Files.getPosixFilePermissions(state));
        assertEquals(state, StateDirectory.ofHomelessUser(temporary, own), "the second process of the user");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldNotUseALinkThatAnotherUserMayHaveMade(@TempDir Path temporary) throws IOException {
        Path own = Files.createFile(temporary.resolve("own"));
        Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
        Files.createSymbolicLink(temporary.resolve("softrdma-" + Files.getAttribute(own, "unix:uid")), elsewhere);

        VerbsException refused = assertThrows(VerbsException.class, () -> StateDirectory.ofHomelessUser(temporary, own));
        assertEquals(Errno.EACCES, refused.errno());
    }

    private static Path linux(Map<String, String> environment) {
        return StateDirectory.of(environment, "Linux", "/home/u");
    }
}
