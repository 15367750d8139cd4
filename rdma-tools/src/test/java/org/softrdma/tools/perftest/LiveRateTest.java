// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LiveRateTest {
    private final Locale users = Locale.getDefault();

    @AfterEach
    void restore() {
        Locale.setDefault(users);
    }

    @Test
    void shouldWriteNumbersAsCDoesWhereverTheUserIs() {
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));

        assertEquals("\r 3 s: 1500 messages/s, 93.75 MB/s    ", LiveRate.line(3, 1500, 65536));
    }
}
