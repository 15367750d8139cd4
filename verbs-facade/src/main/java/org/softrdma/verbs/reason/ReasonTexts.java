// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.reason;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Reads {@code reasons.txt}: entries separated by blank lines, each with the short name of its reason in the first line and one field a
 * line after it. A line that begins with {@code #} is a comment.
 */
final class ReasonTexts {
    private static final String FILE = "reasons.txt";
    private static final Map<Reason, ReasonText> ALL = read();

    private ReasonTexts() {
    }

    static ReasonText of(Reason reason) {
        return ALL.get(reason);
    }

    private static Map<Reason, ReasonText> read() {
        Map<Reason, ReasonText> all = new EnumMap<>(Reason.class);
        try (InputStream in = ReasonTexts.class.getResourceAsStream(FILE);
             BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            List<String> entry = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isBlank() && !entry.isEmpty()) {
                    put(entry, all);
                    entry.clear();
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    entry.add(line.strip());
                }
            }
            if (!entry.isEmpty()) {
                put(entry, all);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return all;
    }

    private static void put(List<String> entry, Map<Reason, ReasonText> all) {
        Reason reason = Reason.named(entry.getFirst());
        if (reason == null || all.containsKey(reason)) {
            throw new IllegalStateException(FILE + ": '" + entry.getFirst() + "' is no reason, or has two entries");
        }
        String says = null;
        String rule = null;
        String remedy = null;
        List<String> causes = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (String line : entry.subList(1, entry.size())) {
            String[] field = line.split(" +", 2);
            switch (field[0]) {
                case "says" -> says = field[1];
                case "rule" -> rule = field[1];
                case "cause" -> causes.add(field[1]);
                case "do" -> remedy = field[1];
                case "words" -> words.addAll(List.of(field[1].split(" +")));
                default -> throw new IllegalStateException(FILE + ": " + entry.getFirst() + " has a field '" + field[0] + "'");
            }
        }
        if (says == null || rule == null || causes.isEmpty() || remedy == null) {
            throw new IllegalStateException(FILE + ": " + entry.getFirst() + " needs says, rule, cause and do");
        }
        all.put(reason, ReasonText.of(says, rule, causes, remedy, words));
    }
}
