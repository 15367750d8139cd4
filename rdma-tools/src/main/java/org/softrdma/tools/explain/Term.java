// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import java.util.List;
import java.util.Locale;
import org.softrdma.verbs.Errno;

/**
 * An entry about something that programs and tools print, besides the reasons: a counter, the code of a rejection, an errno.
 *
 * @param name   of the counter, errno or rejection
 * @param code   of a rejection; 0 for others
 * @param says   its meaning
 * @param rule   the rule that was applied, with its source
 * @param causes usual causes, the most frequent first; none for what is no trouble
 * @param remedy corrective action
 */
record Term(Kind kind, String name, int code, String says, String rule, List<String> causes, String remedy) {
    enum Kind {
        COUNTER, REJECT, ERRNO
    }

    /** First line of the entry's page. */
    String title() {
        return switch (kind) {
            case COUNTER -> name + ", a counter";
            case REJECT -> "rejected, status " + code + ": " + name;
            case ERRNO -> name + " (" + errno().value() + "): " + errno().text();
        };
    }

    /** Whether the words mean this entry: {@code cm_sent}, {@code reject 8}, {@code invalid service id}, {@code EINVAL}. */
    boolean isNamed(String words) {
        String lower = words.toLowerCase(Locale.ROOT);
        return switch (kind) {
            case COUNTER -> lower.equals(name);
            // A name of one word, such as timeout, means more than rejections.
            case REJECT -> lower.matches("(rej|reject|rejected)[ -]?" + code)
                || name.contains(" ") && lower.equals(name.toLowerCase(Locale.ROOT));
            case ERRNO -> lower.equals(name.toLowerCase(Locale.ROOT)) || lower.equals("-" + errno().value())
                || lower.equals(errno().text().toLowerCase(Locale.ROOT));
        };
    }

    /** The word that leads to the entry. */
    String word() {
        return kind == Kind.REJECT ? "reject-" + code : name;
    }

    private Errno errno() {
        return Errno.valueOf(name);
    }
}
