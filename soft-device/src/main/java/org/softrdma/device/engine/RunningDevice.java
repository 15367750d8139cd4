// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.engine;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.device.agent.HostTask;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.device.verbs.DevicePort;
import org.softrdma.device.verbs.RunningDevices;
import org.softrdma.host.config.NetDevice;
import org.softrdma.recording.FlightRecorder;

/**
 * A running device: engine, agent and port. It runs while contexts are open on it; all contexts of a process share it.
 *
 * @param <E> the transport's engine
 */
public abstract class RunningDevice<E extends DeviceEngine<?, ?>> implements RunningDevices.Running {
    private static final long RETRY_NS = 1_000_000;

    private final DevicePort port;
    private final E engine;
    private final LongSupplier clock;
    private final DeviceAgent agent;
    private final DeviceRecorder recorder;
    private final AtomicInteger nextPd = new AtomicInteger(1);
    private HostTask watch;

    /**
     * Creates a device that is not started yet.
     *
     * @param clock  clock that drives the engine, ns
     * @param thread name of the agent's thread; null for a device that only a simulator drives
     */
    protected RunningDevice(NetDevice netdev, E engine, LongSupplier clock, String thread) {
        port = new DevicePort(netdev);
        this.engine = engine;
        this.clock = clock;
        agent = new DeviceAgent(engine, thread);
        recorder = new DeviceRecorder(engine.eventRings(), agent.lock(), thread != null);
        engine.eventRings().nameDevice(thread == null ? netdev.name() : thread);
    }

    /**
     * Sets how many events are recorded of each queue pair, before the device starts.
     *
     * @param most a power of two, or 0 for none
     */
    public final void recordEvents(int most) {
        engine.eventRings().slots(most);
    }

    public final void start() {
        agent.start();
    }

    /**
     * Follows the interface and the configuration until the device stops.
     *
     * @param name name of the task, for the log
     */
    public final void follow(String name, HostTask.Look look) {
        watch = new HostTask(name, look);
    }

    /** Stops the device after its connections have ended, or their time limit is over. */
    @Override
    public final void stop() {
        endConnections();
        if (watch != null) {
            watch.close();
        }
        agent.close();
        closeTransport();
    }

    /** Ends all connections, and waits until the bytes written to them have been sent, or their time limit is over. */
    protected abstract void endConnections();

    /** Closes the link or the streams. The agent is closed already; a thread that polls a queue may still hold the owner's lock. */
    protected abstract void closeTransport();

    /**
     * Waits until a condition of the engine's state is false.
     *
     * @param busy  evaluated with the owner's lock held
     * @param maxNs maximum time to wait, ns
     */
    protected final void awaitWhile(BooleanSupplier busy, long maxNs) {
        long untilNs = Deadline.after(maxNs, System.nanoTime());
        while (isTrue(busy) && !Deadline.isDue(untilNs, System.nanoTime())) {
            DeviceThreads.pause(RETRY_NS);
        }
    }

    private boolean isTrue(BooleanSupplier condition) {
        ReentrantLock owner = agent.lock();
        owner.lock();
        try {
            return condition.getAsBoolean();
        } finally {
            owner.unlock();
        }
    }

    /** Returns all counters by name. */
    public Map<String, Long> counters() {
        ReentrantLock owner = agent.lock();
        owner.lock();
        try {
            return engine.readCounters();
        } finally {
            owner.unlock();
        }
    }

    @Override
    public final DevicePort port() {
        return port;
    }

    /** Returns the last known state of the interface. */
    public final NetDevice netdev() {
        return port.netdev();
    }

    public final E engine() {
        return engine;
    }

    /** The flight recorder. */
    public final FlightRecorder recorder() {
        return recorder;
    }

    public final DeviceAgent agent() {
        return agent;
    }

    /** Returns the time of the clock that drives the engine, in nanoseconds. */
    public final long nowNs() {
        return clock.getAsLong();
    }

    /** Returns a new number, unique among the device's protection domains, from 1 on. Any thread. */
    public final int newPdNumber() {
        return nextPd.getAndIncrement();
    }
}
