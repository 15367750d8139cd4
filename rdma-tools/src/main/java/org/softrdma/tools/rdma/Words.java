// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;

/** The words of a command line, taken from the left. */
final class Words {
    private final List<String> words;
    private int position;

    Words(List<String> words) {
        this.words = words;
    }

    boolean isEmpty() {
        return position == words.size();
    }

    /** The next word, without taking it. */
    String peek() {
        return words.get(position);
    }

    String take() {
        return words.get(position++);
    }

    /**
     * Takes the next word if it abbreviates one of {@code commands}. The first match wins, as in iproute2: {@code s} is {@code system}, not
     * {@code statistic}.
     *
     * @return the whole command, or null if the word was not taken
     */
    String takeCommand(String... commands) {
        for (String each : commands) {
            if (each.startsWith(peek())) {
                position++;
                return each;
            }
        }
        return null;
    }
}
