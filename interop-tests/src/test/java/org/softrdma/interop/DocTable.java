// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A table of docs/interop.md between {@code <!-- NAME:begin -->} and {@code <!-- NAME:end -->}, which must match the results of a test. */
final class DocTable {
    private DocTable() {
    }

    /** Compares the table with the page or, with {@code -Dsoftrdma.updateDocs=true}, replaces it there. */
    static void check(String name, String table) throws IOException {
        try (ModuleLock _ = new ModuleLock("docs")) {
            checkPage(name, table);
        }
    }

    private static void checkPage(String name, String table) throws IOException {
        Path file = KernelLab.root().resolve("docs/interop.md");
        String text = Files.readString(file);
        String begin = "<!-- " + name + ":begin -->\n";
        String end = "<!-- " + name + ":end -->";
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf(end);
        if (from < begin.length() || to < from) {
            throw new AssertionError(file + " has no table between " + begin.strip() + " and " + end);
        }
        if (text.substring(from, to).equals(table)) {
            return;
        }
        if (Boolean.getBoolean("softrdma.updateDocs")) {
            Files.writeString(file, text.substring(0, from) + table + text.substring(to));
            return;
        }
        throw new AssertionError("docs/interop.md differs from the results. If the results are right, update it:\n"
            + "  mvn verify -pl interop-tests -am -Dsoftrdma.updateDocs=true\nlines that differ:\n"
            + differences(text.substring(from, to), table));
    }

    /**
     * Checks a table of programs by the modes they ran in, unless only some of them ran.
     *
     * @param results outcomes by row, of which the text has two columns, and by mode
     */
    static void checkModes(String name, List<String> modes, Map<String, Map<String, String>> results) throws IOException {
        StringBuilder table = new StringBuilder("| program | what it shows | ").append(String.join(" | ", modes)).append(" |\n|---|---|")
            .append("---|".repeat(modes.size())).append('\n');
        results.forEach((row, outcomes) -> {
            table.append("| ").append(row).append(" |");
            modes.forEach(mode -> table.append(' ').append(outcomes.getOrDefault(mode, "–")).append(" |"));
            table.append('\n');
        });
        if (!isPartialRun()) {
            check(name, table.toString());
        }
    }

    private static String differences(String committed, String seen) {
        StringBuilder text = new StringBuilder();
        committed.lines().filter(line -> !seen.contains(line + "\n")).forEach(line -> text.append("- ").append(line).append('\n'));
        seen.lines().filter(line -> !committed.contains(line + "\n")).forEach(line -> text.append("+ ").append(line).append('\n'));
        return text.toString();
    }

    /** Whether {@code -Dsoftrdma.case=REGEX} selects some of the cases only; tables are then not checked. */
    static boolean isPartialRun() {
        return System.getProperty("softrdma.case") != null;
    }

    /** Whether this run has a case: rare ones belong to the profile {@code soak}, and to runs of chosen cases. */
    static boolean isInThisRun(String id, boolean rare) {
        return isWanted(id) && (!rare || isPartialRun() || Boolean.getBoolean("softrdma.rareCases"));
    }

    static boolean isWanted(String id) {
        return id.matches(".*(" + System.getProperty("softrdma.case", "") + ").*");
    }
}
