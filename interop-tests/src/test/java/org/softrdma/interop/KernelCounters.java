// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counters of the kernel's rxe0, read with {@code rdma statistic}. */
final class KernelCounters {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private KernelCounters() {
    }

    static Map<String, Long> read(Guest guest, Path log) {
        return of(start(guest, log));
    }

    /** Starts a reading, whose result {@link #of} waits for. */
    static RunningCommand start(Guest guest, Path log) {
        return guest.start(log, List.of("rdma", "statistic", "show", "link", "rxe0/1"));
    }

    static Map<String, Long> of(RunningCommand reading) {
        String line = reading.awaitSuccess(DEADLINE);
        Map<String, Long> counters = new LinkedHashMap<>();
        String[] words = line.strip().split("\\s+");
        for (int i = 2; i + 1 < words.length; i += 2) {      // after "link rxe0/1"
            counters.put(words[i], Long.parseLong(words[i + 1]));
        }
        return counters;
    }

    /** Increments between two readings, without unchanged counters. */
    static Map<String, Long> difference(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> difference = new LinkedHashMap<>();
        after.forEach((name, value) -> {
            long counted = value - before.getOrDefault(name, 0L);
            if (counted != 0) {
                difference.put(name, counted);
            }
        });
        return difference;
    }
}
