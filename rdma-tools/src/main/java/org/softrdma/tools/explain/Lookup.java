// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Reason;
import org.softrdma.verbs.reason.ReasonText;

/** Finds the reasons that a user's words mean. */
final class Lookup {
    /** Prefix of the statuses in C. */
    private static final String STATUS_PREFIX = "IBV_WC_";
    /** End of the message of a failure. */
    private static final Pattern IN_MESSAGE = Pattern.compile("\\[0x[0-9a-f]{4} ([a-z0-9-]+)]");
    /** Group 1: in base 16, as numbers of reasons are written, with 0x or with four digits. Group 2: in base 10. */
    private static final Pattern NUMBER = Pattern.compile("(?:0[xX](?=[0-9a-fA-F]{1,4}$)|(?=0[0-9a-fA-F]{3}$))([0-9a-fA-F]+)|([0-9]{1,5})");

    private Lookup() {
    }

    /**
     * Finds a reason by its number, its name, or a message that ends with both.
     *
     * @return null if it is none of these
     */
    static Reason reason(String what) {
        Matcher message = IN_MESSAGE.matcher(what);
        if (message.find()) {
            return Reason.named(message.group(1));
        }
        Integer number = number(what);
        return number == null ? Reason.named(what) : Reason.of(number);
    }

    /**
     * Finds a completion status by its name, that in C, its number or its text.
     *
     * @return null if it is none of these
     */
    static WcStatus status(String what) {
        Integer number = number(what);
        if (number != null) {
            return WcStatus.of(number);
        }
        String name = what.toUpperCase(Locale.ROOT);
        String bare = name.startsWith(STATUS_PREFIX) ? name.substring(STATUS_PREFIX.length()) : name;
        return Arrays.stream(WcStatus.values()).filter(each -> each.name().equals(bare) || each.text().equalsIgnoreCase(what)).findFirst()
            .orElse(null);
    }

    /** Returns null if the text is no number. */
    private static Integer number(String what) {
        Matcher number = NUMBER.matcher(what);
        if (!number.matches()) {
            return null;
        }
        return number.group(1) != null ? Integer.valueOf(number.group(1), 16) : Integer.valueOf(number.group(2));
    }

    /**
     * Searches the catalogue.
     *
     * @return the reasons that have the word among their own; otherwise those that contain all words, in name or text
     */
    static List<Reason> search(String what) {
        String lower = what.toLowerCase(Locale.ROOT);
        List<Reason> exact = all().filter(each -> each.text().words().contains(lower)).toList();
        List<String> parts = List.of(lower.split("\\s+"));
        return exact.isEmpty() ? all().filter(each -> parts.stream().allMatch(everythingAbout(each)::contains)).toList() : exact;
    }

    private static Stream<Reason> all() {
        return Arrays.stream(Reason.values());
    }

    private static String everythingAbout(Reason reason) {
        ReasonText text = reason.text();
        String status = reason.status() == null ? "" : reason.status().name();
        return String.join("\n", reason.shortName(), status, text.plain(), text.rule(), text.remedy(), String.join("\n", text.causes()))
            .toLowerCase(Locale.ROOT);
    }

    /** All words that lead to entries directly. */
    static List<String> names() {
        List<String> names = new ArrayList<>();
        all().forEach(each -> {
            names.add(each.shortName());
            names.addAll(each.text().words());
        });
        Arrays.stream(WcStatus.values()).forEach(each -> names.add(STATUS_PREFIX + each.name()));
        Terms.all().forEach(each -> names.add(each.word()));
        return names;
    }
}
