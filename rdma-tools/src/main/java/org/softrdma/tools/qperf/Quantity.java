// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers, sizes and times of the command line, all u32. */
final class Quantity {
    private static final BigInteger U32_MAX = BigInteger.ONE.shiftLeft(32).subtract(BigInteger.ONE);
    private static final Pattern WHOLE = Pattern.compile("\\s*[-+]?[0-9]{1,18}");
    private static final Pattern WITH_UNIT = Pattern.compile("\\s*([-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)(.*)");
    private static final Map<String, Long> SIZE_UNITS = Map.ofEntries(Map.entry("", 1L),
        Map.entry("k", 1000L), Map.entry("kb", 1000L), Map.entry("m", 1000_000L), Map.entry("mb", 1000_000L),
        Map.entry("g", 1000_000_000L), Map.entry("gb", 1000_000_000L), Map.entry("K", 1L << 10), Map.entry("kib", 1L << 10),
        Map.entry("M", 1L << 20), Map.entry("mib", 1L << 20), Map.entry("G", 1L << 30), Map.entry("gib", 1L << 30));
    private static final Map<String, Long> TIME_UNITS = Map.of("", 1L, "s", 1L, "m", 60L, "h", 3600L, "d", 86400L);

    private Quantity() {
    }

    /** @param option whose argument it is, for failures */
    static int number(String option, String text) {
        if (!WHOLE.matcher(text).matches()) {
            throw new QPerfFailure("bad argument: " + text);
        }
        return check(option, new BigDecimal(text.strip()));
    }

    /** Bytes: a number, and k, m, g for powers of 1000 or K, M, G for powers of 1024. */
    static int size(String option, String text) {
        return scaled(option, text, SIZE_UNITS, option + ": bad size: " + text);
    }

    /** Seconds, or what s, m, h and d say. */
    static int seconds(String option, String text) {
        return scaled(option, text.toLowerCase(Locale.ROOT), TIME_UNITS, "bad argument: " + text);
    }

    private static int scaled(String option, String normalized, Map<String, Long> units, String complaint) {
        Matcher matcher = WITH_UNIT.matcher(normalized);
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new QPerfFailure(complaint);
        }
        return check(option, new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit)));
    }

    private static int check(String option, BigDecimal value) {
        BigInteger whole = value.toBigInteger();
        if (value.signum() < 0) {
            throw new QPerfFailure(option + " requires a non-negative number");
        }
        if (whole.compareTo(U32_MAX) > 0) {
            throw new QPerfFailure(option + ": " + whole + " is more than " + U32_MAX);
        }
        return whole.intValue();
    }
}
