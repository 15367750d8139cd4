// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The links a user configured, in a text file of the user's own: unlike the kernel's, they need no root and no module, and every process
 * of the user sees the same devices. The header of the file describes its lines, whose options are those that the {@linkplain LinkType
 * types} declare. Comments are kept; a line that is not understood is an error that names file and line.
 *
 * <p>Without the file there are {@linkplain #effectiveLinks() default devices}; from the first change on, the file alone decides.
 *
 * <p>Any thread, any number of processes: writers serialize on a file lock and replace the file atomically, readers need no lock.
 */
public final class LinkStore {
    /** Environment variable that names the directory of the file. */
    public static final String DIRECTORY_VARIABLE = "SOFTRDMA_STATE_DIR";

    private static final String FILE_NAME = "links";
    /** One character per byte, so that comments in any encoding survive. Lines written here are ASCII. */
    private static final Charset BYTES = StandardCharsets.ISO_8859_1;
    /** Names that the kernel allows for devices (63 characters, no '/', no '%'), less those that would break a line or a shell word. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,62}");

    /** Serializes the threads of this process: file locks belong to the whole process. */
    private static final ReentrantLock WRITERS = new ReentrantLock();

    private final Path file;

    private LinkStore(Path directory) {
        file = directory.resolve(FILE_NAME);
    }

    /** Opens the user's store. Nothing is created until the first change. */
    public static LinkStore open() {
        return new LinkStore(StateDirectory.ofUser());
    }

    /** Opens a store in {@code directory}, which need not exist yet. */
    public static LinkStore at(Path directory) {
        return new LinkStore(directory);
    }

    /** State of the file as seen from outside: equal until the file changes. */
    public record Version(FileTime modified, Object file) {
        private static final Version NO_FILE = new Version(null, null);
    }

    /**
     * The file's version now. Cheap: the content is not read.
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

    /** Path of the file, whether or not it exists yet. */
    public Path file() {
        return file;
    }

    /** Whether the file exists, so that there are no default devices. */
    public boolean isConfigured() {
        return Files.exists(file);
    }

    /**
     * The configured links, in the order they were added; empty without the file.
     *
     * @throws VerbsException EINVAL for a line that is not understood, naming file and line; EACCES or EIO if it cannot be read
     */
    public List<ConfiguredLink> links() {
        return parse(lines(), Foreign.REFUSED);
    }

    /**
     * The links there are: the configured ones, or, without the file, one of each type on every interface that is up, by interface index.
     * Of a type named {@code x} those are x0 on the loopback interface, x1 on the next one, and so on.
     *
     * @throws VerbsException as {@link #links} does
     */
    public List<ConfiguredLink> effectiveLinks() {
        List<String> lines = lines();
        return lines == null ? defaultLinks() : parse(lines, Foreign.REFUSED);
    }

    /**
     * The links there are, for a process in which the providers of some of them may be missing: the options of such links are not checked.
     *
     * @throws VerbsException EINVAL for a line that is not understood, naming file and line; EACCES or EIO if it cannot be read
     */
    List<ConfiguredLink> linksOfAnyType() {
        List<String> lines = lines();
        return lines == null ? defaultLinks() : parse(lines, Foreign.ACCEPTED);
    }

    /**
     * Finds a configured link. As with {@link #linksOfAnyType}, links of other types need no provider in this process.
     *
     * @return null if the file does not exist or has no link of that name
     * @throws VerbsException EINVAL for a line that is not understood, naming file and line; EACCES or EIO if it cannot be read
     */
    public ConfiguredLink find(String name) {
        for (ConfiguredLink each : parse(lines(), Foreign.ACCEPTED)) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Adds a link without options. The first link ever added replaces the default devices.
     *
     * @throws VerbsException EEXIST: the name is taken; EINVAL: name or type unusable; ENODEV: no such interface; EACCES or EIO: the file
     *     cannot be written
     */
    public void add(String name, String type, String netdev) {
        add(new ConfiguredLink(name, type, netdev, Map.of()));
    }

    /**
     * Adds a link. The first link ever added replaces the default devices.
     *
     * @throws VerbsException EEXIST: the name is taken; EINVAL: name, type or options unusable; ENODEV: no such interface; EACCES or EIO:
     *     the file cannot be written
     */
    public void add(ConfiguredLink link) {
        checkName(link.name());
        LinkType type = LinkTypes.find(link.type());
        if (type == null) {
            throw new VerbsException(Errno.EINVAL, "newlink", "there is no link type '" + link.type() + "'; there are: "
                + String.join(", ", LinkTypes.names()));
        }
        checkOptions(type, link);
        if (type.isOnInterface() && NetDevice.find(link.netdev()) == null) {
            throw new VerbsException(Errno.ENODEV, "newlink", "no network interface '" + link.netdev() + "'; there are: "
                + String.join(", ", NetDevice.list().stream().map(NetDevice::name).toList()));
        }
        change(lines -> {
            List<String> kept = lines == null ? header() : lines;
            for (ConfiguredLink each : parse(kept, Foreign.REFUSED)) {
                if (each.name().equals(link.name())) {
                    throw new VerbsException(Errno.EEXIST, "newlink", "link '" + link.name() + "' exists already, type " + each.type()
                        + (each.netdev().isEmpty() ? "" : " on " + each.netdev()) + "; delete it first, or use another name");
                }
            }
            kept.add(format(link));
            return kept;
        });
    }

    /**
     * Removes a link. Without the file this removes a default device, and the others become configured ones.
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
     * Sets an option of a link. Without the file the default devices become configured ones.
     *
     * @throws VerbsException ENODEV: no such link; EOPNOTSUPP: links of its type do not have the option; EINVAL: it does not go with the
     *     link's other options; EACCES or EIO: the file cannot be written
     */
    public <T> void set(String name, LinkOption<T> option, T value) {
        update(name, link -> {
            LinkType type = LinkTypes.find(link.type());
            if (!type.options().contains(option)) {
                throw new VerbsException(Errno.EOPNOTSUPP, "setlink", name + " is of type " + type.name() + ", whose options are: "
                    + names(type.options()));
            }
            return link.with(option, value);
        });
    }

    /**
     * Changes a link under the lock of the file: what {@code change} reads is what it replaces.
     *
     * @param change returns the link with other options; may throw
     * @throws VerbsException as {@link #set} does
     */
    public void update(String name, UnaryOperator<ConfiguredLink> change) {
        change(lines -> {
            List<String> all = orDefaults(lines);
            int index = lineOf(name, all, "setlink");
            ConfiguredLink changed = change.apply(parse(all.get(index), index + 1, Foreign.REFUSED));
            checkOptions(LinkTypes.find(changed.type()), changed);
            all.set(index, format(changed));
            return all;
        });
    }

    private static void checkOptions(LinkType type, ConfiguredLink link) {
        link.options().forEach((name, value) -> {
            LinkOption<?> option = type.option(name);
            if (option == null) {
                throw new VerbsException(Errno.EINVAL, "setlink", "links of type " + type.name() + " have no option '" + name
                    + "'; there are: " + names(type.options()));
            }
            option.parse(value);
        });
        type.check(link);
    }

    private static String names(List<LinkOption<?>> options) {
        return String.join(", ", options.stream().map(LinkOption::name).toList());
    }

    private static List<String> orDefaults(List<String> lines) {
        if (lines != null) {
            return lines;
        }
        List<String> defaults = header();
        defaultLinks().stream().map(LinkStore::format).forEach(defaults::add);
        return defaults;
    }

    /** Index of a link's line; ENODEV if there is none. */
    private int lineOf(String name, List<String> lines, String verb) {
        List<String> names = parse(lines, Foreign.REFUSED).stream().map(ConfiguredLink::name).toList();
        for (int i = 0; i < lines.size(); i++) {
            ConfiguredLink link = parse(lines.get(i), i + 1, Foreign.REFUSED);
            if (link != null && link.name().equals(name)) {
                return i;
            }
        }
        throw new VerbsException(Errno.ENODEV, verb, "no link '" + name + "'; there are: " + String.join(", ", names));
    }

    private static List<ConfiguredLink> defaultLinks() {
        List<ConfiguredLink> links = new ArrayList<>();
        List<NetDevice> devices = NetDevice.list();
        for (LinkType type : LinkTypes.all()) {
            int number = 0;
            for (NetDevice device : devices) {
                if (device.up() && type.isOnInterface()) {
                    links.add(new ConfiguredLink(type.name() + number++, type.name(), device.name(), Map.of()));
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

    /** Treatment of links whose type no installed provider declares. */
    private enum Foreign {
        REFUSED,
        /** For devices of one provider, which need not know the others. */
        ACCEPTED
    }

    /** A step from one content of the file to the next. */
    private interface Change {
        /**
         * Changes the content.
         *
         * @param lines content of the file, null without one; may be changed and returned
         */
        List<String> apply(List<String> lines);
    }

    private static List<String> header() {
        List<String> lines = new ArrayList<>(List.of(
            "# RDMA links of this user, kept by `rdma link add`, `set` and `delete`. One line each:",
            "#",
            "#   link NAME type TYPE [netdev NETDEV] [OPTION VALUE]...",
            "#",
            "# NETDEV is a network interface, where the type needs one; VALUE is as `rdma link set NAME OPTION` takes it. TYPE and its"
                + " OPTIONs:"));
        for (LinkType type : LinkTypes.all()) {
            lines.add("#   " + type.name() + " (" + type.protocol() + "): " + names(type.options()));
        }
        for (LinkOption<?> option : LinkTypes.options()) {
            if (option.keeper() != null) {
                lines.add("# `" + option.keeper() + "` keeps " + option.name() + ".");
            }
        }
        lines.add("# Lines that start with # are comments.");
        lines.add("# While this file exists, these are all the links there are. Remove it, and every interface that is up has one of each "
            + "type again.");
        return lines;
    }

    private static String format(ConfiguredLink link) {
        StringBuilder line = new StringBuilder("link ").append(link.name()).append(" type ").append(link.type());
        if (!link.netdev().isEmpty()) {
            line.append(" netdev ").append(link.netdev());
        }
        link.options().forEach((option, value) -> line.append(' ').append(option).append(' ').append(value));
        return line.toString();
    }

    private List<ConfiguredLink> parse(List<String> lines, Foreign foreign) {
        List<ConfiguredLink> links = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int number = 0;
        for (String line : lines == null ? List.<String>of() : lines) {
            ConfiguredLink link = parse(line, ++number, foreign);
            if (link == null) {
                continue;
            }
            if (!names.add(link.name())) {
                throw notUnderstood(number, "there is a link '" + link.name() + "' above", line);
            }
            links.add(link);
        }
        return links;
    }

    /** Reads one line; null for a comment or an empty line. */
    private ConfiguredLink parse(String line, int number, Foreign foreign) {
        String text = line.strip();
        if (text.isEmpty() || text.startsWith("#")) {
            return null;
        }
        String[] words = text.split("\\s+");
        boolean onInterface = words.length >= 6 && words[4].equals("netdev");
        LinkType type = words.length < 4 ? null : LinkTypes.find(words[3]);
        if (words.length < 4 || !words[0].equals("link") || !words[2].equals("type")
            || type != null && onInterface != type.isOnInterface()) {
            throw notUnderstood(number, "expected 'link NAME type TYPE netdev NETDEV'", line);
        }
        if (!NAME.matcher(words[1]).matches()) {
            throw notUnderstood(number, "'" + words[1] + "' cannot be a link's name", line);
        }
        if (type == null && foreign == Foreign.REFUSED) {
            throw notUnderstood(number, "there is no link type '" + words[3] + "', only " + String.join(", ", LinkTypes.names()), line);
        }
        if (words.length % 2 != 0) {
            throw notUnderstood(number, "option '" + words[words.length - 1] + "' lacks its value", line);
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = onInterface ? 6 : 4; i < words.length; i += 2) {
            options.put(words[i], words[i + 1]);
        }
        ConfiguredLink link = new ConfiguredLink(words[1], words[3], onInterface ? words[5] : "", options);
        if (type != null) {
            try {
                checkOptions(type, link);
            } catch (VerbsException refused) {
                throw notUnderstood(number, refused.getMessage(), line);
            }
        }
        return link;
    }

    private VerbsException notUnderstood(int number, String why, String line) {
        return new VerbsException(Errno.EINVAL, "read_links", file + ":" + number + ": " + why + ", found '" + line.strip()
            + "'; correct the line, or remove the file to start over");
    }

    /** Content of the file; null without it. */
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
            Path directory = StateDirectory.create(file.toAbsolutePath().getParent());
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
            + " to a directory of your own, or fix the permissions of this one", failed);
    }
}
