// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counters of the devices of a fabric, as changes since a reading. */
public final class Counters {
    private final Fabric fabric;
    private final List<Map<String, Long>> before = new ArrayList<>();

    /** Takes the first reading. */
    Counters(Fabric fabric) {
        this.fabric = fabric;
        reset();
    }

    /** Takes a new reading, which later values are compared with. */
    public void reset() {
        before.clear();
        for (int device = 0; device < fabric.size(); device++) {
            before.add(fabric.counters(device));
        }
    }

    /**
     * Returns by how much a counter of a device has moved.
     *
     * @param device from 0
     * @param name   as in {@code rdma statistic}: {@code retransmitted_pkts}
     * @return the difference
     * @throws IllegalArgumentException if the device has no such counter; the message lists those there are
     */
    public long moved(int device, String name) {
        Map<String, Long> now = fabric.counters(device);
        if (!now.containsKey(name)) {
            throw new IllegalArgumentException(fabric.device(device).name() + " has no counter " + name + "; there are " + now.keySet());
        }
        return now.get(name) - before.get(device).getOrDefault(name, 0L);
    }

    /**
     * Returns the counters of a device that have moved, by how much.
     *
     * @param device from 0
     * @return differences other than 0, by name
     */
    public Map<String, Long> moved(int device) {
        Map<String, Long> changes = new LinkedHashMap<>();
        fabric.counters(device).forEach((name, value) -> {
            long change = value - before.get(device).getOrDefault(name, 0L);
            if (change != 0) {
                changes.put(name, change);
            }
        });
        return changes;
    }

    /** One line for each device: the counters that have moved. */
    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        for (int device = 0; device < fabric.size(); device++) {
            List<String> words = new ArrayList<>();
            moved(device).forEach((name, change) -> words.add(name + " " + (change > 0 ? "+" : "") + change));
            lines.add(fabric.device(device).name() + ": " + (words.isEmpty() ? "nothing moved" : String.join(", ", words)));
        }
        return String.join(System.lineSeparator(), lines);
    }
}
