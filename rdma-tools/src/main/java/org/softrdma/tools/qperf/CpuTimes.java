// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Clock and use of the host's processors, in hundredths of a second. */
final class CpuTimes {
    static final int REAL = 0;
    static final int USER = 1;
    static final int NICE = 2;
    static final int KERNEL = 3;
    static final int IDLE = 4;
    static final int IOWAIT = 5;
    static final int IRQ = 6;
    static final int SOFTIRQ = 7;
    static final int STEAL = 8;
    static final int COUNT = 9;

    /** Ticks per second: the unit in which Linux reports times to programs, independent of its internal clock. */
    static final int TICKS_PER_SECOND = 100;

    private static final long NS_PER_TICK = 1_000_000_000L / TICKS_PER_SECOND;
    private static final Path STAT = Path.of("/proc/stat");

    private CpuTimes() {
    }

    /** Reads all of them; where there is no {@code /proc/stat}, the time alone. */
    static void read(long[] times) {
        times[REAL] = System.nanoTime() / NS_PER_TICK;
        String line;
        try {
            line = Files.exists(STAT) ? Files.readString(STAT) : "";
        } catch (IOException unreadable) {
            line = "";
        }
        parse(line, times);
    }

    /** @param stat begins with "cpu" and the times from {@link #USER} on; those that are left out are 0 */
    static void parse(String stat, long[] times) {
        String[] words = stat.lines().findFirst().orElse("").strip().split(" +");
        for (int i = USER; i < COUNT; i++) {
            boolean known = words[0].equals("cpu") && i < words.length && words[i].matches("[0-9]{1,18}");
            times[i] = known ? Long.parseLong(words[i]) : 0;
        }
    }
}
