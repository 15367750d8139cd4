// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.soak;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Resources of a process at one moment, and the work done so far.
 *
 * @param heapKiB       used heap after a full collection
 * @param residentKiB   resident memory
 * @param descriptors   open file descriptors
 * @param threads       live platform threads
 * @param connections   connections ended so far
 * @param operations    operations completed and checked so far
 */
record Sample(long heapKiB, long residentKiB, long descriptors, long threads, long connections, long operations) {
    private static final String WORD = "sample";

    /** Takes a sample of this process. Linux only: reads {@code /proc/self}. */
    static Sample take(long connections, long operations) throws IOException {
        System.gc();
        long heapKiB = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10;
        long residentKiB = Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElseThrow();
        long descriptors;
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            descriptors = open.count();
        }
        return new Sample(heapKiB, residentKiB, descriptors, ManagementFactory.getThreadMXBean().getThreadCount(), connections, operations);
    }

    String line() {
        return String.join(" ", WORD, Long.toString(heapKiB), Long.toString(residentKiB), Long.toString(descriptors),
            Long.toString(threads), Long.toString(connections), Long.toString(operations));
    }

    static boolean isSample(String line) {
        return line.startsWith(WORD + " ");
    }

    static Sample parse(String line) {
        String[] words = line.split(" ");
        return new Sample(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]),
            Long.parseLong(words[5]), Long.parseLong(words[6]));
    }
}
