// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.SimulatedRxe;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.WorkCompletion;

/** Rules about a completion queue that overruns: three receives are flushed into one that has room for two. */
class CompletionDispatchTest {
    private static final Gid ADDRESS = Gid.ofIpv4(0x0a000001);
    private static final int ROOM = 2;

    private final SplittableRandom random = new SplittableRandom(1);
    private final SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE, 0);
    private final Simulation simulation = new Simulation(fabric);
    private final Side side =
        new Side(SimulatedRxe.open(simulation, fabric.attach(LinkProfile.DEFAULT, ADDRESS), random, 9000), ADDRESS, random);
    private final CompletionQueue narrow = side.context.createCq(ROOM);
    private final WireChecker wire = new WireChecker();
    private final CompletionDispatch completions = new CompletionDispatch(wire, List.of(), List.of(), null);
    private final Endpoint endpoint = overrun();

    private Endpoint overrun() {
        ReceivePool pool = new ReceivePool(side.memory, random, null, 1, ROOM + 1, 1, 64);
        side.memory.open(side.pd, 0, AccessFlags.LOCAL_WRITE);
        Endpoint victim = new Endpoint(side, side.pd.createQp(new QpInitAttributes(QpType.UD, narrow, narrow, null,
            new QpCapabilities(1, ROOM + 1, 1, 1, 0), false)), null, pool, narrow);
        victim.tooNarrow = true;
        side.endpoints.add(victim);
        wire.addDatagrams(ADDRESS, victim.qp.qpNum(), 0, 0, false, victim.arrivals);
        pool.ownedBy(victim.qp);
        victim.qp.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(0).port(1).qkey(0));
        pool.postAll();
        victim.qp.modify(new QpAttributes().state(QpState.ERR));
        simulation.runFor(1);
        return victim;
    }

    private void expectComplaint(String text) {
        AssertionError complaint = assertThrows(AssertionError.class, () -> completions.takeAll(side));
        assertTrue(complaint.getMessage().contains(text), complaint::getMessage);
    }

    @Test
    void shouldTakeWhatAnOverrunQueueHolds() {
        completions.takeAll(side);
        assertEquals(1, completions.overruns());
        assertEquals(0, narrow.poll(WorkCompletion.array(1)));
    }

    @Test
    void shouldRequireThatAnOverrunStopsTheQueuePair() {
        endpoint.qp.modify(new QpAttributes().state(QpState.RESET));
        expectComplaint("was lost, and it is in RESET");
    }

    @Test
    void shouldRequireThatAnOverrunQueueIsFull() {
        WorkCompletion[] oldest = WorkCompletion.array(1);
        assertEquals(1, narrow.poll(oldest));
        endpoint.pool.finish(endpoint, oldest[0]);
        expectComplaint("holds 1 completions of 2");
    }

    @Test
    void shouldRequireThatOnlyAQueueWithoutRoomOverruns() {
        endpoint.tooNarrow = false;
        expectComplaint("has room");
    }
}
