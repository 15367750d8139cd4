// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.util.ArrayList;
import java.util.List;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Tool;
import org.softrdma.tools.cli.ToolFailure;

/**
 * {@code qperf}: a server without arguments; a client with a host and tests, which are run one after the other as the command line is read:
 * options count for the tests that follow. Messages go to standard output, as the original's do.
 */
public final class QPerf implements Tool {
    /** Over a parameter of the tests that follow. */
    private record Loop(Option option, String first, String last, String step, boolean multiplying) {
    }

    private final Parameters parameters = new Parameters();
    private final Display display = new Display();
    private final List<Loop> loops = new ArrayList<>();
    private List<String> words;
    private int position;
    private Console console;
    private String host;
    private int listenPort = 19765;
    private int waitSeconds = QPerfClient.TIMEOUT_SECONDS;
    private boolean isClient;

    @Override
    public int run(String name, List<String> arguments, Console to) {
        words = arguments;
        console = to;
        try {
            return run();
        } catch (QPerfFailure failure) {
            console.println(failure.text());
        } catch (PeerFailure failure) {
            console.error(failure.getMessage());
        }
        throw ToolFailure.silent(1);
    }

    private int run() {
        boolean tested = false;
        while (position < words.size()) {
            String word = words.get(position++);
            if (word.startsWith("-")) {
                Option option = find(word);
                if (option.kind() == Option.Kind.HELP || option.kind() == Option.Kind.VERSION) {
                    show(option);
                    return 0;
                }
                isClient |= !option.isForServers();
                read(option, word);
            } else if (host == null) {
                host = word;
                isClient = true;
            } else {
                int index = Tests.indexOf(word);
                if (index < 0) {
                    throw new QPerfFailure(word + ": bad test; try: qperf --help tests");
                }
                tested = true;
                if (test(index, 0)) {
                    return 0;
                }
            }
        }
        if (!isClient) {
            return new QPerfServer(listenPort, parameters, display, console).serve();
        }
        if (!tested) {
            throw noTest();
        }
        return 0;
    }

    private QPerfFailure noTest() {
        if (host == null) {
            return new QPerfFailure("you used a client-only option but did not specify the server name.\n"
                + "Do you want to be a client or server?");
        }
        return new QPerfFailure(Tests.indexOf(host) >= 0 ? "must specify host name first; try: qperf --help"
            : "must specify a test type; try: qperf --help");
    }

    // ---- tests ----

    /** @param depth of the loop to run; behind the last one stands the test. @return whether the server is gone */
    private boolean test(int index, int depth) {
        if (depth == loops.size()) {
            return new QPerfClient(host, listenPort, waitSeconds, parameters, display, console).run(index);
        }
        Loop loop = loops.get(depth);
        String name = loop.option.names().getFirst();
        long last = size(name, loop.last);
        long step = size(name, loop.step);
        long value = loop.first.isEmpty() ? loop.multiplying ? 1 : 0 : size(name, loop.first);
        while (value <= last) {
            set(loop.option, name, Long.toString(value));
            if (test(index, depth + 1)) {
                return true;
            }
            long next = loop.multiplying ? value * step : value + step;
            if (next <= value) {
                throw new QPerfFailure(name + ": the loop stays at " + value);
            }
            value = next;
        }
        return false;
    }

    private static long size(String name, String text) {
        return Integer.toUnsignedLong(Quantity.size(name, text));
    }

    // ---- options ----

    private Option find(String word) {
        String name = word;
        String renamed = Option.renamed(word);
        if (renamed != null) {
            console.println("warning: obsolete option: " + word + "; use " + renamed + " instead");
            name = renamed;
        }
        Option option = Option.find(name);
        if (option == null) {
            throw new QPerfFailure(word + ": bad option; try: qperf --help options");
        }
        return option;
    }

    private void show(Option option) {
        if (option.kind() == Option.Kind.VERSION) {
            console.println("qperf " + Request.version());
        } else {
            console.print(Help.about(position < words.size() ? words.get(position) : "main"));
        }
    }

    private void read(Option option, String word) {
        if (option.value() == null) {
            set(option, word, null);
        } else if (position < words.size()) {
            set(option, word, words.get(position++));
        } else {
            throw new QPerfFailure("missing argument to " + word);
        }
    }

    /** @param name the option as the user wrote it @param text its argument; null if it takes none */
    private void set(Option option, String name, String text) {
        switch (option.kind()) {
            case NUMBER -> parameters.set(name, option.parameter(), option.sides(), Quantity.number(name, text));
            case SIZE -> parameters.set(name, option.parameter(), option.sides(), Quantity.size(name, text));
            case SECONDS -> parameters.set(name, option.parameter(), option.sides(), Quantity.seconds(name, text));
            case SERVICE_LEVEL -> parameters.set(name, option.parameter(), option.sides(), serviceLevel(name, text));
            case TEXT -> parameters.set(name, option.parameter(), option.sides(), text);
            case SWITCH -> parameters.set(name, option.parameter(), option.sides(), 1);
            case DEBUG -> display.debug = true;
            case HOST -> host = text;
            case LISTEN_PORT -> listenPort = port(name, text);
            case LOOP -> loops.add(loop(name, text));
            case PRECISION -> display.precision = Quantity.number(name, text);
            case UNIFY_NODES -> display.unifyNodes = true;
            case UNIFY_UNITS -> display.unifyUnits = true;
            case BITS -> display.bits = true;
            case VERBOSE -> display.verbose(option.names().getLast());
            case WAIT -> waitSeconds = Quantity.seconds(name, text);
            case HELP, VERSION -> throw new AssertionError("these end the command line");
        }
    }

    private static int serviceLevel(String name, String text) {
        int level = Quantity.number(name, text);
        if (level < 0 || level > 15) {
            throw new QPerfFailure("service level must be between 0 and 15: " + Integer.toUnsignedString(level) + " given");
        }
        return level;
    }

    private static int port(String name, String text) {
        int port = Quantity.number(name, text);
        if (port < 1 || port > 0xffff) {
            throw new QPerfFailure(name + " requires a port, 1 to 65535");
        }
        return port;
    }

    /** VAR:INIT:LAST:INCR, of which the first two may be empty. */
    private static Loop loop(String name, String text) {
        String[] parts = (text + ":::").split(":", -1);
        String variable = parts[0].isEmpty() ? "msg_size" : parts[0];
        Option option = Option.ofVariable(variable);
        if (option == null || option.parameter() == null || option.value() == null || option.kind() == Option.Kind.TEXT) {
            throw new QPerfFailure(name + ": " + variable + ": no such variable");
        }
        if (parts[2].isEmpty()) {
            throw new QPerfFailure(name + ": must specify limit");
        }
        boolean multiplying = parts[3].startsWith("*");
        String step = multiplying ? parts[3].substring(1) : parts[3];
        if (step.isEmpty() || Quantity.size(name, step) == 0) {
            throw new QPerfFailure(name + ": " + step + ": increment must be positive");
        }
        size(name, parts[2]);
        return new Loop(option, parts[1], parts[2], step, multiplying);
    }
}
