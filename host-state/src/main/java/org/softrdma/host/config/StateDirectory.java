// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Directory of a user's state: {@code SOFTRDMA_STATE_DIR}, otherwise the platform's usual place. */
public final class StateDirectory {
    /** Java's name for a home directory that is not known, as that of a container's user who is in no list. */
    private static final String UNKNOWN = "?";
    /** The process, whose files belong to its user, where there is such a file system. */
    private static final Path THIS_PROCESS = Path.of("/proc/self");
    private static final String NUMBER_OF_USER = "unix:uid";

    private StateDirectory() {
    }

    /**
     * The directory of this process's user, absolute. It need not exist.
     *
     * @throws VerbsException EACCES: the user has no home directory, and the place for such users belongs to another one
     */
    public static Path ofUser() {
        Path chosen = of(System.getenv(), System.getProperty("os.name"), System.getProperty("user.home"));
        return (chosen != null ? chosen : ofHomelessUser(Path.of(System.getProperty("java.io.tmpdir")), THIS_PROCESS)).toAbsolutePath();
    }

    /**
     * The directory of a user without a home directory, among the temporary files. It is created at once, so that no other user can.
     *
     * @param temporary directory
     * @param own       a file of the user
     */
    static Path ofHomelessUser(Path temporary, Path own) {
        try {
            Object user = Files.getAttribute(own, NUMBER_OF_USER);
            Path directory = temporary.resolve("softrdma-" + user);
            create(directory);
            if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && user.equals(Files.getAttribute(directory, NUMBER_OF_USER, LinkOption.NOFOLLOW_LINKS))) {
                return directory;
            }
            throw new VerbsException(Errno.EACCES, "state", directory + " belongs to another user; " + LinkStore.DIRECTORY_VARIABLE
                + " names another directory");
        } catch (IOException failed) {
            throw new VerbsException(Errno.EACCES, "state", "this user has no home directory, and no directory among the temporary files ("
                + failed + "); set HOME or " + LinkStore.DIRECTORY_VARIABLE);
        }
    }

    /**
     * Creates a directory for state if it does not exist, with those above it. Where files have permissions, only the user has any on new
     * ones: another user could lock files that may be read, which would keep processes of this one waiting. Existing directories stay as
     * they are. Source: XDG Base Directory Specification, which has such directories created with 0700.
     *
     * @return the directory
     */
    public static Path create(Path directory) throws IOException {
        boolean posix = directory.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] privately =
            posix ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))}
                : new FileAttribute<?>[0];
        return Files.createDirectories(directory, privately);
    }

    /**
     * The user's home directory as shells and the launcher see it: the variable HOME, which isolates containers and tests, otherwise the
     * user's entry in the system's list. Windows has no such variable, except in shells that bring their own.
     */
    private static String home(Map<String, String> environment, boolean windows, String listed) {
        String chosen = environment.getOrDefault("HOME", "");
        return windows || chosen.isEmpty() ? listed : chosen;
    }

    /**
     * Chooses the directory.
     *
     * @param environment variables of the process
     * @param osName      as in the system property {@code os.name}
     * @param listed      the user's home directory in the system's list of users, as in the system property {@code user.home}
     * @return null if the user has no home directory
     */
    static Path of(Map<String, String> environment, String osName, String listed) {
        String chosen = environment.getOrDefault(LinkStore.DIRECTORY_VARIABLE, "");
        if (!chosen.isEmpty()) {
            return Path.of(chosen);
        }
        String xdg = environment.getOrDefault("XDG_STATE_HOME", "");
        if (!xdg.isEmpty()) {
            return Path.of(xdg, "softrdma");
        }
        String os = osName.toLowerCase(Locale.ROOT);
        String home = home(environment, os.startsWith("windows"), listed);
        if (home.equals(UNKNOWN)) {
            return null;
        }
        if (os.startsWith("mac")) {
            return Path.of(home, "Library", "Application Support", "softrdma");
        }
        if (os.startsWith("windows")) {
            String local = environment.getOrDefault("LOCALAPPDATA", "");
            return local.isEmpty() ? Path.of(home, "AppData", "Local", "softrdma") : Path.of(local, "softrdma");
        }
        return Path.of(home, ".local", "state", "softrdma");
    }
}
