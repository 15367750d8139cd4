// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.Objects;
import java.util.function.Function;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * One option of a link, as the provider of the link's {@linkplain LinkType type} declares it. The file of links, {@code rdma link} and its
 * help read everything they need from here, so a new option is one constant, listed in {@link LinkType#options()}:
 *
 * <pre>{@code
 * public static final LinkOption<Integer> TTL = LinkOption.of("ttl", 64, MyOptions::parseTtl)
 *     .title("a TTL").required("1 to 255").syntax("NUMBER").build();
 * }</pre>
 *
 * <p>The device reads it with {@code link.get(TTL)}; {@code rdma link set DEV ttl 32} sets it, {@code rdma link} shows it. Immutable.
 *
 * @param <T> type of the value
 */
public final class LinkOption<T> {
    private static final int MAX_RECORDED = 1 << 16;

    /** Registered memory counts against the limit of locked memory that {@code ulimit -l} shows. Every type offers it. */
    public static final LinkOption<Boolean> MEMLOCK = of("memlock", false, LinkOption::parseMemlock)
        .format(limited -> limited ? "ulimit" : "none").title("a limit of memory").required("none or ulimit").syntax("none | ulimit")
        .build();

    /** Programs are held to the rules of adapters, and told what is wrong. Every type offers it. */
    public static final LinkOption<Boolean> STRICT = of("strict", false, LinkOption::parseStrict)
        .format(strict -> strict ? "on" : "off").title("strict mode").required("on or off").syntax("on | off").settableOnAdd().build();

    /**
     * Events that the flight recorder keeps of each queue pair: a power of two up to 65,536; 0 for none, 256 unless it is set. All queue
     * pairs of a device share the room of 64 that keep as many; where there are more, each keeps 16 at least. Every type offers it.
     */
    public static final LinkOption<Integer> RECORD = of("record", 256, LinkOption::parseRecord).title("a number of recorded events")
        .required("0, or a power of two up to " + MAX_RECORDED).syntax("EVENTS").settableOnAdd().build();

    private final String name;
    private final T usual;
    private final Function<String, T> parse;
    private final Function<T, String> format;
    private final Function<ConfiguredLink, String> shown;
    private final String title;
    private final String required;
    private final String syntax;
    private final String details;
    private final boolean followed;
    private final boolean settableOnAdd;
    private final String keeper;

    private LinkOption(Builder<T> builder) {
        name = builder.name;
        usual = builder.usual;
        parse = builder.parse;
        format = builder.format;
        shown = builder.shown == null ? this::unusual : builder.shown;
        title = builder.title;
        required = builder.required;
        syntax = builder.syntax;
        details = builder.details;
        followed = builder.followed;
        settableOnAdd = builder.settableOnAdd;
        keeper = builder.keeper;
    }

    private static boolean parseMemlock(String text) {
        return switch (text) {
            case "none" -> false;
            case "ulimit" -> true;
            default -> throw new VerbsException(Errno.EINVAL, "set_memlock", "memlock must be none or ulimit, got '" + text + "'");
        };
    }

    private static boolean parseStrict(String text) {
        return switch (text) {
            case "off" -> false;
            case "on" -> true;
            default -> throw new VerbsException(Errno.EINVAL, "set_strict", "strict must be on or off, got '" + text + "'");
        };
    }

    private static int parseRecord(String text) {
        try {
            int events = Integer.parseInt(text);
            if (events == 0 || events > 0 && events <= MAX_RECORDED && Integer.bitCount(events) == 1) {
                return events;
            }
        } catch (NumberFormatException notNumber) {
            // As for a number out of range.
        }
        throw new VerbsException(Errno.EINVAL, "set_record",
            "record must be 0, or a power of two up to " + MAX_RECORDED + ", got '" + text + "'");
    }

    /**
     * Begins the declaration of an option.
     *
     * @param name  the word before the value
     * @param usual value of links without the option; null if it follows from other options
     * @param parse reads a word without blanks; throws {@link VerbsException} EINVAL, naming the value and what is allowed
     */
    public static <T> Builder<T> of(String name, T usual, Function<String, T> parse) {
        return new Builder<>(name, usual, parse);
    }

    /** The word before the value, as in {@code rdma link set DEV NAME VALUE} and in the file. */
    public String name() {
        return name;
    }

    /** Value of links without the option; null if it follows from other options. */
    public T usual() {
        return usual;
    }

    /**
     * Reads a value.
     *
     * @throws VerbsException EINVAL, naming the value and what is allowed
     */
    public T parse(String word) {
        return parse.apply(word);
    }

    /** The word that {@link #parse} reads as an equal value. */
    public String format(T value) {
        return format.apply(value);
    }

    /**
     * The value as {@code rdma link} shows it.
     *
     * @return null if the link is shown without the option
     */
    public String shown(ConfiguredLink link) {
        return shown.apply(link);
    }

    private String unusual(ConfiguredLink link) {
        T value = link.get(this);
        return Objects.equals(value, usual) ? null : format(value);
    }

    /** Noun for sentences about links with the option: {@code faults}. */
    public String title() {
        return title;
    }

    /** Request for sentences about a command that lacks the value: {@code faults, or none}. */
    public String required() {
        return required;
    }

    /** Form of the value for help texts: {@code raw | udp}. */
    public String syntax() {
        return syntax;
    }

    /** Further lines of help, each with its line end; may be empty. */
    public String details() {
        return details;
    }

    /** Whether running devices apply a new value at once; otherwise it holds from the next start of the device. */
    public boolean isFollowed() {
        return followed;
    }

    /** Whether {@code rdma link add} accepts it, too. */
    public boolean isSettableOnAdd() {
        return settableOnAdd;
    }

    /**
     * The command that sets the option.
     *
     * @return null if that is {@code rdma link set}, as usual
     */
    public String keeper() {
        return keeper;
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * Declaration of an option.
     *
     * @param <T> type of the value
     */
    public static final class Builder<T> {
        private final String name;
        private final T usual;
        private final Function<String, T> parse;
        private Function<T, String> format = Object::toString;
        private Function<ConfiguredLink, String> shown;
        private String title;
        private String required;
        private String syntax = "VALUE";
        private String details = "";
        private boolean followed;
        private boolean settableOnAdd;
        private String keeper;

        private Builder(String name, T usual, Function<String, T> parse) {
            this.name = name;
            this.usual = usual;
            this.parse = parse;
            title = name;
            required = name;
        }

        /** Formats values for the file and for people; without it, {@code toString} does. */
        public Builder<T> format(Function<T, String> text) {
            format = text;
            return this;
        }

        /** Decides when and how {@code rdma link} shows the option; without it, any value but the usual one is shown. */
        public Builder<T> shown(Function<ConfiguredLink, String> text) {
            shown = text;
            return this;
        }

        /** Names what links with the option have: see {@link LinkOption#title}. */
        public Builder<T> title(String text) {
            title = text;
            return this;
        }

        /** Names what a command without the value lacks: see {@link LinkOption#required}. */
        public Builder<T> required(String text) {
            required = text;
            return this;
        }

        /** Gives the form of the value in help texts. */
        public Builder<T> syntax(String text) {
            syntax = text;
            return this;
        }

        /** Adds lines of help below the form, each with its line end. */
        public Builder<T> details(String lines) {
            details = lines;
            return this;
        }

        /** Declares that running devices apply a new value at once. */
        public Builder<T> followed() {
            followed = true;
            return this;
        }

        /** Lets {@code rdma link add} accept the option, too. */
        public Builder<T> settableOnAdd() {
            settableOnAdd = true;
            return this;
        }

        /** Leaves setting and showing the option to another command than {@code rdma link}. */
        public Builder<T> keptBy(String command) {
            keeper = command;
            shown = link -> null;
            return this;
        }

        public LinkOption<T> build() {
            return new LinkOption<>(this);
        }
    }
}
