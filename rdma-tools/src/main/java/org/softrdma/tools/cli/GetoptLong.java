// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Parser of command lines with the rules of C programs: {@code -s1}, {@code -s 1}, {@code -ec}, {@code --size=1}, {@code --size 1},
 * unambiguous abbreviations of long names, options after operands, {@code --} to end the options. Messages are those of the GNU C
 * library: users and scripts see the same text for a wrong option.
 * Source: getopt(3) and the binaries of ibverbs-utils 44.
 */
public final class GetoptLong {
    /** Result of {@link #next()} after the last option. */
    public static final int END = -1;
    /** Result of {@link #next()} for an unknown option, or for a wrong use of an option. */
    public static final int BAD = '?';
    /** Result of {@link #next()} for a missing argument, if the short options start with a colon; otherwise {@link #BAD}. */
    public static final int MISSING = ':';

    /** Long option and the letter that {@link #next()} returns for it. */
    public record Long(String name, boolean takesArgument, char letter) {
    }

    private final String program;
    private final String shortOptions;
    private final boolean silent;
    private final boolean stopsAtOperand;
    private final List<Long> longOptions;
    private final List<String> arguments;
    private final Console console;
    private final List<String> operands = new ArrayList<>();
    private int position;
    private String cluster = "";
    private String argument;
    private char offender;

    /**
     * Makes a parser for one command line.
     *
     * @param shortOptions as in C: a letter for each option, a colon after those that take an argument; in front, a plus sign ends the
     *     options at the first operand, and a colon suppresses messages
     * @param longOptions empty for a program that calls {@code getopt}, to which {@code --help} is the option {@code -}
     */
    public GetoptLong(String program, String shortOptions, List<Long> longOptions, List<String> arguments, Console console) {
        this.program = program;
        this.stopsAtOperand = shortOptions.startsWith("+");
        String letters = stopsAtOperand ? shortOptions.substring(1) : shortOptions;
        this.silent = letters.startsWith(":");
        this.shortOptions = silent ? letters.substring(1) : letters;
        this.longOptions = longOptions;
        this.arguments = arguments;
        this.console = console;
    }

    /** @return the next option's letter, or {@link #END}, {@link #BAD}, {@link #MISSING} */
    public int next() {
        argument = null;
        if (!cluster.isEmpty()) {
            return shortOption();
        }
        while (position < arguments.size()) {
            String word = arguments.get(position++);
            if (word.equals("--")) {
                operands.addAll(arguments.subList(position, arguments.size()));
                position = arguments.size();
            } else if (word.startsWith("--") && !longOptions.isEmpty()) {
                return longOption(word.substring(2));
            } else if (word.length() > 1 && word.charAt(0) == '-') {
                cluster = word.substring(1);
                return shortOption();
            } else if (stopsAtOperand) {
                operands.addAll(arguments.subList(position - 1, arguments.size()));
                position = arguments.size();
            } else {
                operands.add(word);
            }
        }
        return END;
    }

    /** @return argument of the option that was returned last; null if it takes none */
    public String argument() {
        return argument;
    }

    /** @return letter that caused {@link #BAD} or {@link #MISSING}; 0 for an unknown long name */
    public char offender() {
        return offender;
    }

    /** @return all arguments that are not options, after {@link #next()} has returned {@link #END} */
    public List<String> operands() {
        return operands;
    }

    private int shortOption() {
        char letter = cluster.charAt(0);
        cluster = cluster.substring(1);
        int at = letter == ':' ? -1 : shortOptions.indexOf(letter);
        if (at < 0) {
            return bad(letter, "invalid option -- '" + letter + "'");
        }
        if (at + 1 < shortOptions.length() && shortOptions.charAt(at + 1) == ':') {
            if (!cluster.isEmpty()) {
                argument = cluster;
                cluster = "";
            } else if (position < arguments.size()) {
                argument = arguments.get(position++);
            } else {
                return missing(letter, "option requires an argument -- '" + letter + "'");
            }
        }
        return letter;
    }

    private int longOption(String text) {
        int equals = text.indexOf('=');
        String name = equals < 0 ? text : text.substring(0, equals);
        List<Long> candidates = new ArrayList<>();
        for (Long each : longOptions) {
            if (each.name.equals(name)) {
                candidates = List.of(each);
                break;
            }
            if (each.name.startsWith(name)) {
                candidates.add(each);
            }
        }
        if (candidates.isEmpty()) {
            return bad((char) 0, "unrecognized option '--" + text + "'");
        }
        if (candidates.size() > 1) {
            StringBuilder possibilities = new StringBuilder();
            candidates.forEach(each -> possibilities.append(" '--").append(each.name).append('\''));
            return bad((char) 0, "option '--" + text + "' is ambiguous; possibilities:" + possibilities);
        }
        Long found = candidates.getFirst();
        if (equals >= 0 && !found.takesArgument) {
            return bad(found.letter, "option '--" + found.name + "' doesn't allow an argument");
        }
        if (equals >= 0) {
            argument = text.substring(equals + 1);
        } else if (found.takesArgument) {
            if (position == arguments.size()) {
                return missing(found.letter, "option '--" + found.name + "' requires an argument");
            }
            argument = arguments.get(position++);
        }
        return found.letter;
    }

    private int missing(char letter, String message) {
        bad(letter, message);
        return silent ? MISSING : BAD;
    }

    private int bad(char letter, String message) {
        offender = letter;
        if (!silent) {
            console.error(program + ": " + message);
        }
        return BAD;
    }
}
