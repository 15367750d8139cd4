// SPDX-License-Identifier: Apache-2.0
package org.softrdma.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.softrdma.link.sim.PacketObserver;
import org.softrdma.siw.SimulatedTcpNetwork;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.GidEntry;
import org.softrdma.verbs.RdmaDevice;
import org.softrdma.verbs.cm.ConnectionManager;

/**
 * A network of RDMA devices for a test, each as if on a host of its own. On a {@linkplain #simulated simulated} fabric time is virtual:
 * it passes only while the program waits, polls an empty completion queue, or calls {@link #runFor} or {@link #runUntil}; a lost second
 * costs nothing, and everything that happens follows from the seed. On a fabric of {@linkplain #onSockets sockets} the same devices
 * run on the loopback interface, in real time, with threads of their own.
 *
 * <p>A simulated fabric belongs to the thread that created it; further threads are started by {@link #start}. A fabric of sockets may be
 * used by any thread.
 */
public abstract class Fabric implements AutoCloseable {
    private final FabricOptions options;
    private final List<TestDevice> devices = new ArrayList<>();
    private final List<Context> opened = new ArrayList<>();
    private final List<SoftManager> managers = new ArrayList<>();
    /** Contexts of {@link #context}, by device. */
    private final Map<Integer, Context> contexts = new HashMap<>();
    private final List<RdmaPair> pairs = new ArrayList<>();
    private Counters counters;

    /** Body of a thread of a test. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }

    /** A thread of a test. */
    public interface Task {
        /**
         * Waits until the thread has ended.
         *
         * @throws TaskFailedException if it ended with an exception, which is the cause
         */
        void join();

        boolean hasEnded();
    }

    Fabric(FabricOptions options) {
        this.options = options;
    }

    /** Creates a simulated fabric, on virtual time. */
    public static Fabric simulated(FabricOptions options) {
        return new VirtualFabric(options);
    }

    /**
     * Creates a fabric of sockets on the loopback interface.
     *
     * @throws IllegalArgumentException for options that only simulated fabrics have
     */
    public static Fabric onSockets(FabricOptions options) {
        return new SocketFabric(options);
    }

    // ---- devices ----

    /** Adds the next device; called by the constructors. */
    final void add(TestDevice device, SoftManager manager) {
        devices.add(device);
        opened.add(device.openUntracked());
        managers.add(manager);
    }

    /** Takes the first reading of the counters; called by the constructors when all devices are there. */
    final void complete() {
        counters = new Counters(this);
    }

    public final FabricOptions options() {
        return options;
    }

    public final long seed() {
        return options.seed();
    }

    /** Number of devices. */
    public final int size() {
        return devices.size();
    }

    /**
     * Returns a device. Objects of contexts that are opened by it are tracked: {@link #leaks}.
     *
     * @param index from 0
     */
    public final RdmaDevice device(int index) {
        return devices.get(index);
    }

    public final DeviceKind kind(int index) {
        return options.kinds().get(index);
    }

    /** Address of a device's host, for connections by address. */
    public final InetAddress address(int index) {
        return managers.get(index).address();
    }

    /** GID of a device that its peers use, with its index; of no use for iWARP. */
    public abstract GidEntry gid(int index);

    /** Connection manager of a device's host: it knows that device only. */
    public final ConnectionManager connectionManager(int index) {
        return managers.get(index).manager();
    }

    /** Returns a context of a device, always the same, open until the fabric is closed. Its objects are tracked. */
    public final Context context(int index) {
        return contexts.computeIfAbsent(index, device -> devices.get(device).open());
    }

    /** A context of the fabric's own, open until the fabric is closed. */
    final Context ownContext(int index) {
        return opened.get(index);
    }

    final TestDevice testDevice(int index) {
        return devices.get(index);
    }

    /** Counters of a device by name. */
    public final Map<String, Long> counters(int index) {
        return opened.get(index).counters();
    }

    /** Counters of all devices, compared with those when the fabric was created. */
    public final Counters counters() {
        return counters;
    }

    /** Connects a queue pair of one device with one of another, both with default sizes. */
    public final RdmaPair pair(int left, int right) {
        RdmaPair pair = RdmaPair.connect(this, left, right);
        pairs.add(pair);
        return pair;
    }

    // ---- time and threads ----

    /** Returns whether time is virtual. */
    public abstract boolean isSimulated();

    /** Current time in ns: virtual from 0, or {@link System#nanoTime}. */
    public abstract long nowNs();

    /** Lets time pass. */
    public abstract void runFor(Duration duration);

    /**
     * Lets time pass until a condition holds.
     *
     * @param condition evaluated often; may poll, but not wait
     * @return false if it does not hold when the limit is over
     */
    public abstract boolean runUntil(BooleanSupplier condition, Duration limit);

    /**
     * Lets the devices do what is to do now or, if there is nothing, time pass until something happens. Simulated fabrics only.
     *
     * @return false if nothing will ever happen, unless the program does something
     */
    public abstract boolean step();

    /**
     * Starts a thread of the test, for a program with several. On a simulated fabric one thread runs at a time, and passes its turn when it
     * waits.
     *
     * @param name for messages
     */
    public abstract Task start(String name, Body body);

    // ---- faults ----

    /**
     * Replaces the faults of every wire. Cuts stay.
     *
     * @param text as docs/faults.md describes, without {@code dir} and {@code seed}: {@code drop=1%}
     */
    public abstract void faults(String text);

    /**
     * Loses everything that one device sends to another for a time; the other direction stays open. TCP, under iWARP, delivers it later.
     * Simulated fabrics only.
     */
    public abstract void partition(int from, int to, Duration duration);

    /** Cuts a device off the network for good, as if its host were switched off. */
    public abstract void kill(int index);

    /** Ends all faults and cuts. */
    public abstract void heal();

    // ---- what happened ----

    /**
     * Reports everything that happens on the wires from now on. The observers must do nothing to the fabric. Simulated fabrics only.
     *
     * @param packets of RoCE
     * @param streams of iWARP: bytes of TCP connections
     */
    public abstract void observe(PacketObserver packets, SimulatedTcpNetwork.Observer streams);

    /**
     * Writes the packets of the fabric, the last 64 MiB of them, to a file for Wireshark. Simulated fabrics only; of iWARP, the bytes of
     * the TCP connections as segments with headers made up.
     *
     * @param file pcapng
     * @return false if there is nothing to write
     */
    public abstract boolean record(Path file) throws IOException;

    /** Returns what the program has left open or unread up to now. Completions that are reported are gone from their queues. */
    public final List<Leak> leaks() {
        return Leaks.find(devices, Stream.concat(pairs.stream().flatMap(RdmaPair::objects), contexts.values().stream())
            .collect(Collectors.toSet()));
    }

    /** Closes everything, also what the program has left open. */
    @Override
    public void close() {
        pairs.forEach(RdmaPair::closeQuietly);
        devices.forEach(TestDevice::closeAll);
        opened.forEach(Context::close);
    }
}
