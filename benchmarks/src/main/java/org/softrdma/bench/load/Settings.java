// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Settings of a load process: {@code key=value} arguments. */
final class Settings {
    private final Map<String, String> values = new HashMap<>();

    Settings(String[] arguments, int from) {
        for (int i = from; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            values.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
    }

    String text(String key, String byDefault) {
        return values.getOrDefault(key, byDefault);
    }

    int number(String key, int byDefault) {
        String value = values.get(key);
        return value == null ? byDefault : Integer.parseInt(value);
    }

    int[] numbers(String key, String byDefault) {
        return Stream.of(text(key, byDefault).split(",")).mapToInt(Integer::parseInt).toArray();
    }

    /** Seconds to nanoseconds. */
    long seconds(String key, double byDefault) {
        String value = values.get(key);
        return (long) (1e9 * (value == null ? byDefault : Double.parseDouble(value)));
    }
}
