// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.sim.Simulation;
import org.softrdma.siw.sim.SimulatedTcp;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.siw.tcp.TcpLink;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * TCP between the addresses of simulated hosts, on virtual time. Each connection is a {@link SimulatedTcp}. Segments are not lost, as TCP
 * repeats them: a fault delays them.
 */
public final class SimulatedTcpNetwork implements DeviceWork {
    private static final int FIRST_EPHEMERAL = 32768;

    private final Simulation simulation;
    private final RandomGenerator random;
    private final Map<InetSocketAddress, TcpLink.Accepted> listeners = new HashMap<>();
    private final List<Established> connections = new ArrayList<>();
    private final List<Cut> cuts = new ArrayList<>();
    private final PriorityQueue<Planned> plan = new PriorityQueue<>(Planned::compare);
    private SimulatedTcp.Profile profile;
    private Observer observer = (from, to, bytes) -> { };
    private int lastPort = FIRST_EPHEMERAL - 1;
    private long order;

    /** Observer of the bytes of all connections. */
    @FunctionalInterface
    public interface Observer {
        /**
         * Bytes were sent.
         *
         * @param from  sender
         * @param to    receiver
         * @param bytes one piece of the stream
         */
        void onPiece(InetSocketAddress from, InetSocketAddress to, byte[] bytes);

        /**
         * Bytes that had arrived were handed to the receiving device.
         *
         * @param from  sender
         * @param to    receiver
         * @param count of bytes, at least 1
         */
        default void onTaken(InetSocketAddress from, InetSocketAddress to, int count) {
        }
    }

    private record Established(SimulatedTcp tcp, InetSocketAddress left, InetSocketAddress right) {
    }

    /** A direction in which nothing arrives until a time. */
    private record Cut(InetAddress from, InetAddress to, long untilNs) {
    }

    private record Planned(long atNs, long order, Runnable what) {
        static int compare(Planned a, Planned b) {
            return a.atNs == b.atNs ? Long.compare(a.order, b.order) : Long.signum(a.atNs - b.atNs);
        }
    }

    /**
     * Creates a network and adds it to the simulation.
     *
     * @param simulation that drives it
     * @param random     source of delays and pieces
     * @param profile    properties of all connections
     */
    public SimulatedTcpNetwork(Simulation simulation, RandomGenerator random, SimulatedTcp.Profile profile) {
        this.simulation = simulation;
        this.random = random;
        this.profile = profile;
        simulation.add(this);
    }

    /**
     * Changes the properties of all connections, present and future.
     *
     * @param changed replaces the profile
     */
    public void change(SimulatedTcp.Profile changed) {
        profile = changed;
        connections.forEach(each -> each.tcp.change(changed));
    }

    /**
     * Sets the only observer.
     *
     * @param by replaces the observer
     */
    public void observe(Observer by) {
        observer = by;
    }

    /**
     * Holds all bytes sent from one address to another until a time; a connection that is being made then is not answered. The other
     * direction stays open.
     *
     * @param from    sender's address
     * @param to      receiver's address
     * @param untilNs virtual time
     */
    public void holdUntil(InetAddress from, InetAddress to, long untilNs) {
        cuts.add(new Cut(from, to, untilNs));
        for (Established each : connections) {
            hold(each, from, to, untilNs);
        }
    }

    private static void hold(Established connection, InetAddress from, InetAddress to, long untilNs) {
        if (connection.left.getAddress().equals(from) && connection.right.getAddress().equals(to)) {
            connection.tcp.holdUntil(true, untilNs);
        }
        if (connection.right.getAddress().equals(from) && connection.left.getAddress().equals(to)) {
            connection.tcp.holdUntil(false, untilNs);
        }
    }

    /** Ends what {@link #holdUntil} began; what was sent meanwhile arrives at the time that was set before. */
    public void heal() {
        cuts.clear();
        connections.forEach(each -> each.tcp.holdUntil(true, nowNs()));
        connections.forEach(each -> each.tcp.holdUntil(false, nowNs()));
    }

    /** TCP of a simulated host. */
    TcpLink link() {
        return new Link();
    }

    private long nowNs() {
        return simulation.world().nowNs();
    }

    private boolean isCut(InetAddress from, InetAddress to) {
        cuts.removeIf(each -> Deadline.isDue(each.untilNs, nowNs()));
        return cuts.stream().anyMatch(each -> each.from.equals(from) && each.to.equals(to));
    }

    private void in(long delayNs, Runnable what) {
        plan.add(new Planned(nowNs() + delayNs, order++, what));
    }

    private InetSocketAddress ephemeral(InetSocketAddress local) {
        if (local.getPort() != 0) {
            return local;
        }
        lastPort = lastPort == 0xffff ? FIRST_EPHEMERAL : lastPort + 1;
        return new InetSocketAddress(local.getAddress(), lastPort);
    }

    @Override
    public int doWork(long nowNs) {
        int done = 0;
        while (!plan.isEmpty() && Deadline.isDue(plan.peek().atNs, nowNs)) {
            plan.poll().what.run();
            done++;
        }
        for (Established each : List.copyOf(connections)) {
            done += each.tcp.doWork(nowNs);
        }
        connections.removeIf(each -> each.tcp.isOver());
        return done;
    }

    @Override
    public long deadlineNs() {
        long earliestNs = plan.isEmpty() ? Deadline.NEVER : plan.peek().atNs;
        for (Established each : connections) {
            earliestNs = Deadline.earlier(earliestNs, each.tcp.deadlineNs());
        }
        return earliestNs;
    }

    @Override
    public void await(long timeoutNs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {
        throw new UnsupportedOperationException();
    }

    private final class Link implements TcpLink {
        private final List<InetSocketAddress> own = new ArrayList<>();

        @Override
        public void connect(InetSocketAddress local, InetSocketAddress remote, long timeoutNs, Consumer<ByteStream> connected,
                Consumer<Errno> refused) {
            InetSocketAddress from = ephemeral(local);
            if (isCut(from.getAddress(), remote.getAddress()) || isCut(remote.getAddress(), from.getAddress())) {
                in(timeoutNs, () -> refused.accept(Errno.ETIMEDOUT));
                return;
            }
            in(profile.latencyNs(), () -> arrive(from, remote, connected, refused));
        }

        private void arrive(InetSocketAddress from, InetSocketAddress to, Consumer<ByteStream> connected, Consumer<Errno> refused) {
            Accepted listener = listeners.get(to);
            if (listener == null) {
                in(profile.latencyNs(), () -> refused.accept(Errno.ECONNREFUSED));
                return;
            }
            SimulatedTcp tcp = new SimulatedTcp(random, SimulatedTcpNetwork.this::nowNs, profile);
            tcp.observe(new Addressed(from, to));
            Established connection = new Established(tcp, from, to);
            connections.add(connection);
            cuts.forEach(cut -> hold(connection, cut.from, cut.to, cut.untilNs));
            listener.accept(tcp.right(), to, from);
            in(profile.latencyNs(), () -> connected.accept(tcp.left()));
        }

        @Override
        public Listening listen(InetSocketAddress local, Accepted accepted) {
            if (listeners.putIfAbsent(local, accepted) != null) {
                throw new VerbsException(Errno.EADDRINUSE, "listen", "simulated TCP port " + local.getPort() + " at "
                    + local.getAddress().getHostAddress() + " has a listener");
            }
            own.add(local);
            return new SimulatedListening(local, () -> {
                if (own.remove(local)) {
                    listeners.remove(local);
                }
            });
        }

        @Override
        public void close() {
            own.forEach(listeners::remove);
            own.clear();
        }
    }

    /** Adds the addresses to what is observed. */
    private final class Addressed implements SimulatedTcp.Observer {
        private final InetSocketAddress left;
        private final InetSocketAddress right;

        Addressed(InetSocketAddress left, InetSocketAddress right) {
            this.left = left;
            this.right = right;
        }

        @Override
        public void onPiece(boolean fromLeft, byte[] bytes) {
            observer.onPiece(fromLeft ? left : right, fromLeft ? right : left, bytes);
        }

        @Override
        public void onTaken(boolean fromLeft, int count) {
            observer.onTaken(fromLeft ? left : right, fromLeft ? right : left, count);
        }
    }

    private record SimulatedListening(InetSocketAddress address, Runnable end) implements TcpLink.Listening {
        @Override
        public void close() {
            end.run();
        }
    }
}
