// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;

/** What a test was and what it measured, for a program to read: one line of JSON, laid out as perftest's later versions do. */
public final class JsonResult {
    private JsonResult() {
    }

    /** Values are numbers, or text: the names of devices, and our own words. */
    public static String of(Map<String, Object> info, Map<String, Object> results) {
        return "{\"test_info\": " + object(info) + ", \"results\": " + object(results) + "}";
    }

    private static String object(Map<String, Object> values) {
        StringBuilder text = new StringBuilder("{");
        values.forEach((name, value) -> text.append(text.length() == 1 ? "\"" : ", \"").append(name).append("\": ")
            .append(value instanceof Number ? value.toString() : "\"" + value.toString().replaceAll("[\"\\\\]", "\\\\$0") + "\""));
        return text.append('}').toString();
    }

    /** What was divided by nothing, as in a test without a message, is 0: JSON has no word for it. */
    public static Number fixed(double value, int digits) {
        return Double.isFinite(value) ? new BigDecimal(String.format(Locale.ROOT, "%." + digits + "f", value)) : 0;
    }
}
