// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class CongestionControlTest {
    @Test
    void shouldReadWhatPeopleWrite() {
        assertEquals(CongestionControl.NONE, CongestionControl.parse("none"));
        assertEquals(CongestionControl.DCQCN, CongestionControl.parse("dcqcn"));
        assertEquals(new CongestionControl(true, 25_000_000_000L, 4_000, 60_000, 300_000, 32_767, 5_000_000, 50_000_000),
            CongestionControl.parse("dcqcn,rate=25gbit,cnp=4us,alpha=60us,timer=300us,bytes=32767,ai=5mbit,hai=50mbit"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "dcqcn", "dcqcn,rate=1500mbit,cnp=1ms,alpha=1500ns,timer=1s",
        "dcqcn,bytes=1,ai=1gbit,hai=1mbit"})
    void shouldWriteWhatItReads(String text) {
        assertEquals(text, CongestionControl.parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "on", "NONE", "none,", "dcqcn,", "dcqcn,rate", "dcqcn,rate=", "dcqcn,rate=1", "dcqcn,rate=0mbit",
        "dcqcn,rate=1001gbit", "dcqcn,rate=-1gbit", "dcqcn,rate=1gbit,rate=1gbit", "dcqcn,cnp=0us", "dcqcn,cnp=999ns", "dcqcn,cnp=1001ms",
        "dcqcn,timer=2s", "dcqcn,bytes=0", "dcqcn,bytes=1mb", "dcqcn,ai=0mbit", "dcqcn,speed=1gbit", "rate=1gbit"})
    void shouldSayWhatIsWrong(String text) {
        VerbsException refused = assertThrows(VerbsException.class, () -> CongestionControl.parse(text));
        assertEquals(Errno.EINVAL, refused.errno());
    }

    @Property
    void shouldRefuseAnythingElseInTheSameWay(@ForAll @StringLength(max = 40) String text) {
        try {
            CongestionControl.parse("dcqcn," + text);
        } catch (VerbsException refused) {
            assertEquals(Errno.EINVAL, refused.errno());
        }
    }

    @Test
    void shouldTakeTheLineRateOfTheInterfaceUnlessItIsGiven() {
        assertEquals(25_000_000_000L, CongestionControl.DCQCN.onInterface(25_000_000_000L).lineRate());
        assertEquals(10_000_000_000L, CongestionControl.DCQCN.onInterface(0).lineRate());
        assertEquals(1_000_000_000_000L, CongestionControl.DCQCN.onInterface(1_600_000_000_000L).lineRate());
        assertEquals(1_000_000, CongestionControl.parse("dcqcn,rate=1mbit").onInterface(25_000_000_000L).lineRate());
        assertFalse(CongestionControl.NONE.onInterface(25_000_000_000L).on());
        assertTrue(CongestionControl.DCQCN.on());
    }
}
