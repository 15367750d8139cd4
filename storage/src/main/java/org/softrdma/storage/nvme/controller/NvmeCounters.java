// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.softrdma.storage.nvme.wire.NvmeStatus;
import org.softrdma.storage.nvme.wire.QueueRequest.Refusal;

/** Counters of a target. Any thread. */
public final class NvmeCounters {
    private final AtomicLongArray events = new AtomicLongArray(NvmeCounter.values().length);
    private final AtomicLongArray outcomes = new AtomicLongArray(NvmeStatus.values().length);
    private final AtomicLongArray refusals = new AtomicLongArray(Refusal.values().length);

    void count(NvmeCounter event) {
        events.incrementAndGet(event.ordinal());
    }

    void count(NvmeStatus outcome) {
        outcomes.incrementAndGet(outcome.ordinal());
    }

    public void count(Refusal refusal) {
        refusals.incrementAndGet(refusal.ordinal());
    }

    public long get(NvmeCounter event) {
        return events.get(event.ordinal());
    }

    public long get(NvmeStatus outcome) {
        return outcomes.get(outcome.ordinal());
    }

    public long get(Refusal refusal) {
        return refusals.get(refusal.ordinal());
    }

    /** @return the counters that are not 0, by name */
    public Map<String, Long> snapshot() {
        Map<String, Long> values = new TreeMap<>();
        for (NvmeCounter each : NvmeCounter.values()) {
            values.put(each.counter(), get(each));
        }
        for (NvmeStatus each : NvmeStatus.values()) {
            values.put("status_" + each.counter(), get(each));
        }
        for (Refusal each : Refusal.values()) {
            values.put("refused_" + each.counter(), get(each));
        }
        values.values().removeIf(value -> value == 0);
        return values;
    }
}
