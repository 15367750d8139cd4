// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.math.BigInteger;

/**
 * Parser of numbers with the rules of the original tools, most of which call {@code strtol} and {@code strtoul} with base 0: leading
 * blanks, a sign, 0x for hexadecimal, 0 for octal. Characters after the digits are ignored, and a text without digits is 0.
 */
public final class CNumber {
    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger ULONG_MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private CNumber() {
    }

    /** @return {@code (int) strtol(text, NULL, 0)} */
    public static int signed(String text) {
        return parse(text, true).max(LONG_MIN).min(LONG_MAX).intValue();
    }

    /** @return {@code atoi(text)}: base 10 only */
    public static int decimal(String text) {
        return parse(text, false).max(LONG_MIN).min(LONG_MAX).intValue();
    }

    /** @return {@code (unsigned int) strtoul(text, NULL, 0)}, in an int: -1 is 4294967295 */
    public static int unsigned(String text) {
        BigInteger value = parse(text, true);
        return (value.abs().compareTo(ULONG_MAX) > 0 ? ULONG_MAX : value).intValue();
    }

    private static BigInteger parse(String text, boolean anyBase) {
        String rest = text.stripLeading();
        boolean negative = rest.startsWith("-");
        if (negative || rest.startsWith("+")) {
            rest = rest.substring(1);
        }
        int radix = 10;
        if (anyBase && rest.length() > 2 && (rest.startsWith("0x") || rest.startsWith("0X")) && Character.digit(rest.charAt(2), 16) >= 0) {
            radix = 16;
            rest = rest.substring(2);
        } else if (anyBase && rest.startsWith("0")) {
            radix = 8;
        }
        int end = 0;
        while (end < rest.length() && rest.charAt(end) < 0x80 && Character.digit(rest.charAt(end), radix) >= 0) {
            end++;
        }
        BigInteger value = end == 0 ? BigInteger.ZERO : new BigInteger(rest.substring(0, end), radix);
        return negative ? value.negate() : value;
    }
}
