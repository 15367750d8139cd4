// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.config;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * The links a user configured, in a text file of the user's own: {@code rdma link} needs no root and no kernel module with us, and every
 * process of the user sees the same devices. The file's header says what a line looks like. Comments are kept; a line that is not
 * understood is an error that names file and line, never skipped.
 *
 * <p>Without the file there are {@linkplain #effectiveLinks() default devices}; from the first change on the file rules alone.
 *
 * <p>Any thread, any number of processes: writers take a file lock in turn and replace the file in one step, readers need no lock.
 */
public final class LinkStore {
    /** Environment variable that names the directory of the file. */
    public static final String DIRECTORY_VARIABLE = "SOFTRDMA_STATE_DIR";

    private static final String FILE_NAME = "links";
    /** A character for a byte: comments in any encoding survive. What we write ourselves is ASCII. */
    private static final Charset BYTES = StandardCharsets.ISO_8859_1;
    private static final List<String> TYPES = List.of("rxe", "siw");
    /** What the kernel's device names allow (63 characters, no '/', no '%'), less what would break a line or a shell word. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,62}");
    private static final String HEADER = """
        # RDMA links of this user, kept by `rdma link add`, `set` and `delete`. One line each:
        #
        #   link NAME type TYPE netdev NETDEV [OPTION VALUE]...
        #
        # TYPE is rxe (RoCE) or siw (iWARP), NETDEV a network interface; OPTION may be fault, congestion, mpa, memlock, link
        # or roce, VALUE as `rdma link set NAME OPTION` takes it, or roce_mode, which `cma_roce_mode` keeps.
        # Lines that start with # are comments.
        # While this file exists, these are all the links there are. Remove it, and every interface that is up has one of each type again.
        """;

    /** File locks are the process's, not the thread's. */
    private static final ReentrantLock WRITERS = new ReentrantLock();

    private final Path file;

    private LinkStore(Path directory) {
        file = directory.resolve(FILE_NAME);
    }

    /** The user's store. Opening touches nothing; the directory appears with the first change. */
    public static LinkStore open() {
        return new LinkStore(StateDirectory.ofUser());
    }

    /** A store in {@code directory}. */
    public static LinkStore at(Path directory) {
        return new LinkStore(directory);
    }

    /** What can be seen of the file from outside: equal as long as it was not changed. */
    public record Version(FileTime modified, Object file) {
        private static final Version NO_FILE = new Version(null, null);
    }

    /**
     * The file's version now. Cheap: nothing is read.
     *
     * @throws VerbsException EACCES or EIO
     */
    public Version version() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new Version(attributes.lastModifiedTime(), attributes.fileKey());
        } catch (NoSuchFileException absent) {
            return Version.NO_FILE;
        } catch (IOException unreadable) {
            throw refused("read_links", unreadable);
        }
    }

    /** Where the links are kept, whether or not the file exists yet. */
    public Path file() {
        return file;
    }

    /** Whether the user has changed anything yet, so that the file rules. */
    public boolean isConfigured() {
        return Files.exists(file);
    }

    /**
     * The configured links, in the order they were added; empty without the file.
     *
     * @throws VerbsException EINVAL for a line that is not understood, naming file and line; EACCES or EIO if it cannot be read
     */
    public List<ConfiguredLink> links() {
        return parse(lines());
    }

    /**
     * The links there are: the configured ones, or, as long as nothing was ever configured, one of each type on every interface that is
     * up, by interface index: rxe0 on the loopback, rxe1 on the next, and so on, then siw0 on the loopback, and so on.
     */
    public List<ConfiguredLink> effectiveLinks() {
        List<String> lines = lines();
        return lines == null ? defaultLinks() : parse(lines);
    }

    /**
     * Adds a link. The first one ever replaces the default devices.
     *
     * @throws VerbsException EEXIST: the name is taken; EINVAL: name or type unusable; ENODEV: no such interface; EACCES or EIO: the file
     *     cannot be written
     */
    public void add(String name, String type, String netdev) {
        add(new ConfiguredLink(name, type, netdev, Map.of()));
    }

    /** As {@link #add(String, String, String)}, with options. */
    public void add(ConfiguredLink link) {
        checkName(link.name());
        if (!TYPES.contains(link.type())) {
            throw new VerbsException(Errno.EINVAL, "newlink", "there is no link type '" + link.type() + "'; there are: "
                + String.join(", ", TYPES));
        }
        if (NetDevice.find(link.netdev()) == null) {
            throw new VerbsException(Errno.ENODEV, "newlink", "no network interface '" + link.netdev() + "'; there are: "
                + String.join(", ", NetDevice.list().stream().map(NetDevice::name).toList()));
        }
        change(lines -> {
            List<String> kept = lines == null ? header() : lines;
            for (ConfiguredLink each : parse(kept)) {
                if (each.name().equals(link.name())) {
                    throw new VerbsException(Errno.EEXIST, "newlink", "link '" + link.name() + "' exists already, type " + each.type()
                        + " on " + each.netdev() + "; delete it first, or take another name");
                }
            }
            kept.add(format(link));
            return kept;
        });
    }

    /**
     * Removes a link. As long as nothing was ever configured this removes a default device, and the others become configured ones.
     *
     * @throws VerbsException ENODEV: no such link; EACCES or EIO: the file cannot be written
     */
    public void remove(String name) {
        change(lines -> {
            List<String> before = orDefaults(lines);
            before.remove(lineOf(name, before, "dellink"));
            return before;
        });
    }

    /**
     * Gives a link faults, or none. As long as nothing was ever configured, the default devices become configured ones.
     *
     * @throws VerbsException ENODEV: no such link; EACCES or EIO: the file cannot be written
     */
    public void setFaults(String name, LinkFaults faults) {
        set(name, link -> link.withFaults(faults));
    }

    /** Gives a link congestion control, or none; otherwise as {@link #setFaults}. */
    public void setCongestion(String name, CongestionControl congestion) {
        set(name, link -> link.withCongestion(congestion));
    }

    /** Has a link's connections set up like this; otherwise as {@link #setFaults}. */
    public void setMpa(String name, MpaOptions mpa) {
        set(name, link -> link.withMpa(mpa));
    }

    /** Has a link's registered memory count against the process's limit, or not; otherwise as {@link #setFaults}. */
    public void setMemoryLimit(String name, boolean limited) {
        set(name, link -> link.withMemoryLimit(limited));
    }

    /**
     * Says what carries a link's packets; otherwise as {@link #setFaults}.
     *
     * @param carrier as {@link ConfiguredLink#LINK_OPTION} has it
     * @throws VerbsException also EINVAL: not understood, or not with the link's versions of RoCE
     */
    public void setCarrier(String name, String carrier) {
        set(name, link -> checked(link.withCarrier(carrier)));
    }

    /** As {@link #setCarrier}, which versions of RoCE a link speaks. @param versions as {@link ConfiguredLink#ROCE_OPTION} has them */
    public void setVersions(String name, String versions) {
        set(name, link -> checked(link.withVersions(versions)));
    }

    /**
     * As {@link #setCarrier}, which version of RoCE connections by address use.
     *
     * @throws VerbsException also EINVAL: the link does not speak it
     */
    public void setRoceMode(String name, GidType mode) {
        set(name, link -> {
            if (!link.wire().types().contains(mode)) {
                throw new VerbsException(Errno.EINVAL, "setlink", name + " does not speak " + mode.text() + ", only "
                    + String.join(" and ", link.wire().types().stream().map(GidType::text).toList())
                    + "; rdma link set " + name + " link raw gives it both");
            }
            return link.withRoceMode(mode);
        });
    }

    private static ConfiguredLink checked(ConfiguredLink link) {
        link.wire();
        return link;
    }

    private void set(String name, UnaryOperator<ConfiguredLink> option) {
        change(lines -> {
            List<String> all = orDefaults(lines);
            int index = lineOf(name, all, "setlink");
            all.set(index, format(option.apply(parse(all.get(index), index + 1))));
            return all;
        });
    }

    private static List<String> orDefaults(List<String> lines) {
        if (lines != null) {
            return lines;
        }
        List<String> defaults = header();
        defaultLinks().stream().map(LinkStore::format).forEach(defaults::add);
        return defaults;
    }

    /** Where the link stands. */
    private int lineOf(String name, List<String> lines, String verb) {
        List<String> names = parse(lines).stream().map(ConfiguredLink::name).toList();
        for (int i = 0; i < lines.size(); i++) {
            ConfiguredLink link = parse(lines.get(i), i + 1);
            if (link != null && link.name().equals(name)) {
                return i;
            }
        }
        throw new VerbsException(Errno.ENODEV, verb, "no link '" + name + "'; there are: " + String.join(", ", names));
    }

    private static List<ConfiguredLink> defaultLinks() {
        List<ConfiguredLink> links = new ArrayList<>();
        List<NetDevice> devices = NetDevice.list();
        for (String type : TYPES) {
            int number = 0;
            for (NetDevice device : devices) {
                if (device.up()) {
                    links.add(new ConfiguredLink(type + number++, type, device.name(), Map.of()));
                }
            }
        }
        return links;
    }

    private static void checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new VerbsException(Errno.EINVAL, "newlink", "'" + name + "' cannot be a link's name: 1 to 63 of A-Z a-z 0-9 _ . : -, "
                + "the first a letter, digit or _");
        }
    }

    // --- the file ---

    private interface Change {
        /** @param lines what the file holds, null without one; may be changed and returned */
        List<String> apply(List<String> lines);
    }

    private static List<String> header() {
        return new ArrayList<>(HEADER.lines().toList());
    }

    private static String format(ConfiguredLink link) {
        StringBuilder line = new StringBuilder("link ").append(link.name()).append(" type ").append(link.type())
            .append(" netdev ").append(link.netdev());
        link.options().forEach((option, value) -> line.append(' ').append(option).append(' ').append(value));
        return line.toString();
    }

    private List<ConfiguredLink> parse(List<String> lines) {
        List<ConfiguredLink> links = new ArrayList<>();
        int number = 0;
        for (String line : lines == null ? List.<String>of() : lines) {
            ConfiguredLink link = parse(line, ++number);
            if (link == null) {
                continue;
            }
            for (ConfiguredLink each : links) {
                if (each.name().equals(link.name())) {
                    throw notUnderstood(number, "there is a link '" + link.name() + "' above", line);
                }
            }
            links.add(link);
        }
        return links;
    }

    /** Null for a comment or an empty line. */
    private ConfiguredLink parse(String line, int number) {
        String text = line.strip();
        if (text.isEmpty() || text.startsWith("#")) {
            return null;
        }
        String[] words = text.split("\\s+");
        if (words.length < 6 || !words[0].equals("link") || !words[2].equals("type") || !words[4].equals("netdev")) {
            throw notUnderstood(number, "expected 'link NAME type TYPE netdev NETDEV'", line);
        }
        if (!NAME.matcher(words[1]).matches()) {
            throw notUnderstood(number, "'" + words[1] + "' cannot be a link's name", line);
        }
        if (!TYPES.contains(words[3])) {
            throw notUnderstood(number, "there is no link type '" + words[3] + "', only " + String.join(", ", TYPES), line);
        }
        if (words.length % 2 != 0) {
            throw notUnderstood(number, "option '" + words[words.length - 1] + "' lacks its value", line);
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 6; i < words.length; i += 2) {
            options.put(words[i], words[i + 1]);
        }
        ConfiguredLink link = new ConfiguredLink(words[1], words[3], words[5], options);
        try {
            link.faults();
            link.congestion();
            link.mpa();
            link.limitsMemory();
            link.roceMode();
        } catch (VerbsException refused) {
            throw notUnderstood(number, refused.getMessage(), line);
        }
        return link;
    }

    private VerbsException notUnderstood(int number, String why, String line) {
        return new VerbsException(Errno.EINVAL, "read_links", file + ":" + number + ": " + why + ", found '" + line.strip()
            + "'; correct the line, or remove the file to start over");
    }

    /** Null without the file. */
    private List<String> lines() {
        try {
            return new ArrayList<>(Files.readAllLines(file, BYTES));
        } catch (NoSuchFileException absent) {
            return null;
        } catch (IOException unreadable) {
            throw refused("read_links", unreadable);
        }
    }

    private void change(Change change) {
        WRITERS.lock();
        try {
            Path directory = Files.createDirectories(file.toAbsolutePath().getParent());
            try (FileChannel lockFile = FileChannel.open(directory.resolve(FILE_NAME + ".lock"),
                    StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lockFile.lock();        // released with the channel
                replace(directory, change.apply(lines()));
            }
        } catch (IOException failed) {
            throw refused("write_links", failed);
        } finally {
            WRITERS.unlock();
        }
    }

    private void replace(Path directory, List<String> lines) throws IOException {
        Path fresh = Files.createTempFile(directory, FILE_NAME, ".new");
        try {
            Files.write(fresh, lines, BYTES);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private VerbsException refused(String verb, IOException failed) {
        Errno errno = failed instanceof AccessDeniedException ? Errno.EACCES : Errno.EIO;
        String reason = failed instanceof FileSystemException inFile && inFile.getReason() != null ? inFile.getReason()
            : failed.getClass().getSimpleName() + (failed.getMessage() == null ? "" : " " + failed.getMessage());
        return new VerbsException(errno, verb, file + " (" + reason + "); set " + DIRECTORY_VARIABLE
            + " to a directory of your own, or put this one's permissions right", failed);
    }
}
