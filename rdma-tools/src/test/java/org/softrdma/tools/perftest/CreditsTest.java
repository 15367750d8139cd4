// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CreditsTest {
    private static final int WINDOW = 20;

    /** The peer has 20 receives: at any time so many messages may be under way. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 1, true", "0, 19, 1, true", "0, 20, 1, false", "6, 25, 1, true", "6, 26, 1, false",
        "0, 16, 4, true", "0, 17, 4, false"})
    void shouldNotSendMoreThanThereAreReceives(int told, long posted, int more, boolean expected) {
        assertEquals(expected, Credits.suffice(told, posted, more, WINDOW));
    }

    /** A timed test may send more than a u32 counts. */
    @ParameterizedTest
    @CsvSource({"-1, 4294967297, true", "-1, 4294967314, true", "-1, 4294967315, false", "0, 4294967315, true", "0, 4294967316, false"})
    void shouldCountAroundTheEndOfAWord(int told, long posted, boolean expected) {
        assertEquals(expected, Credits.suffice(told, posted, 1, WINDOW));
    }

    /** With all sizes, each begins at 0; the last word about the one before may come when the next has begun. */
    @ParameterizedTest
    @CsvSource({"852, 0, true", "852, 19, true", "852, 20, false"})
    void shouldTakeAWordAboutMoreThanWasSentForNone(int told, long posted, boolean expected) {
        assertEquals(expected, Credits.suffice(told, posted, 1, WINDOW));
    }
}
