// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.link.sim.Fate;
import org.softrdma.link.sim.LinkProfile;
import org.softrdma.link.sim.SimulatedFabric;
import org.softrdma.rxe.qp.FlightBudget;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.WcStatus;

/** The budget of packets in flight that the queue pairs of a device share. */
class FlightBudgetTest {
    private static final int QUEUE_PAIRS = 100;
    private static final int MESSAGE_BYTES = 64 << 10;

    @Test
    void shouldCloseOnceForOneOverflowAndNotBelowItsFloor() {
        FlightBudget flight = new FlightBudget();
        assertEquals(FlightBudget.FIRST_PACKETS, flight.limit());
        flight.move(FlightBudget.FIRST_PACKETS);
        flight.onLoss();
        flight.onLoss();
        assertEquals(FlightBudget.FIRST_PACKETS / 2, flight.limit(), "the same overflow hits many queue pairs");
        for (int i = 0; i < 10; i++) {
            flight.onProgress(flight.limit());
            flight.onLoss();
        }
        assertEquals(FlightBudget.MIN_PACKETS, flight.limit());
    }

    @Test
    void shouldStayOpenWhenALinkLosesAPacketAndTheBudgetIsNotHalfUsed() {
        FlightBudget flight = new FlightBudget();
        flight.move(FlightBudget.FIRST_PACKETS / 2);
        flight.onLoss();
        assertEquals(FlightBudget.FIRST_PACKETS, flight.limit());
        flight.move(1);
        flight.onLoss();
        assertEquals(FlightBudget.FIRST_PACKETS / 2, flight.limit());
    }

    @Test
    void shouldOpenWithProgressUpToItsCeiling() {
        FlightBudget flight = new FlightBudget();
        flight.onProgress(FlightBudget.FIRST_PACKETS - 1);
        assertEquals(FlightBudget.FIRST_PACKETS, flight.limit());
        flight.onProgress(1);
        assertTrue(flight.limit() > FlightBudget.FIRST_PACKETS);
        for (int i = 0; i < 10_000; i++) {
            flight.onProgress(FlightBudget.MAX_PACKETS);
        }
        assertEquals(FlightBudget.MAX_PACKETS, flight.limit());
    }

    @Test
    void shouldLetNobodyPastTheLineWithoutRoom() {
        FlightBudget flight = new FlightBudget();
        flight.move(FlightBudget.FIRST_PACKETS);
        assertEquals(0, flight.room());
        assertNull(flight.next());
    }

    /** A receiver whose inbox holds less than the windows of all queue pairs together: nothing may fail, and few packets be sent twice. */
    @Test
    void shouldNotFloodASmallReceiverWithManyQueuePairs() {
        SimulatedFabric fabric = new SimulatedFabric(1, FaultPlan.NONE.withDelay(20_000, 20_000));
        Simulation simulation = new Simulation(fabric);
        LinkProfile profile = LinkProfile.DEFAULT.withInbox(600);
        SplittableRandom random = new SplittableRandom(1);
        SimulatedPair.Setup setup = new SimulatedPair.Setup();
        Gid gidA = Gid.ofIpv4(0x0a000001);
        Gid gidB = Gid.ofIpv4(0x0a000002);
        RxeContext a = (RxeContext) SimulatedRxe.open(simulation, fabric.attach(profile, gidA), random, 9000);
        RxeContext b = (RxeContext) SimulatedRxe.open(simulation, fabric.attach(profile, gidB), random, 9000);
        List<SimulatedPair.Side> senders = new ArrayList<>();
        List<SimulatedPair.Side> targets = new ArrayList<>();
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            SimulatedPair.Side sender = new SimulatedPair.Side(a, gidA, setup);
            SimulatedPair.Side target = new SimulatedPair.Side(b, gidB, setup);
            SimulatedPair.connect(sender, gidB, target.qp.qpNum(), setup, setup.accessA, 0xfffff0, 5);
            SimulatedPair.connect(target, gidA, sender.qp.qpNum(), setup, setup.accessB, 5, 0xfffff0);
            senders.add(sender);
            targets.add(target);
        }
        List<MemoryRegion> filled = new ArrayList<>();
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            MemoryRegion from = senders.get(i).memory(MESSAGE_BYTES, AccessFlags.LOCAL_WRITE);
            MemoryRegion to = targets.get(i).memory(MESSAGE_BYTES, SimulatedPair.ALL_REMOTE);
            from.memory().fill((byte) (i + 1));
            QueuePair qp = senders.get(i).qp;
            for (int message = 0; message < 4; message++) {
                qp.postSend(new SendRequest().write(to.address(), to.rkey()).element(from, 0, MESSAGE_BYTES).signaled());
            }
            filled.add(to);
        }
        assertTrue(simulation.runUntil(() -> senders.stream().allMatch(each -> each.sends().size() == 4),
            fabric.nowNs() + 60 * SimulatedPair.SECOND));

        for (int i = 0; i < QUEUE_PAIRS; i++) {
            assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), senders.get(i).sendStatuses());
            assertEquals(i + 1, filled.get(i).memory().get(ValueLayout.JAVA_BYTE, MESSAGE_BYTES - 1) & 0xff);
        }
        assertEquals(0, a.running().engine().flight().inFlight(), "everything is acknowledged");
        long payloads = QUEUE_PAIRS * 4L * MESSAGE_BYTES / setup.mtu.bytes();
        long overflowed = fabric.count(Fate.INBOX_FULL);
        assertTrue(overflowed > 0, "the inbox never overflowed: this tests nothing");
        assertTrue(overflowed < payloads / 10, overflowed + " of " + payloads + " packets overflowed the inbox");
    }
}
