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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The entries of {@code terms.txt}, {@code counters.txt} and {@code refusals.txt}, whose heads describe their form. */
final class Terms {
    private static final List<Term> ALL = Stream.of("terms.txt", "counters.txt", "refusals.txt")
        .flatMap(file -> parse(read(file)).stream()).toList();
    /** Beginning of the message of a refusal. Group 1: verb. Group 2: errno. */
    private static final Pattern REFUSAL = Pattern.compile("(?:^|[^a-z_])(?:ibv_|rdma_)?([a-z][a-z_]*): [^():]+ \\((E[A-Z0-9]+)\\)");

    private Terms() {
    }

    static List<Term> all() {
        return ALL;
    }

    /**
     * Finds the entries that the words mean.
     *
     * @return none, one, or those of counters that share a name
     */
    static List<Term> named(String words) {
        List<Term> entries = exactly(words);
        Matcher message = REFUSAL.matcher(words);
        if (!entries.isEmpty() || !message.find()) {
            return entries;
        }
        List<Term> refusals = exactly(message.group(1) + " " + message.group(2));
        return refusals.isEmpty() ? exactly(message.group(2)) : refusals;
    }

    private static List<Term> exactly(String words) {
        return ALL.stream().filter(each -> each.isNamed(words)).toList();
    }

    private static String read(String file) {
        try (InputStream in = Terms.class.getResourceAsStream(file)) {
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
                terms.addAll(terms(lines));
            }
        }
        return List.copyOf(terms);
    }

    /** One entry, or one for each verb of a refusal. */
    private static List<Term> terms(List<String> lines) {
        String[] head = lines.getFirst().split(" ", 3);
        return switch (Term.Kind.valueOf(head[0].toUpperCase(Locale.ROOT))) {
            case REJECT -> List.of(term(Term.Kind.REJECT, head[2], Integer.parseInt(head[1]), lines));
            case REFUSED -> Arrays.stream(head[1].split(",")).map(verb -> term(Term.Kind.REFUSED, verb + " " + head[2], 0, lines)).toList();
            case COUNTER -> List.of(term(Term.Kind.COUNTER, lines.getFirst().split(" ", 2)[1], 0, lines));
            case ERRNO -> List.of(term(Term.Kind.ERRNO, head[1], 0, lines));
            case STRICT -> List.of(term(Term.Kind.STRICT, head[1], 0, lines));
        };
    }

    private static Term term(Term.Kind kind, String name, int code, List<String> lines) {
        return new Term(kind, name, code, one(lines, "says"), one(lines, "rule"), fields(lines, "cause"), one(lines, "do"));
    }

    private static String one(List<String> lines, String name) {
        List<String> found = fields(lines, name);
        if (found.size() != 1) {
            throw new IllegalStateException(lines.getFirst() + " needs one '" + name + "', has " + found.size());
        }
        return found.getFirst();
    }

    private static List<String> fields(List<String> lines, String name) {
        return lines.stream().filter(line -> line.startsWith(name + " ")).map(line -> line.substring(name.length()).strip()).toList();
    }
}
