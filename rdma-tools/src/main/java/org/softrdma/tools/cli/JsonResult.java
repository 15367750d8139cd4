// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;

/** Parameters and results of a test for programs: one line of JSON in the layout of perftest's later versions. */
public final class JsonResult {
    private JsonResult() {
    }

    /**
     * Formats a test.
     *
     * @param info    parameters; numbers, or text such as the names of devices
     * @param results numbers
     */
    public static String of(Map<String, Object> info, Map<String, Object> results) {
        return "{\"test_info\": " + object(info) + ", \"results\": " + object(results) + "}";
    }

    private static String object(Map<String, Object> values) {
        StringBuilder text = new StringBuilder("{");
        values.forEach((name, value) -> text.append(text.length() == 1 ? "\"" : ", \"").append(name).append("\": ")
            .append(value instanceof Number ? value.toString() : "\"" + value.toString().replaceAll("[\"\\\\]", "\\\\$0") + "\""));
        return text.append('}').toString();
    }

    /** @return the value with so many digits after the point; 0 for infinity and NaN, which JSON cannot represent */
    public static Number fixed(double value, int digits) {
        return Double.isFinite(value) ? new BigDecimal(String.format(Locale.ROOT, "%." + digits + "f", value)) : 0;
    }
}
