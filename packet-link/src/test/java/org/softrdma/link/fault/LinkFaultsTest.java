// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

class LinkFaultsTest {
    private static final FaultPlan AT_ONCE = FaultPlan.NONE.withDelay(0, 0);

    @Test
    void shouldReadEveryKey() {
        LinkFaults faults = LinkFaults.parse("drop=0.01,duplicate=2%,reorder=.03:200us,corrupt=0.125%,truncate=0.05,extend=100%,"
            + "delay=10us-50us,partition=0.0001:2s,clog=0.002:5ms,dir=both,seed=18446744073709551615");

        FaultPlan plan = AT_ONCE.withLoss(0.01).withDuplication(0.02).withReordering(0.03, 200_000).withBitFlip(0.00125)
            .withTruncation(0.05).withExtension(1).withDelay(10_000, 50_000).withPartition(0.0001, 2_000_000_000L)
            .withClog(0.002, 5_000_000);
        assertEquals(new LinkFaults(plan, FaultDirection.BOTH, -1), faults);
    }

    @Test
    void shouldStrikePacketsSentWithTheSameSeedUnlessToldOtherwise() {
        assertEquals(new LinkFaults(AT_ONCE.withLoss(1), FaultDirection.TX, LinkFaults.DEFAULT_SEED), LinkFaults.parse("drop=1"));
        assertEquals(FaultDirection.RX, LinkFaults.parse("drop=1,dir=rx").direction());
    }

    @Test
    void shouldKnowNoFaults() {
        assertTrue(LinkFaults.NONE.isNone());
        assertEquals(LinkFaults.NONE, LinkFaults.parse("none"));
        assertTrue(LinkFaults.parse("drop=0,reorder=0:1ms,seed=5").isNone());
        assertEquals("none", LinkFaults.parse("seed=5").toString());
        assertFalse(LinkFaults.parse("delay=1ns").isNone());
        assertFalse(LinkFaults.of(FaultPlan.NONE).isNone(), "that wire takes 1 us");
    }

    @ParameterizedTest
    @CsvSource({
        "'drop=1%', 'drop=0.01,seed=1'",
        "'seed=42,drop=0.00001', 'drop=0.00001,seed=42'",
        "'dir=rx,delay=1000us', 'delay=1ms,dir=rx,seed=1'",
        "'delay=0ns-1500ns', 'delay=0s-1500ns,seed=1'",
        "'dir=tx,clog=100%:60s,corrupt=0', 'clog=1:60s,seed=1'"})
    void shouldWriteOneWayWhatCanBeWrittenInMany(String text, String expected) {
        assertEquals(expected, LinkFaults.parse(text).toString());
    }

    @Test
    void shouldReadWhatItWrites() {
        Random random = new Random(5);
        for (int i = 0; i < 500; i++) {
            FaultPlan plan = AT_ONCE.withLoss(rate(random)).withDuplication(rate(random)).withBitFlip(rate(random))
                .withTruncation(rate(random)).withExtension(rate(random)).withReordering(rate(random), time(random))
                .withPartition(rate(random), time(random)).withClog(rate(random), time(random)).withDelay(time(random), 60_000_000_000L);
            LinkFaults faults = new LinkFaults(plan, FaultDirection.values()[random.nextInt(3)], random.nextLong());
            LinkFaults read = LinkFaults.parse(faults.toString());
            assertEquals(faults.toString(), read.toString());
            assertEquals(faults.plan().loss(), read.plan().loss());
            assertEquals(faults.plan().delayMinNs(), read.plan().delayMinNs());
            assertEquals(faults.seed(), read.seed());
        }
    }

    private static double rate(Random random) {
        return random.nextInt(100_001) / 100_000.0;
    }

    private static long time(Random random) {
        return 1 + random.nextLong(60_000_000_000L) / (random.nextBoolean() ? 1 : 1_000_000);
    }

    /** Each message names the key, the value and what is allowed. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "drop=1.01            | drop=1.01: a rate is 0..1 or 0%..100%",
        "drop=101%            | drop=101%: a rate is 0..1 or 0%..100%",
        "drop=-0.1            | drop=-0.1: a rate",
        "drop=1e-3            | drop=1e-3: a rate",
        "drop=NaN             | drop=NaN: a rate",
        "drop=                | drop=: a rate",
        "drop=%               | drop=%: a rate",
        "drop=0,1             | '1' is not KEY=VALUE; keys are drop, duplicate,",
        "drop                 | 'drop' is not KEY=VALUE",
        "''                   | '' is not KEY=VALUE",
        "drop=1,              | '' is not KEY=VALUE",
        "none,drop=1          | 'none' is not KEY=VALUE; keys are",
        "lose=0.1             | unknown fault 'lose'; there are: drop,",
        "Drop=0.1             | unknown fault 'Drop'",
        "drop=0.1,drop=0.2    | drop is repeated",
        "reorder=0.1          | reorder=0.1: must be RATE:TIME, as in reorder=0.01:200us",
        "reorder=0.1:         | reorder=0.1:: a time is 1ns to 60s: a number with ns, us, ms or s",
        "reorder=0.1:5        | reorder=0.1:5: a time",
        "reorder=0.1:0us      | reorder=0.1:0us: a time",
        "reorder=0.1:1.5ms    | reorder=0.1:1.5ms: a time",
        "reorder=2:5us        | reorder=2:5us: a rate",
        "partition=0.1:61s    | partition=0.1:61s: a time",
        "clog=0.1:60000000001ns | clog=0.1:60000000001ns: a time",
        "clog=0.1:999999999999s | clog=0.1:999999999999s: a time",
        "delay=50us-10us      | delay=50us-10us: the shorter time comes first",
        "delay=5              | delay=5: a time",
        "delay=-5us           | delay=-5us: a time",
        "dir=out              | dir=out: must be tx (packets sent), rx (packets received) or both",
        "seed=-1              | seed=-1: must be a whole number, 0 to 18446744073709551615",
        "seed=18446744073709551616 | seed=18446744073709551616: must be a whole number"})
    void shouldSayWhatIsWrong(String text, String message) {
        VerbsException refused = assertThrows(VerbsException.class, () -> LinkFaults.parse(text));

        assertEquals(Errno.EINVAL, refused.errno());
        assertTrue(refused.getMessage().contains(message), refused.getMessage());
    }
}
