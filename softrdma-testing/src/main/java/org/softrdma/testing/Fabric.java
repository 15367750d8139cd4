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
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
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
    /** Trouble of each started task that the test would not notice; null for none. */
    private final List<Supplier<Leak>> tasks = new CopyOnWriteArrayList<>();
    private Counters counters;

    /** Body of a thread of a test. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs in the thread.
         *
         * @throws Exception to fail: the cause of what {@link Task#join} throws
         */
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

        /** {@return whether the thread has ended, also by an exception} */
        boolean hasEnded();
    }

    Fabric(FabricOptions options) {
        this.options = options;
    }

    /**
     * Creates a simulated fabric, on virtual time.
     *
     * @param options devices, faults and seed
     * @return the fabric; the caller closes it
     */
    public static Fabric simulated(FabricOptions options) {
        return new VirtualFabric(options);
    }

    /**
     * Creates a fabric of sockets on the loopback interface.
     *
     * @param options devices and faults
     * @return the fabric; the caller closes it
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

    /** {@return what the fabric was created with} */
    public final FabricOptions options() {
        return options;
    }

    /** {@return the source of everything random} */
    public final long seed() {
        return options.seed();
    }

    /** {@return the number of devices} */
    public final int size() {
        return devices.size();
    }

    /**
     * Returns a device. Objects of contexts that are opened by it are tracked: {@link #leaks}.
     *
     * @param index from 0
     * @return the device
     */
    public final RdmaDevice device(int index) {
        return devices.get(index);
    }

    /**
     * Returns the kind of a device.
     *
     * @param index from 0
     * @return its kind
     */
    public final DeviceKind kind(int index) {
        return options.kinds().get(index);
    }

    /**
     * Returns the address of a device's host, for connections by address.
     *
     * @param index of the device, from 0
     * @return the address
     */
    public final InetAddress address(int index) {
        return managers.get(index).address();
    }

    /**
     * Returns the GID of a device that its peers use; of no use for iWARP.
     *
     * @param index of the device, from 0
     * @return the GID, with its index in the table
     */
    public abstract GidEntry gid(int index);

    /**
     * Returns the connection manager of a device's host: it knows that device only.
     *
     * @param index of the device, from 0
     * @return the connection manager, open until the fabric is closed
     */
    public final ConnectionManager connectionManager(int index) {
        return managers.get(index).manager();
    }

    /**
     * Returns a context of a device, always the same, open until the fabric is closed. Its objects are tracked.
     *
     * @param index of the device, from 0
     * @return the context
     */
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

    /**
     * Reads the counters of a device.
     *
     * @param index of the device, from 0
     * @return the values by name
     */
    public final Map<String, Long> counters(int index) {
        return opened.get(index).counters();
    }

    /** {@return the counters of all devices, compared with those when the fabric was created} */
    public final Counters counters() {
        return counters;
    }

    /**
     * Connects a queue pair of one device with one of another, both with default sizes.
     *
     * @param left  index of a device
     * @param right index of a device of the same kind
     * @return the pair, closed with the fabric
     */
    public final RdmaPair pair(int left, int right) {
        RdmaPair pair = RdmaPair.connect(this, left, right);
        pairs.add(pair);
        return pair;
    }

    // ---- time and threads ----

    /** {@return whether time is virtual} */
    public abstract boolean isSimulated();

    /** {@return the current time in ns: virtual from 0, or {@link System#nanoTime}} */
    public abstract long nowNs();

    /**
     * Lets time pass.
     *
     * @param duration virtual or real
     */
    public abstract void runFor(Duration duration);

    /**
     * Lets time pass until a condition holds.
     *
     * @param condition evaluated often; may poll, but not wait
     * @param limit     virtual or real
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
     * @param body what it runs
     * @return the thread, to be joined
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
     *
     * @param from     index of the sender
     * @param to       index of the receiver
     * @param duration from now on
     */
    public abstract void partition(int from, int to, Duration duration);

    /**
     * Cuts a device off the network for good, as if its host were switched off.
     *
     * @param index of the device, from 0
     */
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
     * @throws IOException if the file cannot be written
     */
    public abstract boolean record(Path file) throws IOException;

    /**
     * Finds what the program has left open or unread up to now. Completions that are reported are gone from their queues. A task that has
     * failed or never run, and that the test would not notice because it has not joined it, is left behind, too.
     *
     * @return one entry for each object or task, empty if there is none
     */
    public final List<Leak> leaks() {
        List<Leak> leaks = Leaks.find(devices, Stream.concat(pairs.stream().flatMap(RdmaPair::objects), contexts.values().stream())
            .collect(Collectors.toSet()));
        tasks.stream().map(Supplier::get).filter(Objects::nonNull).forEach(leaks::add);
        return leaks;
    }

    /**
     * Has {@link #leaks} look at a task. Called when it is started.
     *
     * @param trouble what the test has not noticed of the task; null for nothing
     */
    final void watchTask(String name, Supplier<String> trouble) {
        List<StackTraceElement> start = Leaks.program(List.of(new Throwable().getStackTrace()));
        tasks.add(() -> {
            String text = trouble.get();
            return text == null ? null : new Leak("task " + name + " " + text, start);
        });
    }

    /** Closes everything, also what the program has left open. */
    @Override
    public void close() {
        pairs.forEach(RdmaPair::closeQuietly);
        devices.forEach(TestDevice::closeAll);
        opened.forEach(Context::close);
    }
}
