// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.softrdma.linux.process.DescriptorRange;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class DescriptorNumbersTest {
    private static DescriptorRange range(int first, int end) {
        return new DescriptorRange(first, end);
    }

    @Test
    void shouldTakeTheUpperHalfOfTheUsualLimit() {
        DescriptorNumbers numbers = DescriptorNumbers.of(1024);
        assertEquals(510, numbers.first());
        assertEquals(List.of(range(510, 637), range(1020, Integer.MAX_VALUE), range(637, 1020)), numbers.verbs());
        assertEquals(List.of(range(637, 1004)), numbers.calls());
        assertEquals(range(1004, 1020), numbers.netlink());
    }

    @Test
    void shouldAddNumbersAboveTheUsualLimit() {
        DescriptorNumbers numbers = DescriptorNumbers.of(4096);
        assertEquals(List.of(range(510, 637), range(1020, 3072), range(4096, Integer.MAX_VALUE), range(637, 1020),
            range(3072, 4096)), numbers.verbs());
        assertEquals(List.of(range(637, 1004), range(3072, 4096)), numbers.calls());
        for (long limit : new long[] {-1, 1_048_576}) {
            assertEquals(range(12_288, 16_384), DescriptorNumbers.of(limit).calls().getLast());
        }
    }

    /** A context has two descriptors, of which one has any number: the lower half and the upper one are used up together. */
    @Test
    void shouldHaveNumbersForHalfOfTheLimit() {
        for (int limit = 32; limit <= 5000; limit += limit < 1030 ? 1 : 97) {
            DescriptorNumbers numbers = DescriptorNumbers.of(limit);
            int end = limit;
            int devices = numbers.verbs().stream().mapToInt(each -> Math.max(0, Math.min(each.end(), end) - each.first())).sum();
            assertTrue(numbers.first() <= (limit + 3) / 2, "limit " + limit);
            assertTrue(devices >= (limit - 3) / 2, "limit " + limit + ": " + devices);
            assertTrue(numbers.calls().getFirst().end() == numbers.netlink().first() && numbers.netlink().end() <= limit, "limit " + limit);
            for (int number = numbers.first(); number < 6000; number += 7) {
                int each = number;
                assertEquals(1, numbers.verbs().stream().filter(range -> range.contains(each)).count(), limit + ": " + number);
            }
        }
        VerbsException refused = assertThrows(VerbsException.class, () -> DescriptorNumbers.of(31));
        assertEquals(Errno.EMFILE, refused.errno());
    }
}
