// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs.reason;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An entry of the catalogue of reasons, for people.
 *
 * @param sentence the sentence, with the word of a {@link ReasonValue} in braces for each value
 * @param values   values of the sentence, in its order
 * @param rule     the rule that was applied, with its source
 * @param causes   usual causes, the most frequent first
 * @param remedy   corrective action
 * @param words    further words that lead to the entry, such as names of counters
 */
public record ReasonText(String sentence, List<ReasonValue> values, String rule, List<String> causes, String remedy, List<String> words) {
    private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");

    /** Copies the lists. */
    public ReasonText {
        values = List.copyOf(values);
        causes = List.copyOf(causes);
        words = List.copyOf(words);
    }

    /** Creates an entry; the values are those that the sentence names. */
    static ReasonText of(String sentence, String rule, List<String> causes, String remedy, List<String> words) {
        List<ReasonValue> values = new ArrayList<>();
        Matcher places = PLACE.matcher(sentence);
        while (places.find()) {
            values.add(ReasonValue.valueOf(places.group(1).toUpperCase(Locale.ROOT)));
        }
        return new ReasonText(sentence, values, rule, causes, remedy, words);
    }

    /** {@return the sentence without values: each is replaced by three dots} */
    public String plain() {
        return PLACE.matcher(sentence).replaceAll("…");
    }

    /**
     * Writes the sentence of an occurrence.
     *
     * @param actual values in the order of {@link #values}; missing ones are replaced by three dots
     * @return the sentence
     */
    public String with(long... actual) {
        int[] next = {0};
        return PLACE.matcher(sentence).replaceAll(place -> {
            int index = next[0]++;
            return index < actual.length ? values.get(index).format(actual[index]) : "…";
        });
    }
}
