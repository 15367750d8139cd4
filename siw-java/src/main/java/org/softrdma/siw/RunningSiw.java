// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.engine.RunningDevice;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.tcp.NettyStreams;
import org.softrdma.siw.tcp.NettyTcpLink;
import org.softrdma.siw.tcp.SocketStreams;
import org.softrdma.siw.tcp.StreamCapture;
import org.softrdma.siw.tcp.Streams;
import org.softrdma.siw.tcp.TcpLink;
import org.softrdma.verbs.DeviceAttributes;
import org.softrdma.wire.net.Gids;

/** A running iWARP device: adds TCP and the connection manager to {@link RunningDevice}. */
final class RunningSiw extends RunningDevice<SiwEngine> {
    private final long hardwareAddress;
    /** Null if the streams are Netty's. */
    private final SocketStreams sockets;
    private final Streams streams;
    /** Null without a capture. */
    private final StreamCapture capture;
    private final SiwCm cm;
    /** TCP of a device that only a simulator drives; null for sockets. */
    private final TcpLink simulatedTcp;
    private volatile MpaOptions options;

    /**
     * Creates a device that is not started yet.
     *
     * @param hardwareAddress identifies the device, u48
     * @param options         initial options of connection set-up
     * @param random          source of numbers and keys; secure, except in the simulator
     * @param clock           clock that drives the engine, ns
     * @param thread          name of the agent's thread; null for a device that only a simulator drives
     * @param capture         of all streams; null for none
     */
    RunningSiw(NetDevice netdev, long hardwareAddress, MpaOptions options, RandomGenerator random, LongSupplier clock, String thread,
               StreamCapture capture) {
        this(netdev, hardwareAddress, options, random, clock, thread, capture, newStreams(thread), null);
    }

    /**
     * Creates a device that only a simulator drives.
     *
     * @param tcp its TCP; null for a device whose streams are made by the test
     */
    RunningSiw(NetDevice netdev, long hardwareAddress, MpaOptions options, RandomGenerator random, LongSupplier clock, TcpLink tcp) {
        this(netdev, hardwareAddress, options, random, clock, null, null, new NettyStreams(), tcp);
    }

    private RunningSiw(NetDevice netdev, long hardwareAddress, MpaOptions options, RandomGenerator random, LongSupplier clock,
                       String thread, StreamCapture capture, Streams streams, TcpLink simulatedTcp) {
        super(netdev, new SiwEngine(random, capture == null ? streams : capture.over(streams)), clock, thread);
        this.capture = capture;
        this.hardwareAddress = hardwareAddress;
        this.options = options;
        this.streams = streams;
        this.simulatedTcp = simulatedTcp;
        sockets = streams instanceof SocketStreams own ? own : null;
        cm = new SiwCm(this);
    }

    private static Streams newStreams(String thread) {
        return thread != null && SocketStreams.arePossible() ? new SocketStreams() : new NettyStreams();
    }

    /**
     * Applies a new state of the interface: the port follows it, with events to all contexts, and listeners at all addresses are opened at
     * new addresses too. Connections are not changed; TCP handles the loss of an address. One thread at a time.
     *
     * @param found null if the interface does not exist any more; it may be created again later
     */
    void portIs(NetDevice found) {
        NetDevice before = port().netdev();
        port().update(port().orLastKnown(found));
        port().raiseChange(before);
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
            if (capture != null) {
                capture.close();
            }
        } finally {
            owner.unlock();
        }
    }

    /** Waits until the bytes written to ending connections have been sent, or their time limit is over. */
    void settle() {
        // Twice the limit, because the agent may be late with its timers.
        awaitWhile(engine()::hasStreams, 2 * SiwConnection.LINGER_NS);
    }

    /** Changes the options of connections that begin from now on. Any thread. */
    void options(MpaOptions changed) {
        options = changed;
    }

    MpaOptions options() {
        return options;
    }

    long hardwareAddress() {
        return hardwareAddress;
    }

    /** Creates the TCP link of the device. */
    TcpLink newTcpLink() {
        return simulatedTcp != null ? simulatedTcp : new NettyTcpLink(netdev().mtu(), sockets, capture);
    }

    /** Returns null if the streams are Netty's. */
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
