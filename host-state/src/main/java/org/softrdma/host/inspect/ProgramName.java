// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.inspect;

import java.util.List;
import java.util.Set;

/** Names of programs, from their command lines. {@code java} would not tell programs apart, nor would the launcher of the tools. */
public final class ProgramName {
    /** Options of the JVM whose argument is a word of its own. */
    private static final Set<String> WITH_ARGUMENT = Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path",
        "--upgrade-module-path", "--add-modules", "--add-exports", "--add-opens", "--add-reads", "--enable-native-access", "--source");
    private static final Set<String> LAUNCHERS = Set.of("softrdma", "Softrdma");

    private ProgramName() {
    }

    /**
     * Finds the name of a program.
     *
     * @param words the command line
     * @return the tool for softrdma's launcher; the main class without its package, or the jar file, for other programs in Java; otherwise
     *     the name of the executable file; empty for an empty command line
     */
    public static String of(List<String> words) {
        String executable = words.isEmpty() ? "" : lastPart(words.getFirst(), '/');
        if (!executable.equals("java")) {
            return executable;
        }
        int at = 1;
        while (at < words.size() && words.get(at).startsWith("-")) {
            String option = words.get(at);
            if (option.equals("-jar") || option.equals("-m") || option.equals("--module")) {
                at++;
                break;
            }
            at += WITH_ARGUMENT.contains(option) ? 2 : 1;
        }
        if (at >= words.size()) {
            return executable;
        }
        String program = programOf(words.get(at));
        return LAUNCHERS.contains(program) && at + 1 < words.size() ? words.get(at + 1) : program;
    }

    /**
     * Finds the name of a program in Java.
     *
     * @param main its main class, with or without a module, or its jar file
     */
    static String programOf(String main) {
        String file = main.substring(1 + Math.max(main.lastIndexOf('/'), main.lastIndexOf('\\')));
        return file.endsWith(".jar") ? file.substring(0, file.length() - ".jar".length()) : lastPart(file, '.');
    }

    private static String lastPart(String text, char separator) {
        return text.substring(text.lastIndexOf(separator) + 1);
    }
}
