// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.manual;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is known of a tool.
 *
 * @param summary its line in the overview
 * @param usage   what it prints when asked for help; may be empty
 * @param ours    no original has that name, so it is a word after {@code softrdma} only
 */
public record Page(String name, String summary, String usage, boolean ours) {
    /** An option begins a word, or stands behind a bracket, a bar or a comma. */
    private static final Pattern OPTION = Pattern.compile("(?<![^\\s\\[|{,])(--[a-z][a-z_-]*[a-z]|-[A-Za-z0-9])(?![A-Za-z0-9_-])");
    /** Braces hold the words there is a choice of. */
    private static final Pattern CHOICE = Pattern.compile("\\{([^{}]*)\\}");
    private static final Pattern WORD = Pattern.compile("[a-z][a-z_]+");

    /** Its options, one word each. */
    public Set<String> options() {
        Set<String> options = new TreeSet<>();
        Matcher matcher = OPTION.matcher(usage);
        while (matcher.find()) {
            options.add(matcher.group(1));
        }
        return options;
    }

    /** Words it offers a choice of, as {@code rdma} its objects. */
    public Set<String> words() {
        Set<String> words = new TreeSet<>();
        Matcher choices = CHOICE.matcher(usage);
        while (choices.find()) {
            for (String each : choices.group(1).split("\\|")) {
                if (WORD.matcher(each.strip()).matches()) {
                    words.add(each.strip());
                }
            }
        }
        return words;
    }
}
