// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** Values of enums as words in the options of a link. */
final class OptionWord {
    private OptionWord() {
    }

    /** Returns the word of a value. */
    static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a word.
     *
     * @param option its name, for the message
     * @throws VerbsException EINVAL: the words that there are
     */
    static <E extends Enum<E>> E parse(Class<E> values, String option, String word) {
        for (E each : values.getEnumConstants()) {
            if (of(each).equals(word)) {
                return each;
            }
        }
        String known = Arrays.stream(values.getEnumConstants()).map(OptionWord::of).collect(Collectors.joining(" or "));
        throw new VerbsException(Errno.EINVAL, "setlink", option + " is " + known + ", not '" + word + "'");
    }
}
