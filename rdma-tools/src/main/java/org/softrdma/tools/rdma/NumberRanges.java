// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.rdma;

import java.util.List;
import org.softrdma.host.inspect.Resource;

/** Lists of numbers in {@code rdma}'s form: {@code 17,19-34}. */
final class NumberRanges {
    private NumberRanges() {
    }

    /** The numbers called {@code name} of those resources whose {@code key} is {@code value}; empty if there are none. */
    static String of(List<Resource> resources, String key, String value, String name) {
        long[] numbers = resources.stream()
            .filter(each -> value != null && value.equals(each.attribute(key)) && each.attribute(name) != null
                && each.attribute(name).matches("[0-9]{1,18}"))
            .mapToLong(each -> Long.parseLong(each.attribute(name))).sorted().distinct().toArray();
        StringBuilder text = new StringBuilder();
        for (int first = 0, last; first < numbers.length; first = last + 1) {
            last = first;
            while (last + 1 < numbers.length && numbers[last + 1] == numbers[last] + 1) {
                last++;
            }
            text.append(text.isEmpty() ? "" : ",").append(numbers[first]);
            if (last > first) {
                text.append('-').append(numbers[last]);
            }
        }
        return text.toString();
    }
}
