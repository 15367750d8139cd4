// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The entries of {@code terms.txt}, whose head describes its form. */
final class Terms {
    private static final String FILE = "terms.txt";
    private static final List<Term> ALL = parse(read());

    private Terms() {
    }

    static List<Term> all() {
        return ALL;
    }

    /**
     * Finds the entry that the words mean.
     *
     * @return null if there is none
     */
    static Term named(String words) {
        return ALL.stream().filter(each -> each.isNamed(words)).findFirst().orElse(null);
    }

    private static String read() {
        try (InputStream in = Terms.class.getResourceAsStream(FILE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<Term> parse(String text) {
        List<Term> terms = new ArrayList<>();
        for (String entry : text.split("\n\\s*\n")) {
            List<String> lines = Arrays.stream(entry.split("\n")).filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
            if (!lines.isEmpty()) {
                terms.add(term(lines));
            }
        }
        return List.copyOf(terms);
    }

    private static Term term(List<String> lines) {
        String[] head = lines.getFirst().split(" ", 3);
        Term.Kind kind = Term.Kind.valueOf(head[0].toUpperCase(Locale.ROOT));
        boolean reject = kind == Term.Kind.REJECT;
        return new Term(kind, reject ? head[2] : head[1], reject ? Integer.parseInt(head[1]) : 0, one(lines, "says"), one(lines, "rule"),
            fields(lines, "cause"), one(lines, "do"));
    }

    private static String one(List<String> lines, String name) {
        List<String> found = fields(lines, name);
        if (found.size() != 1) {
            throw new IllegalStateException(FILE + ": " + lines.getFirst() + " needs one '" + name + "', has " + found.size());
        }
        return found.getFirst();
    }

    private static List<String> fields(List<String> lines, String name) {
        return lines.stream().filter(line -> line.startsWith(name + " ")).map(line -> line.substring(name.length()).strip()).toList();
    }
}
