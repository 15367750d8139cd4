// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.DeviceAgent;
import org.softrdma.device.config.CongestionControl;
import org.softrdma.device.config.NetDevice;
import org.softrdma.device.fault.LinkFaults;
import org.softrdma.device.link.FaultyLink;
import org.softrdma.verbs.DeviceAttributes;

/** A device while contexts are open on it: link, engine, agent and GIDs. All contexts of a process share one. */
final class RunningDevice {
    private final NetDevice netdev;
    private final GidTable gids;
    private final FaultyLink link;
    private final LongSupplier clock;
    private final RxeEngine engine;
    private final DeviceAgent agent;
    private final DeviceAttributes attributes;
    private final Set<RxeContext> contexts = new HashSet<>();
    private FaultWatch faultWatch;
    private int nextPd = 1;

    /**
     * @param gids   the port's table; entries that are not among the link's addresses can be shown but not used
     * @param congestion as asked for
     * @param random secure, outside the simulator
     * @param clock  nanoseconds of the clock that the engine is driven by
     * @param thread name of the agent's thread; null for a device that only a simulator drives
     */
    RunningDevice(NetDevice netdev, GidTable gids, FaultyLink link, int port, CongestionControl congestion, RandomGenerator random,
                  LongSupplier clock, String thread) {
        this.netdev = netdev;
        this.gids = gids;
        this.link = link;
        this.clock = clock;
        engine = new RxeEngine(link, port, congestion.onInterface(congestion.on() ? netdev.bitsPerSecond() : 0), random);
        agent = new DeviceAgent(engine, thread);
        attributes = RxeLimits.attributes(GidTable.guid(netdev.mac()));
    }

    void start() {
        agent.start();
    }

    /** From now on has the faults the watch reports. It ends with the device. */
    void follow(FaultWatch watch) {
        faultWatch = watch;
        watch.start(this::setFaults);
    }

    /** Other faults from now on. Any thread. */
    void setFaults(LinkFaults faults) {
        agent.lock().lock();
        try {
            link.change(faults);
        } finally {
            agent.lock().unlock();
        }
        // What was held back may go on.
        agent.doorbell();
    }

    LinkFaults faults() {
        agent.lock().lock();
        try {
            return link.faults();
        } finally {
            agent.lock().unlock();
        }
    }

    /** The engine's counters, then those of the faults. */
    Map<String, Long> counters() {
        agent.lock().lock();
        try {
            Map<String, Long> all = engine.readCounters();
            all.putAll(link.counters());
            return all;
        } finally {
            agent.lock().unlock();
        }
    }

    /** Stops once the ghosts have answered what was still under way. */
    void stop() {
        long untilNs = System.nanoTime() + GhostTable.LINGER_NS;
        while (lingers() && System.nanoTime() - untilNs < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        if (faultWatch != null) {
            faultWatch.close();
        }
        agent.close();
        link.close();
    }

    private boolean lingers() {
        agent.lock().lock();
        try {
            return engine.ghosts().lingers(System.nanoTime());
        } finally {
            agent.lock().unlock();
        }
    }

    NetDevice netdev() {
        return netdev;
    }

    GidTable gids() {
        return gids;
    }

    FaultyLink link() {
        return link;
    }

    long nowNs() {
        return clock.getAsLong();
    }

    RxeEngine engine() {
        return engine;
    }

    DeviceAgent agent() {
        return agent;
    }

    DeviceAttributes attributes() {
        return attributes;
    }

    synchronized int newPdNumber() {
        return nextPd++;
    }

    /** Contexts open now; guarded by the caller. */
    Set<RxeContext> contexts() {
        return contexts;
    }
}
