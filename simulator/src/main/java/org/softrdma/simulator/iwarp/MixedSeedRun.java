// SPDX-License-Identifier: Apache-2.0
package org.softrdma.simulator.iwarp;

import java.util.function.Consumer;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.sim.Simulation;
import org.softrdma.simulator.PacketTrace;
import org.softrdma.simulator.SeedResult;
import org.softrdma.simulator.SeedRun;

/**
 * One seed of RoCE and the same seed of iWARP in one simulation: four devices, two networks, one process and one virtual time. Each is
 * checked as if it were alone.
 */
public final class MixedSeedRun {
    private MixedSeedRun() {
    }

    /** Runs a seed from beginning to end. Whatever goes wrong is in the result. */
    public static SeedResult of(long seed) {
        return of(seed, null);
    }

    /**
     * Runs a seed as {@link #of(long)} does.
     *
     * @param trace receives a line for each packet and each segment; null for none
     */
    public static SeedResult of(long seed, Consumer<String> trace) {
        Streams streams = new Streams(seed, trace);
        SeedResult roce = SeedRun.of(seed, trace == null ? null : new PacketTrace(trace), streams);
        SeedResult iwarp = streams.run.result(roce.failure());
        return new SeedResult(seed, roce.failure(), roce.status() + "\n  " + iwarp.status(), roce.died() || iwarp.died(),
            roce.requests() + iwarp.requests(), roce.packets() + iwarp.packets(), 31 * roce.digest() + iwarp.digest());
    }

    /** The iWARP half: its applications have their turn once at each instant. */
    private static final class Streams implements SeedRun.Companion, DeviceWork {
        private final long seed;
        private final Consumer<String> trace;
        private Simulation simulation;
        private IwarpSeedRun run;
        private boolean done;
        private boolean begun;
        private long lastNs;

        Streams(long seed, Consumer<String> trace) {
            this.seed = seed;
            this.trace = trace;
        }

        @Override
        public void join(Simulation joined) {
            simulation = joined;
            run = new IwarpSeedRun(seed, simulation, trace);
            run.begin();
            simulation.add(this);
        }

        @Override
        public void finish() {
            simulation.remove(this);
            run.runToEnd();
        }

        @Override
        public int doWork(long nowNs) {
            if (done || begun && nowNs == lastNs) {
                return 0;
            }
            begun = true;
            lastNs = nowNs;
            done = run.step();
            return 1;
        }

        @Override
        public long deadlineNs() {
            return Long.MAX_VALUE;
        }

        @Override
        public void await(long timeoutNs) {
        }

        @Override
        public void wakeup() {
        }
    }
}
