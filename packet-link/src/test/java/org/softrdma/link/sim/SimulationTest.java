// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.sim.Simulation;
import org.softrdma.device.sim.StalledException;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.verbs.Gid;

class SimulationTest {
    private static final Gid A = Gid.ofIpv4(0x0a00_0001);
    private static final Gid B = Gid.ofIpv4(0x0a00_0002);

    /** A stop-and-wait machine: sends {@code toSend} packets, repeats each every {@code timeoutNs} until it is answered, answers all. */
    private static final class Pinger implements DeviceWork {
        private final SimulatedLink link;
        private final Path path;
        private final long timeoutNs;
        private final TransmitBatch batch = new TransmitBatch(64, 64);
        private int toSend;
        private int answered;
        private int sent;
        private long deadlineNs = Long.MAX_VALUE;

        Pinger(SimulatedLink link, Gid local, Gid remote, int toSend, long timeoutNs) {
            this.link = link;
            this.toSend = toSend;
            this.timeoutNs = timeoutNs;
            path = link.resolve(PathRequest.v2(local, remote));
        }

        @Override
        public int doWork(long nowNs) {
            int done = link.poll(frame -> {
                int number = frame.buffer().getInt(frame.offset());
                if (number > 0) {
                    transmit(-number);
                } else if (-number == answered + 1) {
                    answered++;
                    deadlineNs = Long.MAX_VALUE;
                }
            }, 64);
            boolean due = deadlineNs != Long.MAX_VALUE && nowNs - deadlineNs >= 0;
            if (answered < toSend && (deadlineNs == Long.MAX_VALUE || due)) {
                transmit(answered + 1);
                sent++;
                deadlineNs = timeoutNs == Long.MAX_VALUE ? Long.MAX_VALUE - 1 : nowNs + timeoutNs;
                done++;
            }
            return done + link.send(batch);
        }

        private void transmit(int number) {
            batch.buffer().putInt(batch.begin(path), number);
            batch.commit(16);
        }

        @Override
        public long deadlineNs() {
            return deadlineNs == Long.MAX_VALUE - 1 ? Long.MAX_VALUE : deadlineNs;
        }

        @Override
        public void await(long waitNs) {
            throw new AssertionError("nobody parks in a simulation");
        }

        @Override
        public void wakeup() {
        }
    }

    private static Pinger[] pair(Simulation simulation, int count, long timeoutNs) {
        SimulatedFabric fabric = ((SimulatedFabric) simulation.world());
        SimulatedLink a = fabric.attach(A);
        SimulatedLink b = fabric.attach(B);
        Pinger[] pair = {new Pinger(a, A, B, count, timeoutNs), new Pinger(b, B, A, 0, timeoutNs)};
        simulation.add(pair[0]);
        simulation.add(pair[1]);
        return pair;
    }

    @Test
    void shouldAdvanceTheClockByArrivals() {
        Simulation simulation = new Simulation(new SimulatedFabric(1, FaultPlan.NONE.withDelay(500, 500)));
        Pinger a = pair(simulation, 10, 1_000_000)[0];
        assertTrue(simulation.runUntil(() -> a.answered == 10, 1_000_000_000));
        assertEquals(10 * 2 * 500, ((SimulatedFabric) simulation.world()).nowNs());
        assertEquals(10, a.sent);
    }

    @Test
    void shouldRunTimersBetweenArrivals() {
        for (long seed = 1; seed <= 20; seed++) {
            Simulation simulation = new Simulation(new SimulatedFabric(seed, FaultPlan.NONE.withLoss(0.4), -5_000_000));
            Pinger a = pair(simulation, 100, 10_000)[0];
            assertTrue(simulation.runUntil(() -> a.answered == 100, 1_000_000_000), "seed " + seed);
            assertTrue(a.sent > 120, "seed " + seed);
        }
    }

    @Test
    void shouldFindAHangAndNameTheSeed() {
        Simulation simulation = new Simulation(new SimulatedFabric(4711, FaultPlan.NONE.withLoss(1)));
        Pinger a = pair(simulation, 1, Long.MAX_VALUE)[0];
        StalledException hang = assertThrows(StalledException.class, () -> simulation.runUntil(() -> a.answered == 1, 1_000_000_000));
        assertTrue(hang.getMessage().contains("seed 4711"), hang.getMessage());
    }

    @Test
    void shouldGiveUpAtTheVirtualDeadline() {
        Simulation simulation = new Simulation(new SimulatedFabric(2, FaultPlan.NONE.withLoss(1)));
        Pinger a = pair(simulation, 1, 10_000)[0];
        assertFalse(simulation.runUntil(() -> a.answered == 1, 1_000_000));
        assertEquals(1_000_000, ((SimulatedFabric) simulation.world()).nowNs());
        assertEquals(101, a.sent);
        ((SimulatedFabric) simulation.world()).heal();
        assertTrue(simulation.runUntil(() -> a.answered == 1, 2_000_000));
    }

    @Test
    void shouldLetTheConditionPostWork() {
        Simulation simulation = new Simulation(new SimulatedFabric(3, FaultPlan.NONE));
        Pinger a = pair(simulation, 1, 100_000)[0];
        assertTrue(simulation.runUntil(() -> {
            if (a.answered == a.toSend && a.toSend < 5) {
                a.toSend++;
            }
            return a.answered == 5;
        }, 1_000_000_000));
    }

    @Test
    void shouldRunForATimeInSilence() {
        Simulation simulation = new Simulation(new SimulatedFabric(3, FaultPlan.NONE));
        Pinger a = pair(simulation, 1, 100_000)[0];
        simulation.runFor(50_000);
        assertEquals(1, a.answered);
        simulation.runFor(50_000);
        assertEquals(100_000, ((SimulatedFabric) simulation.world()).nowNs());
    }

    @Test
    void shouldFindADeviceThatNeverComesToRest() {
        Simulation simulation = new Simulation(new SimulatedFabric(8, FaultPlan.NONE));
        simulation.add(new Restless(1, Long.MAX_VALUE));
        assertThrows(StalledException.class, () -> simulation.runUntil(() -> false, 1_000));
    }

    @Test
    void shouldFindADeadlineThatIsNeverServed() {
        Simulation simulation = new Simulation(new SimulatedFabric(8, FaultPlan.NONE));
        simulation.add(new Restless(0, 500));
        assertThrows(StalledException.class, () -> simulation.runUntil(() -> false, 1_000));
    }

    private record Restless(int done, long deadlineNs) implements DeviceWork {
        @Override
        public int doWork(long nowNs) {
            return done;
        }

        @Override
        public void await(long timeoutNs) {
        }

        @Override
        public void wakeup() {
        }
    }
}
