// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.rxe.config.Segmentation;

/** Packets of one request of a READ: the rules of the class comment, at their limits. */
class RequestSizesTest {
    private final RequestSizes sizes = new RequestSizes(new SendQueueFixture().ring);

    /** Pairs leave room for eight such READs; a READ of 64 packets is the longest that is cut into them. */
    @ParameterizedTest
    @CsvSource({"64, 256, 2", "64, 255, 256", "65, 1000, 256", "1, 8, 2", "1, 7, 256", "2, 8, 2", "3, 15, 256", "3, 16, 2"})
    void shouldCutReadsIntoPairs(int packets, int depth, int expected) {
        sizes.follow(Segmentation.EQUAL);
        assertEquals(expected, sizes.ofRead(packets, depth));
    }

    /** Half the largest window, or all at once from a peer that accepts few READs. */
    @ParameterizedTest
    @CsvSource({"1, 4, 256", "1000, 16, 256", "1000, 3, 2147483647"})
    void shouldRequestLongPiecesOtherwise(int packets, int depth, int expected) {
        sizes.follow(Segmentation.FAITHFUL);
        assertEquals(expected, sizes.ofRead(packets, depth));
    }
}
