// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.manual;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Documentation of a tool.
 *
 * @param summary its line in the overview
 * @param usage   its help text; may be empty
 * @param ours    the tool has no original, and can only be called as {@code softrdma NAME}
 */
public record Page(String name, String summary, String usage, boolean ours) {
    /** Options stand at the start of a word, or after a bracket, a bar or a comma. */
    private static final Pattern OPTION = Pattern.compile("(?<![^\\s\\[|{,])(--[a-z][a-z_-]*[a-z]|-[A-Za-z0-9])(?![A-Za-z0-9_-])");
    /** Braces contain words to choose from. */
    private static final Pattern CHOICE = Pattern.compile("\\{([^{}]*)\\}");
    private static final Pattern WORD = Pattern.compile("[a-z][a-z_]+");

    /** @return all options, one word each */
    public Set<String> options() {
        Set<String> options = new TreeSet<>();
        Matcher matcher = OPTION.matcher(usage);
        while (matcher.find()) {
            options.add(matcher.group(1));
        }
        return options;
    }

    /** @return all words to choose from, such as the objects of {@code rdma} */
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
