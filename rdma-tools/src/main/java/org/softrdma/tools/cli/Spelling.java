// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds the words that a misspelled one may mean. */
public final class Spelling {
    private Spelling() {
    }

    /**
     * Finds the words nearest to another: with the fewest typing mistakes, at most two or a third of the word, or that contain it.
     *
     * @return the best first; empty if nothing is near
     */
    public static List<String> nearest(String word, Collection<String> known) {
        int limit = Math.max(2, word.length() / 3);
        record Candidate(String word, int distance) {
        }
        return known.stream().distinct()
            .map(each -> new Candidate(each, word.length() > 2 && each.contains(word) ? 0 : distance(word, each)))
            .filter(each -> each.distance <= limit && each.distance < word.length())
            .sorted(Comparator.comparingInt(Candidate::distance))
            .map(Candidate::word).toList();
    }

    /** Levenshtein distance: insertions, deletions, replacements. */
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
