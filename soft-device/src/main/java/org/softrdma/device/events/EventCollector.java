// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.events;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects all events of a device, up to a number of slots. For the device's owner. */
public final class EventCollector {
    private final int maxSlots;
    private final Map<EventRing, Collected> byRing = new LinkedHashMap<>();
    private int total;

    /** Slots of one ring, and the number of the first. */
    private static final class Collected {
        private final long first;
        private long[] slots = new long[16 * EventRing.SLOT];
        private int used;

        Collected(long first) {
            this.first = first;
        }
    }

    /** @param maxSlots slots after which nothing more is collected */
    public EventCollector(int maxSlots) {
        this.maxSlots = maxSlots;
    }

    /** Takes the slot that was just written. */
    void add(EventRing ring, long[] from, int at) {
        if (total == maxSlots) {
            return;
        }
        total++;
        Collected collected = byRing.computeIfAbsent(ring, each -> new Collected(each.written() - 1));
        if (collected.used == collected.slots.length) {
            collected.slots = Arrays.copyOf(collected.slots, 2 * collected.used);
        }
        System.arraycopy(from, at, collected.slots, collected.used, EventRing.SLOT);
        collected.used += EventRing.SLOT;
    }

    /** Copies what was collected. */
    public List<EventCopy> copy() {
        List<EventCopy> copies = new ArrayList<>();
        byRing.forEach((ring, collected) ->
            copies.add(new EventCopy(ring.head(), collected.first, Arrays.copyOf(collected.slots, collected.used))));
        return copies;
    }
}
