// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.trap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.softrdma.linux.process.DescriptorRange;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class DescriptorNumbersTest {
    @Test
    void shouldTakeTheHighestNumbersBelowTheUsualLimit() {
        for (long limit : new long[] {-1, 1024, 1_048_576}) {
            DescriptorNumbers numbers = DescriptorNumbers.of(limit);
            assertEquals(new DescriptorRange(1004, 1020), numbers.netlink());
            assertEquals(new DescriptorRange(924, 1004), numbers.connections());
            assertEquals(new DescriptorRange(669, 924), numbers.verbs());
        }
    }

    @Test
    void shouldFitIntoEveryLimitThatIsNotTooLow() {
        for (int limit = 32; limit <= 1020; limit++) {
            DescriptorNumbers numbers = DescriptorNumbers.of(limit);
            assertTrue(numbers.netlink().end() <= limit && numbers.verbs().first() >= limit / 2, "limit " + limit);
            assertEquals(numbers.connections().end(), numbers.netlink().first());
            assertEquals(numbers.verbs().end(), numbers.connections().first());
            assertFalse(numbers.contains(numbers.netlink().first()));
        }
        VerbsException refused = assertThrows(VerbsException.class, () -> DescriptorNumbers.of(31));
        assertEquals(Errno.EMFILE, refused.errno());
    }
}
