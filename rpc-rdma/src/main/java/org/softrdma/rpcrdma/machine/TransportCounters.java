// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.softrdma.rpcrdma.wire.HeaderFault;

/** Counters by name, of one connection or of all connections of a server. Any thread. */
public final class TransportCounters {
    private final AtomicLongArray events = new AtomicLongArray(TransportCounter.values().length);
    private final AtomicLongArray faults = new AtomicLongArray(HeaderFault.values().length);

    /** Creates counters of value 0. */
    public TransportCounters() {
    }

    void count(TransportCounter event) {
        events.incrementAndGet(event.ordinal());
    }

    void count(HeaderFault fault) {
        faults.incrementAndGet(fault.ordinal());
    }

    public long get(TransportCounter event) {
        return events.get(event.ordinal());
    }

    public long get(HeaderFault fault) {
        return faults.get(fault.ordinal());
    }

    /** @return the counters that are not 0, by name */
    public Map<String, Long> snapshot() {
        Map<String, Long> values = new TreeMap<>();
        for (TransportCounter each : TransportCounter.values()) {
            values.put(each.counter(), get(each));
        }
        for (HeaderFault each : HeaderFault.values()) {
            values.put("refused_" + each.counter(), get(each));
        }
        values.values().removeIf(value -> value == 0);
        return values;
    }
}
