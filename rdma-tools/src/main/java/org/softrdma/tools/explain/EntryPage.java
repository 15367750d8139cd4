// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import java.util.List;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.verbs.reason.ReasonText;

/** An entry of the catalogue, or a term, as text. */
final class EntryPage {
    private static final int WIDTH = 100;
    /** Reasons whose status is seen by the peer: it was this end that refused. */
    private static final int REFUSED_HERE = 0x03;
    private static final String LABEL = "  %-10s";
    private static final String INDENT = " ".repeat(12);

    private EntryPage() {
    }

    /** The entry, with a line feed at the end of each line. */
    static String of(Reason reason) {
        ReasonText text = reason.text();
        StringBuilder page = new StringBuilder();
        page.append(String.format("0x%04x %s\n", reason.code(), reason.shortName()));
        field(page, "Says", text.plain());
        if (reason.status() != null) {
            field(page, "Status", reason.status() + " (" + reason.status().value() + ")"
                + (reason.code() >> 8 == REFUSED_HERE ? " of the peer's work request" : ""));
        }
        advice(page, text.rule(), text.causes(), text.remedy());
        if (!text.words().isEmpty()) {
            field(page, "See also", String.join(", ", text.words()));
        }
        return page.toString();
    }

    /** The term, with a line feed at the end of each line. */
    static String of(Term term) {
        StringBuilder page = new StringBuilder(term.title()).append('\n');
        field(page, "Says", term.says());
        advice(page, term.rule(), term.causes(), term.remedy());
        return page.toString();
    }

    private static void advice(StringBuilder page, String rule, List<String> causes, String remedy) {
        field(page, "Rule", rule);
        String label = "Causes";
        for (String cause : causes) {
            field(page, label, cause);
            label = "";
        }
        field(page, "To do", remedy);
    }

    private static void field(StringBuilder page, String label, String text) {
        page.append(String.format(LABEL, label));
        int column = INDENT.length();
        for (String word : List.of(text.split(" "))) {
            if (column > INDENT.length() && column + word.length() > WIDTH) {
                page.append('\n').append(INDENT);
                column = INDENT.length();
            }
            page.append(column > INDENT.length() ? " " : "").append(word);
            column += word.length() + 1;
        }
        page.append('\n');
    }
}
