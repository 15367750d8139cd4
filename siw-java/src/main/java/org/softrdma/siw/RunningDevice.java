// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.DeviceAgent;
import org.softrdma.device.agent.PeriodicTask;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.device.verbs.DevicePort;
import org.softrdma.device.verbs.RunningDevices;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.tcp.NettyStreams;
import org.softrdma.siw.tcp.SocketStreams;
import org.softrdma.siw.tcp.Streams;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.wire.net.Gids;

/** A device while contexts are open on it: engine, agent, TCP and port. All contexts of a process share one. */
final class RunningDevice implements RunningDevices.Running {
    private static final long LOOK_AGAIN_NS = 1_000_000;

    private final DevicePort port;
    private final long hardwareAddress;
    /** Null where streams are Netty's. */
    private final SocketStreams sockets;
    private final Streams streams;
    private final SiwEngine engine;
    private final DeviceAgent agent;
    private final LongSupplier clock;
    private final SiwCm cm;
    private final AtomicInteger nextPd = new AtomicInteger(1);
    private volatile MpaOptions options;
    private PeriodicTask rounds;

    /**
     * @param hardwareAddress what names the device: 48 bits
     * @param options how connections are set up
     * @param random  secure, outside the simulator
     * @param clock   nanoseconds of the clock that the engine is driven by
     * @param thread  name of the agent's thread; null for a device that only a simulator drives
     */
    RunningDevice(NetDevice netdev, long hardwareAddress, MpaOptions options, RandomGenerator random, LongSupplier clock, String thread) {
        this.hardwareAddress = hardwareAddress;
        this.options = options;
        this.clock = clock;
        port = new DevicePort(netdev);
        sockets = thread != null && SocketStreams.arePossible() ? new SocketStreams() : null;
        streams = sockets != null ? sockets : new NettyStreams();
        engine = new SiwEngine(random, streams);
        agent = new DeviceAgent(engine, thread);
        cm = new SiwCm(this);
    }

    void start() {
        agent.start();
    }

    /** Looks at the outside world twice a second from now on, as long as the device runs. @param thread the name of the one that does */
    void follow(String thread, Runnable look) {
        rounds = new PeriodicTask(thread, look);
    }

    /**
     * The interface is like this now: the port follows, with events to all contexts, and who listens at all addresses does so at new ones.
     * Connections are TCP's business. One thread at a time.
     *
     * @param found null if there is no such interface any more; it may come back
     */
    void portIs(NetDevice found) {
        NetDevice before = port.netdev();
        port.is(port.orGone(found));
        port.tellOfChange(before);
        cm.followAddresses();
    }

    /** Stops once what was written to connections has gone out, or has had its time. */
    @Override
    public void stop() {
        cm.abandonAll();
        settle();
        if (rounds != null) {
            rounds.close();
        }
        // Nobody writes to a socket any more when the sockets are closed.
        agent.close();
        cm.close();
        closeStreams();
    }

    /** A thread that polls a queue late may be in the middle of a round. */
    private void closeStreams() {
        ReentrantLock owner = agent.lock();
        owner.lock();
        try {
            streams.close();
        } finally {
            owner.unlock();
        }
    }

    /** Returns when what was written to connections that end has gone out, or has had its time. */
    void settle() {
        // Twice that time, because the agent may come late to its timers.
        long untilNs = System.nanoTime() + 2 * SiwConnection.LINGER_NS;
        while (hasStreams() && System.nanoTime() - untilNs < 0) {
            DeviceThreads.pause(LOOK_AGAIN_NS);
        }
    }

    private boolean hasStreams() {
        ReentrantLock owner = agent.lock();
        owner.lock();
        try {
            return engine.hasStreams();
        } finally {
            owner.unlock();
        }
    }

    /** How connections that begin from now on are set up. Any thread. */
    void options(MpaOptions wanted) {
        options = wanted;
    }

    MpaOptions options() {
        return options;
    }

    @Override
    public DevicePort port() {
        return port;
    }

    /** The interface as it was seen last. */
    NetDevice netdev() {
        return port.netdev();
    }

    long hardwareAddress() {
        return hardwareAddress;
    }

    long nowNs() {
        return clock.getAsLong();
    }

    /** Null where streams are Netty's. */
    SocketStreams sockets() {
        return sockets;
    }

    SiwEngine engine() {
        return engine;
    }

    DeviceAgent agent() {
        return agent;
    }

    SiwCm cm() {
        return cm;
    }

    DeviceAttributes attributes() {
        return SiwLimits.attributes(Gids.nodeGuid(hardwareAddress), options);
    }

    int newPdNumber() {
        return nextPd.getAndIncrement();
    }
}
