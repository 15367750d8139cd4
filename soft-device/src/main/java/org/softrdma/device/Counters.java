// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device;

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

    public Counters(Class<E> names) {
        this.names = names.getEnumConstants();
        values = new long[this.names.length];
    }

    /** One counter by itself, for code shared by transports, whose enums differ. */
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

    /** Returns that counter by itself; it stays part of these counters. */
    public Counter counter(E what) {
        return new Counter(values, what.ordinal());
    }

    public void count(E what) {
        values[what.ordinal()]++;
    }

    public void add(E what, long howMany) {
        values[what.ordinal()] += howMany;
    }

    public long get(E what) {
        return values[what.ordinal()];
    }

    /** All counters in declaration order, names in lower case. */
    public Map<String, Long> toMap() {
        Map<String, Long> map = new LinkedHashMap<>();
        for (E name : names) {
            map.put(name.name().toLowerCase(Locale.ROOT), values[name.ordinal()]);
        }
        return map;
    }
}
