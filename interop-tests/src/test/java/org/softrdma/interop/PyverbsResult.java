// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Outcome of a run of pyverbs' suite.
 *
 * @param outcome OK or FAILED
 * @param output  all that was printed
 */
record PyverbsResult(int passed, String outcome, String output) {
    private static final Pattern LAST_LINES = Pattern.compile("Ran (\\d+) tests in .*\\n\\n(OK|FAILED) \\((.*)\\)");

    static PyverbsResult of(String output) {
        Matcher result = LAST_LINES.matcher(output);
        assertTrue(result.find(), output);
        int skipped = Integer.parseInt(result.group(3).replaceAll(".*skipped=(\\d+).*", "$1"));
        return new PyverbsResult(Integer.parseInt(result.group(1)) - skipped, result.group(2), output);
    }

    /** Requires that so many tests passed at least, and none failed. */
    void expect(int atLeast) {
        assertEquals("OK", outcome, output);
        assertTrue(passed >= atLeast, () -> passed + " passed:\n" + output);
    }
}
