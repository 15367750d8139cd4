// SPDX-License-Identifier: Apache-2.0
package org.softrdma.host.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text form of times: a whole number with {@code ns}, {@code us}, {@code ms} or {@code s}, up to 60 s. */
public final class TimeText {
    /** Rule for the text, for error messages. */
    public static final String RULE = "a time is 1ns to 60s: a number with ns, us, ms or s";
    /** Result of {@link #parse} for text that is not a time. */
    public static final long NONE = -1;

    private static final long LONGEST_NS = 60_000_000_000L;
    private static final Pattern TIME = Pattern.compile("([0-9]{1,12})(ns|us|ms|s)");
    private static final String[] UNITS = {"s", "ms", "us", "ns"};
    private static final long[] UNIT_NS = {1_000_000_000, 1_000_000, 1_000, 1};

    private TimeText() {
    }

    /**
     * Reads a time.
     *
     * @return nanoseconds, 0..60 s, or {@link #NONE}
     */
    public static long parse(String text) {
        Matcher time = TIME.matcher(text);
        if (time.matches()) {
            long number = Long.parseLong(time.group(1));
            for (int i = 0; i < UNITS.length; i++) {
                if (UNITS[i].equals(time.group(2)) && number <= LONGEST_NS / UNIT_NS[i]) {
                    return number * UNIT_NS[i];
                }
            }
        }
        return NONE;
    }

    /** Formats a time in the largest unit that gives a whole number. */
    public static String format(long timeNs) {
        int unit = 0;
        while (timeNs % UNIT_NS[unit] != 0) {
            unit++;
        }
        return timeNs / UNIT_NS[unit] + UNITS[unit];
    }
}
