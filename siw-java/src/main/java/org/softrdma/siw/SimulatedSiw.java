// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.List;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.sim.Simulation;
import org.softrdma.host.config.NetDevice;
import org.softrdma.siw.config.MpaOptions;
import org.softrdma.siw.mpa.Agreement;
import org.softrdma.siw.mpa.StreamParameters;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.NodeType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.Transport;

/**
 * Siw devices over simulated TCP: the same engine and the same API as on sockets, driven by a {@link Simulation} on virtual time. Their
 * behaviour depends only on the connections' seeds and the random generator given here.
 */
public final class SimulatedSiw {
    /** Smallest pause that {@link Agreed} can have instead of a time. */
    public static final long AT_ONCE = SiwMachine.AT_ONCE;

    private static final int MTU = 1500;

    private SimulatedSiw() {
    }

    /**
     * Agreement of two ends, as the start-up would have made it. The left end is the initiator.
     *
     * @param crc             frames carry a CRC
     * @param markersToLeft   the left end receives markers
     * @param markersToRight  the right end receives markers
     * @param maxUlpdu        bytes of the largest segment
     * @param depth           READs and atomics that each end may have outstanding
     * @param first           message that the left end sends before anything else
     * @param sendNotBeforeNs time before which the left end must not send, or {@link #AT_ONCE}
     */
    public record Agreed(boolean crc, boolean markersToLeft, boolean markersToRight, int maxUlpdu, int depth, MpaOptions.Rtr first,
                         long sendNotBeforeNs) {
    }

    /** Events of a connection's set-up, and its end. */
    public interface SetupListener {
        /**
         * A request was received by the responder.
         *
         * @return the queue pair to accept it with, in INIT; null to reject it
         */
        default QueuePair onRequest() {
            return null;
        }

        /** The connection is established at this end. */
        void onAgreed();

        /** The peer rejected the request. */
        void onRejected();

        /**
         * The start-up failed.
         *
         * @param timedOut the peer's start-up frame did not come in time; otherwise the peer left, or broke the rules
         */
        void onFailed(boolean timedOut);

        /** The connection ended after it was established. */
        void onDisconnected();
    }

    /**
     * Opens a device and adds it to the simulation.
     *
     * @param simulation that drives it
     * @param random     source of queue pair numbers and keys
     * @return its first context
     */
    public static Context open(Simulation simulation, RandomGenerator random) {
        NetDevice netdev = new NetDevice("sim0", 1, 0x020000000001L, MTU, true, true, false, List.of());
        return open(simulation, netdev, random, MpaOptions.DEFAULT, null);
    }

    /**
     * Opens a device whose connections are made by address, over a simulated network of TCP.
     *
     * @param simulation that drives it
     * @param netdev     its interface, with the addresses of the host
     * @param random     source of queue pair numbers and keys
     * @param options    of connection set-up
     * @param network    that connects it; null for none
     * @return its first context
     */
    public static Context open(Simulation simulation, NetDevice netdev, RandomGenerator random, MpaOptions options,
            SimulatedTcpNetwork network) {
        RunningSiw running = new RunningSiw(netdev, netdev.mac(), options, random, simulation.world()::nowNs,
            network == null ? null : network.link());
        simulation.add(running.engine());
        return new Device(running).open();
    }

    /** The device of its contexts, which opens further contexts. It is driven by the simulation, even when all contexts are closed. */
    private record Device(RunningSiw running) implements RdmaDevice {
        @Override
        public String name() {
            return running.netdev().name();
        }

        @Override
        public long nodeGuid() {
            return running.attributes().nodeGuid();
        }

        @Override
        public NodeType nodeType() {
            return NodeType.RNIC;
        }

        @Override
        public Transport transport() {
            return Transport.IWARP;
        }

        @Override
        public String netdev() {
            return running.netdev().name();
        }

        @Override
        public Context open() {
            SiwContext context = new SiwContext(this, running, running.port()::leave);
            running.port().enter(context);
            return context;
        }

        @Override
        public String toString() {
            return name() + " on simulated TCP";
        }
    }

    /**
     * Connects two queue pairs without a start-up.
     *
     * @param left   the initiator's, in INIT
     * @param right  the responder's, in INIT
     * @param tcp    connection of both
     * @param agreed what the start-up would have agreed on
     */
    public static void connect(QueuePair left, QueuePair right, SimulatedTcp tcp, Agreed agreed) {
        StreamParameters ofLeft = new StreamParameters(agreed.crc, agreed.markersToRight, agreed.markersToLeft, agreed.maxUlpdu);
        StreamParameters ofRight = new StreamParameters(agreed.crc, agreed.markersToLeft, agreed.markersToRight, agreed.maxUlpdu);
        ((SiwQueuePair) left).connect(tcp.left(), new Agreement(ofLeft, agreed.depth, agreed.depth, agreed.first, new byte[0]),
            agreed.sendNotBeforeNs, () -> { });
        ((SiwQueuePair) right).connect(tcp.right(), new Agreement(ofRight, agreed.depth, agreed.depth, MpaOptions.Rtr.NONE, new byte[0]),
            Deadline.NEVER, () -> { });
    }

    /**
     * Begins the start-up at the left end.
     *
     * @param left        queue pair in INIT
     * @param tcp         connection to the peer
     * @param options     of the set-up
     * @param depth       READs that this end holds, and may have outstanding
     * @param privateData of the request
     * @param listener    receives what becomes of it
     */
    public static void initiate(QueuePair left, SimulatedTcp tcp, MpaOptions options, int depth, byte[] privateData,
            SetupListener listener) {
        SiwEngine engine = ((SiwQueuePair) left).engine();
        engine.beginVerb(tcp.nowNs());
        Handshake.initiate(engine, tcp.left(), options, new Setup(listener, depth, privateData), () -> { }, (SiwQueuePair) left, depth,
            depth, privateData);
    }

    /**
     * Waits at the right end for a request.
     *
     * @param right       context of the queue pair that accepts
     * @param tcp         connection to the peer
     * @param options     of the set-up
     * @param depth       READs that this end holds, and may have outstanding
     * @param privateData of the reply
     * @param listener    receives the request and what becomes of it
     */
    public static void await(Context right, SimulatedTcp tcp, MpaOptions options, int depth, byte[] privateData, SetupListener listener) {
        SiwEngine engine = ((SiwContext) right).engine();
        engine.beginVerb(tcp.nowNs());
        Handshake.await(engine, tcp.right(), options, new Setup(listener, depth, privateData), () -> { });
    }

    /**
     * Looks whether a device has nothing to do.
     *
     * @param context of the device
     * @return whether it has neither a stream nor a timer
     */
    public static boolean isIdle(Context context) {
        SiwEngine engine = ((SiwContext) context).engine();
        return engine.deadlineNs() == Deadline.NEVER && !engine.hasStreams();
    }

    /** Translates the events of a {@link Handshake}. */
    private record Setup(SetupListener listener, int depth, byte[] privateData) implements HandshakeListener {
        @Override
        public void onRequest(Handshake handshake) {
            QueuePair taken = listener.onRequest();
            if (taken == null) {
                handshake.reject(privateData);
            } else {
                handshake.accept((SiwQueuePair) taken, depth, depth, privateData);
            }
        }

        @Override
        public void onAgreed(Handshake handshake, Agreement agreement) {
            listener.onAgreed();
        }

        @Override
        public void onRejected(Handshake handshake, byte[] data) {
            listener.onRejected();
        }

        @Override
        public void onFailed(Handshake handshake, Failure failure) {
            listener.onFailed(failure == Failure.TIMED_OUT);
        }

        @Override
        public void onDisconnected() {
            listener.onDisconnected();
        }
    }
}
