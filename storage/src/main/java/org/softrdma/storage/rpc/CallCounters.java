// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.rpc;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counters of calls. Any thread. */
public final class CallCounters {
    private final AtomicLongArray values = new AtomicLongArray(CallCounter.values().length);

    public void count(CallCounter counter) {
        values.incrementAndGet(counter.ordinal());
    }

    /** @return the counters that are not 0, by name */
    public Map<String, Long> snapshot() {
        Map<String, Long> snapshot = new TreeMap<>();
        for (CallCounter each : CallCounter.values()) {
            if (values.get(each.ordinal()) != 0) {
                snapshot.put(each.text(), values.get(each.ordinal()));
            }
        }
        return snapshot;
    }
}
