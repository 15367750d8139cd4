// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.softrdma.linux.process.DescriptorRange;
import org.softrdma.linux.process.ProcessInfo;
import org.softrdma.linux.process.SeccompListener;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Free numbers of one process for its descriptors. The caller holds this object's monitor from the choice of a number until the process has
 * the descriptor.
 */
final class FreeNumbers {
    private final Map<DeviceFile.Kind, Search> searches = new EnumMap<>(DeviceFile.Kind.class);

    FreeNumbers(DescriptorNumbers numbers) {
        for (DeviceFile.Kind each : DeviceFile.Kind.values()) {
            searches.put(each, new Search(numbers.of(each)));
        }
    }

    /** Has searches begin with the first number: some may have become free. Any thread. */
    void beginAnew() {
        searches.values().forEach(each -> each.anew = true);
    }

    /**
     * Finds a number for a new file; {@link SeccompListener#ANY_NUMBER} if any will do.
     *
     * @throws VerbsException EMFILE: none is free below the process's limit
     */
    int next(DeviceFile.Kind kind, int tid) {
        return searches.get(kind).next(tid);
    }

    /** Finds a number that is not below another one, as {@link #next}. */
    int atLeast(DeviceFile.Kind kind, int tid, int lowest) {
        return searches.get(kind).atLeast(tid, lowest);
    }

    /**
     * Search through the numbers of a kind; without ranges, any number will do. It goes on where the last one ended, because a look at a
     * number is a system call, and begins anew if it finds none.
     */
    private static final class Search {
        private final List<DescriptorRange> ranges;
        /** How many numbers, in the order of the ranges, were found used. */
        private long passed;
        private volatile boolean anew;

        Search(List<DescriptorRange> ranges) {
            this.ranges = ranges;
        }

        int atLeast(int tid, int lowest) {
            return ranges.isEmpty() ? SeccompListener.ANY_NUMBER : require(find(tid, lowest, 0));
        }

        int next(int tid) {
            if (ranges.isEmpty()) {
                return SeccompListener.ANY_NUMBER;
            }
            if (anew) {
                anew = false;
                passed = 0;
            }
            int number = find(tid, 0, passed);
            if (number == ProcessInfo.UNKNOWN && passed > 0) {
                number = find(tid, 0, 0);
            }
            passed = position(require(number)) + 1;
            return number;
        }

        private int find(int tid, int lowest, long skipped) {
            int limit = ProcessInfo.fileLimit(tid);
            long left = skipped;
            for (DescriptorRange each : ranges) {
                long first = Math.max(lowest, each.first() + Math.max(0, left));
                int end = Math.min(each.end(), limit);
                int number = first < end ? ProcessInfo.freeNumber(tid, (int) first, end) : ProcessInfo.UNKNOWN;
                if (number != ProcessInfo.UNKNOWN) {
                    return number;
                }
                left -= each.end() - each.first();
            }
            return ProcessInfo.UNKNOWN;
        }

        private int require(int number) {
            if (number == ProcessInfo.UNKNOWN) {
                throw new VerbsException(Errno.EMFILE, "open_device",
                    "of the numbers that the program may use for files (ulimit -n), none is free among " + ranges);
            }
            return number;
        }

        private long position(int number) {
            long before = 0;
            for (DescriptorRange each : ranges) {
                if (each.contains(number)) {
                    return before + number - each.first();
                }
                before += each.end() - each.first();
            }
            throw new AssertionError("number " + number + " is in none of " + ranges);
        }
    }
}
