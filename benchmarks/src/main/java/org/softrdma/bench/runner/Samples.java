// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Everything measured: for each row and key one value per repetition; and for rows that failed, why. */
final class Samples {
    private final Map<String, Map<String, List<Double>>> values = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    void add(String row, Map<String, Double> measured) {
        Map<String, List<Double>> ofRow = values.computeIfAbsent(row, key -> new TreeMap<>());
        measured.forEach((key, value) -> ofRow.computeIfAbsent(key, unused -> new ArrayList<>()).add(value));
    }

    void fail(String row, String why) {
        failures.merge(row, why, (before, now) -> before.contains(now) ? before : before + "; " + now);
    }

    Map<String, String> failures() {
        return failures;
    }

    Set<String> rows() {
        return values.keySet();
    }

    boolean has(String row, String key) {
        return values.containsKey(row) && values.get(row).containsKey(key);
    }

    Map<String, List<Double>> of(String row) {
        return values.getOrDefault(row, Map.of());
    }

    /** NaN if it was not measured. */
    double median(String row, String key) {
        double[] sorted = sorted(row, key);
        int n = sorted.length;
        return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }

    double min(String row, String key) {
        double[] sorted = sorted(row, key);
        return sorted.length == 0 ? Double.NaN : sorted[0];
    }

    double max(String row, String key) {
        double[] sorted = sorted(row, key);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
    }

    private double[] sorted(String row, String key) {
        double[] all = of(row).getOrDefault(key, List.of()).stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(all);
        return all;
    }
}
