// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class CountersTest {
    private enum Name {
        SENT_PKTS, RCVD_PKTS, DROP_BAD_ICRC
    }

    @Test
    void shouldCountAndShowAllInDeclarationOrder() {
        Counters<Name> counters = new Counters<>(Name.class);
        counters.count(Name.DROP_BAD_ICRC);
        counters.add(Name.SENT_PKTS, 1L << 40);
        counters.count(Name.SENT_PKTS);
        assertEquals((1L << 40) + 1, counters.get(Name.SENT_PKTS));
        assertEquals(0, counters.get(Name.RCVD_PKTS));
        assertEquals("{sent_pkts=1099511627777, rcvd_pkts=0, drop_bad_icrc=1}", counters.toMap().toString());
        assertEquals(List.of("sent_pkts", "rcvd_pkts", "drop_bad_icrc"), List.copyOf(counters.toMap().keySet()));
    }

    /** In Turkish, "I" becomes a dotless i: names must not depend on where the program runs. */
    @Test
    void shouldNameCountersAlikeInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr"));
            assertEquals(1, new Counters<>(Name.class).toMap().keySet().stream().filter("drop_bad_icrc"::equals).count());
        } finally {
            Locale.setDefault(before);
        }
    }
}
