// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.engine.RunningDevice;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.tcp.NettyStreams;
import org.softrdma.siw.tcp.SocketStreams;
import org.softrdma.siw.tcp.Streams;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.wire.net.Gids;

/** An iWARP device while contexts are open on it: adds TCP and the connection manager. */
final class RunningSiw extends RunningDevice<SiwEngine> {
    private final long hardwareAddress;
    /** Null where streams are Netty's. */
    private final SocketStreams sockets;
    private final Streams streams;
    private final SiwCm cm;
    private volatile MpaOptions options;

    /**
     * @param hardwareAddress identifies the device: u48
     * @param options how connections are set up
     * @param random  secure, outside the simulator
     * @param clock   nanoseconds of the clock that the engine is driven by
     * @param thread  name of the agent's thread; null for a device that only a simulator drives
     */
    RunningSiw(NetDevice netdev, long hardwareAddress, MpaOptions options, RandomGenerator random, LongSupplier clock, String thread) {
        this(netdev, hardwareAddress, options, random, clock, thread, newStreams(thread));
    }

    private RunningSiw(NetDevice netdev, long hardwareAddress, MpaOptions options, RandomGenerator random, LongSupplier clock,
                       String thread, Streams streams) {
        super(netdev, new SiwEngine(random, streams), clock, thread);
        this.hardwareAddress = hardwareAddress;
        this.options = options;
        this.streams = streams;
        sockets = streams instanceof SocketStreams own ? own : null;
        cm = new SiwCm(this);
    }

    private static Streams newStreams(String thread) {
        return thread != null && SocketStreams.arePossible() ? new SocketStreams() : new NettyStreams();
    }

    /**
     * Applies a new state of the interface: the port follows it, with events to all contexts, and listeners at all addresses are opened at
     * new addresses too. Connections are left to TCP. One thread at a time.
     *
     * @param found null if there is no such interface any more; it may come back
     */
    void portIs(NetDevice found) {
        NetDevice before = port().netdev();
        port().is(port().orGone(found));
        port().tellOfChange(before);
        cm.followAddresses();
    }

    @Override
    protected void endConnections() {
        cm.abandonAll();
        settle();
    }

    @Override
    protected void closeTransport() {
        cm.close();
        ReentrantLock owner = agent().lock();
        owner.lock();
        try {
            streams.close();
        } finally {
            owner.unlock();
        }
    }

    /** Returns when the bytes written to ending connections have been sent, or the time for that is over. */
    void settle() {
        // Twice that time, because the agent may be late with its timers.
        awaitWhile(engine()::hasStreams, 2 * SiwConnection.LINGER_NS);
    }

    /** Changes the set-up of connections that begin from now on. Any thread. */
    void options(MpaOptions wanted) {
        options = wanted;
    }

    MpaOptions options() {
        return options;
    }

    long hardwareAddress() {
        return hardwareAddress;
    }

    /** Null where streams are Netty's. */
    SocketStreams sockets() {
        return sockets;
    }

    SiwCm cm() {
        return cm;
    }

    DeviceAttributes attributes() {
        return SiwLimits.attributes(Gids.nodeGuid(hardwareAddress), options);
    }
}
