// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.verbs.Gid;

/** Each counter of faults is provoked, and read by its name. */
class FaultCounterTest {
    private static final Gid A = Gid.ofIpv4(0x0a00_0001);
    private static final Gid B = Gid.ofIpv4(0x0a00_0002);

    @ParameterizedTest
    @EnumSource
    void shouldCountEachFaultByName(FaultCounter counter) {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE);
        Link below = fabric.attach(A);
        fabric.attach(B);
        FaultyLink link = new FaultyLink(below, LinkFaults.parse(faultsFor(counter)), fabric::nowNs);
        List<String> names = Arrays.stream(FaultCounter.values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
        assertEquals(names, link.counters().keySet().stream().toList());
        String name = counter.name().toLowerCase(Locale.ROOT);
        assertEquals(0, link.counters().get(name));
        Path path = link.resolve(PathRequest.v2(A, B));
        // One more than can be held.
        for (int i = 0; i <= HeldPackets.CAPACITY; i++) {
            TransmitBatch batch = new TransmitBatch(1, 64);
            batch.begin(path);
            batch.commit(64);
            link.send(batch);
        }
        assertTrue(link.counters().get(name) > 0, link.counters().toString());
    }

    /** Faults that must make the counter count. A new counter needs a case here. */
    private static String faultsFor(FaultCounter counter) {
        return switch (counter) {
            case FAULT_DROPPED -> "drop=1";
            case FAULT_PARTITIONED -> "partition=1:1s";
            case FAULT_DUPLICATED -> "duplicate=1";
            case FAULT_CORRUPTED -> "corrupt=1";
            case FAULT_TRUNCATED -> "truncate=1";
            case FAULT_EXTENDED -> "extend=1";
            case FAULT_DELAYED, FAULT_QUEUE_FULL -> "delay=1s";
            case FAULT_REORDERED -> "reorder=1:1s";
            case FAULT_CLOGGED -> "clog=1:1s";
        };
    }
}
