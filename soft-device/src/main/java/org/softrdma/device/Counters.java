// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Event counters of a device, named by an enum whose constants are the counters' names in upper case. Written by the device's owner;
 * read under the owner's lock.
 */
public final class Counters<E extends Enum<E>> {
    private final E[] names;
    private final long[] values;
    /** One object for each name, however many queue pairs count by it: with many of them, each object more costs cache lines. */
    private final Counter[] single;

    public Counters(Class<E> names) {
        this.names = names.getEnumConstants();
        values = new long[this.names.length];
        single = new Counter[values.length];
        Arrays.setAll(single, index -> new Counter(values, index));
    }

    /** A single counter, for code shared by transports, which have different enums. */
    public static final class Counter {
        private final long[] values;
        private final int index;

        private Counter(long[] values, int index) {
            this.values = values;
            this.index = index;
        }

        public void count() {
            values[index]++;
        }

        public long get() {
            return values[index];
        }

        /** Sets a counter that mirrors a total kept elsewhere. */
        public void set(long total) {
            values[index] = total;
        }
    }

    /** Returns a single counter, which stays part of these counters. */
    public Counter counter(E name) {
        return single[name.ordinal()];
    }

    public void count(E name) {
        values[name.ordinal()]++;
    }

    public void add(E name, long count) {
        values[name.ordinal()] += count;
    }

    public long get(E name) {
        return values[name.ordinal()];
    }

    /** Returns all counters in declaration order, with names in lower case. */
    public Map<String, Long> toMap() {
        Map<String, Long> map = new LinkedHashMap<>();
        for (E name : names) {
            map.put(name.name().toLowerCase(Locale.ROOT), values[name.ordinal()]);
        }
        return map;
    }
}
