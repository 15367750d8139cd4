// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.softrdma.link.fault.LinkFaults;
import org.softrdma.rxe.config.Recovery;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** RC on a perfect fabric, with faults in the devices' own links, as {@code Rxe.setFaults} sets them. */
class LinkFaultsRcTest {
    private static final String HEAVY = "drop=0.03,duplicate=0.05,reorder=0.05:50us,corrupt=0.03,truncate=0.01,extend=0.01,delay=1us-20us,"
        + "partition=0.0005:200us,clog=0.001:200us,dir=both,seed=";
    private static final int SIZE = 20_000;
    private static final int MESSAGES = 8;

    /**
     * Writes, reads and sends; all must arrive as it was.
     *
     * @return the counters of both devices, and the time it took
     */
    private static List<Object> run(String faultsOfA, String faultsOfB) {
        return run(faultsOfA, faultsOfB, Recovery.TIMEOUT);
    }

    private static List<Object> run(String faultsOfA, String faultsOfB, Recovery recovery) {
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        setup.options = RxeOptions.DEFAULT.withRecovery(recovery);
        SimulatedPair pair = new SimulatedPair(1, setup);
        byte[] data = new byte[MESSAGES * SIZE];
        new Random(3).nextBytes(data);
        MemoryRegion source = pair.a.memory(data);
        MemoryRegion written = pair.b.memory(data.length, SimulatedPair.ALL_REMOTE);
        // An exchange without faults: both have measured the round trip now.
        pair.a.qp.postSend(new SendRequest().write(written.address(), written.rkey()).element(source, 0, 1).signaled());
        pair.runUntil(() -> pair.a.sends().size() == 1);
        pair.a.sends().clear();
        Rxe.setFaults(pair.a.context, LinkFaults.parse(faultsOfA));
        Rxe.setFaults(pair.b.context, LinkFaults.parse(faultsOfB));
        MemoryRegion sent = pair.b.memory(data.length, SimulatedPair.ALL_REMOTE);
        MemoryRegion readBack = pair.a.memory(data.length, SimulatedPair.ALL_REMOTE);
        for (int i = 0; i < MESSAGES; i++) {
            pair.b.qp.postReceive(new ReceiveRequest().begin(i).element(sent, i * SIZE, SIZE));
        }
        for (int i = 0; i < MESSAGES; i++) {
            int at = i * SIZE;
            pair.a.qp.postSend(new SendRequest().write(written.address() + at, written.rkey()).element(source, at, SIZE).signaled());
            pair.a.qp.postSend(new SendRequest().send().element(source, at, SIZE).signaled());
            pair.a.qp.postSend(new SendRequest().read(written.address() + at, written.rkey()).element(readBack, at, SIZE).signaled());
        }
        pair.runUntil(() -> pair.a.sends().size() == 3 * MESSAGES && pair.b.receives().size() == MESSAGES);

        assertEquals(Collections.nCopies(3 * MESSAGES, WcStatus.SUCCESS), pair.a.sendStatuses());
        assertEquals(Collections.nCopies(MESSAGES, WcStatus.SUCCESS), pair.b.receiveStatuses());
        for (MemoryRegion each : List.of(written, sent, readBack)) {
            assertArrayEquals(data, each.memory().toArray(ValueLayout.JAVA_BYTE), faultsOfA + " " + faultsOfB);
        }
        return List.of(pair.a.context.counters(), pair.b.context.counters(), pair.fabric.nowNs());
    }

    @Test
    void shouldDeliverEverythingWhateverTheWireDoes() {
        List<String> never = new ArrayList<>();
        for (long seed = 0; seed < 40; seed++) {
            List<Object> outcome = run(HEAVY + seed, HEAVY + (seed + 1_000));
            @SuppressWarnings("unchecked")
            Map<String, Long> counters = (Map<String, Long>) outcome.get(0);
            if (seed == 0) {
                counters.keySet().stream().filter(each -> each.startsWith("fault_")).forEach(never::add);
                assertEquals(10, never.size());
            }
            never.removeIf(each -> counters.get(each) > 0);
            assertTrue(counters.get("retransmitted_pkts") > 0);
        }
        assertEquals(List.of("fault_queue_full"), never, "every fault struck, and none too many were held");
    }

    @Test
    void shouldRepeatItselfWithTheSameSeeds() {
        assertEquals(run(HEAVY + 5, HEAVY + 6), run(HEAVY + 5, HEAVY + 6));
        assertNotEquals(run(HEAVY + 5, HEAVY + 6), run(HEAVY + 7, HEAVY + 6));
    }

    /** Lost NAKs, lost repeats and lost tails are found long before the ACK timeout of 67 ms. */
    @Test
    void shouldNotWaitForTheAckTimeoutWithEarlyRecovery() {
        for (long seed = 0; seed < 30; seed++) {
            List<Object> outcome = run("drop=0.02,seed=" + seed, "drop=0.02,seed=" + (seed + 1_000), Recovery.EARLY);
            assertTrue((long) outcome.get(2) < 67_108_864L, "seed " + seed + " took " + outcome.get(2) + " ns");
        }
    }

    /** Without it these are found by the ACK timeout; gaps that the peer reports, and those in READ responses, at once as ever. */
    @Test
    void shouldWaitForTheAckTimeoutForWhatThePeerCannotReport() {
        int waited = 0;
        for (long seed = 0; seed < 30; seed++) {
            List<Object> outcome = run("drop=0.02,seed=" + seed, "drop=0.02,seed=" + (seed + 1_000));
            @SuppressWarnings("unchecked")
            Map<String, Long> counters = (Map<String, Long>) outcome.get(0);
            assertEquals(0L, counters.get("silence_probes"));
            waited += (long) outcome.get(2) < 67_108_864L ? 0 : 1;
        }
        assertTrue(waited > 0 && waited < 30, waited + " of 30 runs waited for a timeout");
    }

    @Test
    void shouldReportADeadPeerAndRecoverNothing() {
        SimulatedPair pair = new SimulatedPair(1, new SimulatedPair.Setup());
        MemoryRegion region = pair.a.memory(100, SimulatedPair.ALL_REMOTE);
        MemoryRegion there = pair.b.memory(100, SimulatedPair.ALL_REMOTE);
        SendRequest write = new SendRequest().write(there.address(), there.rkey()).element(region, 0, 100).signaled();
        pair.a.qp.postSend(write);
        pair.runUntil(() -> pair.a.sends().size() == 1);

        Rxe.setFaults(pair.b.context, LinkFaults.parse("drop=1,dir=both"));
        pair.a.qp.postSend(write);
        pair.runUntil(() -> pair.a.sends().size() == 2);

        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.RETRY_EXC_ERR), pair.a.sendStatuses());
        assertEquals(8, pair.b.counter("fault_dropped"), "the first try and seven more");
    }

    @Test
    void shouldGoOnWhenThePeerComesBackInTime() {
        SimulatedPair pair = new SimulatedPair(1, new SimulatedPair.Setup());
        MemoryRegion region = pair.a.memory(100, SimulatedPair.ALL_REMOTE);
        MemoryRegion there = pair.b.memory(100, SimulatedPair.ALL_REMOTE);
        Rxe.setFaults(pair.b.context, LinkFaults.parse("drop=1,dir=both"));
        pair.a.qp.postSend(new SendRequest().write(there.address(), there.rkey()).element(region, 0, 100).signaled());
        pair.simulation.runFor(200_000_000);
        assertEquals(List.of(), pair.a.sendStatuses());
        Rxe.setFaults(pair.b.context, LinkFaults.NONE);
        pair.runUntil(() -> pair.a.sends().size() == 1);

        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
        assertEquals(LinkFaults.NONE, Rxe.faults(pair.b.context));
    }
}
