// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.softrdma.verbs.Errno;

/**
 * An entry about something that programs and tools print, besides the reasons: a counter, the code of a rejection, an errno, a
 * refused verb, a rule of strict devices.
 *
 * @param name   of the counter, perhaps with its owner, as in {@code traps of the subnet manager}; of the errno, rejection or rule; of
 *               a refusal verb and errno, as {@code reg_mr EINVAL}, the verb without prefix
 * @param code   of a rejection; 0 for others
 * @param says   its meaning
 * @param rule   the rule that was applied, with its source
 * @param causes usual causes, the most frequent first; none for what is no trouble
 * @param remedy corrective action
 */
record Term(Kind kind, String name, int code, String says, String rule, List<String> causes, String remedy) {
    /** Words before and prefix of a verb, as C has it. */
    private static final Pattern PREFIX = Pattern.compile("^(refused )?(ibv_|rdma_)?");

    enum Kind {
        COUNTER, REJECT, ERRNO, REFUSED, STRICT
    }

    /** First line of the entry's page. */
    String title() {
        return switch (kind) {
            case COUNTER -> bare() + ", a counter" + name.substring(bare().length());
            case REJECT -> "rejected, status " + code + ": " + name;
            case ERRNO -> name + " (" + errno().value() + "): " + errno().text();
            case REFUSED -> name.replace(" ", " refused with ");
            case STRICT -> name + ", a rule of strict devices";
        };
    }

    /**
     * Whether the words mean this entry: {@code cm_sent}, {@code reject 8}, {@code invalid service id}, {@code EINVAL},
     * {@code reg_mr EINVAL}, {@code ibv_reg_mr EINVAL}, {@code BUFFER_CHANGED}, or a finding of that rule.
     */
    boolean isNamed(String words) {
        String lower = words.toLowerCase(Locale.ROOT);
        return switch (kind) {
            case COUNTER -> lower.equals(bare()) || lower.equals(name.toLowerCase(Locale.ROOT));
            // A name of one word, such as timeout, means more than rejections.
            case REJECT -> lower.matches("(rej|reject|rejected)[ -]?" + code)
                || name.contains(" ") && lower.equals(name.toLowerCase(Locale.ROOT));
            case ERRNO -> lower.equals(name.toLowerCase(Locale.ROOT)) || lower.equals("-" + errno().value())
                || lower.equals(errno().text().toLowerCase(Locale.ROOT));
            case REFUSED -> PREFIX.matcher(lower).replaceFirst("").equals(name.toLowerCase(Locale.ROOT));
            case STRICT -> lower.replace('-', '_').equals(name.toLowerCase(Locale.ROOT)) || words.endsWith("[" + name + "]");
        };
    }

    /** The word that leads to the entry. */
    String word() {
        return kind == Kind.REJECT ? "reject-" + code : name;
    }

    /** The name without owner. */
    private String bare() {
        return name.split(" ", 2)[0];
    }

    private Errno errno() {
        return Errno.valueOf(name);
    }
}
