// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.engine;

import java.util.Map;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.agent.Doorbells;
import org.softrdma.device.agent.FrontDoor;
import org.softrdma.device.events.EventRings;
import org.softrdma.device.events.PacketDecoder;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.verbs.SrqTable;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * The engine of a running device: one round polls input, runs doorbells and timers, and transmits. Holds the parts that all transports
 * have: queue pairs by number, keys, shared receive queues, timers, doorbells, counters and the time of the round. Called by the device's
 * owner, on the agent's or an application's thread, or by a simulator; {@link #doorbells} may be rung by any thread.
 *
 * @param <C> names of the counters
 * @param <Q> type of the objects that queue pair numbers identify
 */
public abstract class DeviceEngine<C extends Enum<C>, Q> implements DeviceWork {
    private final DeviceNumbers numbers;
    private final RandomGenerator random;
    private final Counters<C> counters;
    private final Counters.Counter receives;
    private final Counters.Counter memoryGone;
    private final Guard guard;
    private final MemoryTable memory;
    private final SrqTable sharedReceives;
    private final Int2ObjectHashMap<Q> queuePairs = new Int2ObjectHashMap<>();
    private final EventRings eventRings;
    private final DeadlineHeap timers = new DeadlineHeap();
    private final Doorbells doorbells = new Doorbells();
    private final DeadlineHeap.Caller onTimer = this::onTimer;
    private long nowNs;
    /** Null unless programs outside this process use the device. */
    private FrontDoor frontDoor;

    /**
     * Maximum numbers of a device's objects, and the range of its queue pair numbers.
     *
     * @param firstQpn lowest number of a queue pair
     * @param lastQpn  exclusive upper bound of the numbers
     */
    public record DeviceNumbers(int maxQp, int maxSrq, int maxMr, int maxMw, int firstQpn, int lastQpn) {
    }

    /**
     * Creates an engine without queue pairs.
     *
     * @param random         source of numbers and keys; secure, except in the simulator
     * @param receives       counts receives that completed with success
     * @param memoryGone     counts accesses to registered memory that was freed
     * @param internalErrors counts failures of protocol code
     * @param packets        rebuilds the packets of recordings
     */
    protected DeviceEngine(DeviceNumbers numbers, RandomGenerator random, Counters<C> counters, C receives, C memoryGone,
                           C internalErrors, PacketDecoder packets) {
        this.numbers = numbers;
        this.random = random;
        this.counters = counters;
        this.receives = counters.counter(receives);
        this.memoryGone = counters.counter(memoryGone);
        guard = new Guard(counters.counter(internalErrors));
        memory = new MemoryTable(random, numbers.maxMr, numbers.maxMw);
        sharedReceives = new SrqTable(numbers.maxSrq);
        eventRings = new EventRings(this::nowNs, packets);
    }

    // ---- a round ----

    @Override
    public final int doWork(long ns) {
        return runInput(ns) + transmitTurns();
    }

    @Override
    public final boolean receive(long ns) {
        long before = receives.get();
        runInput(ns);
        return receives.get() != before;
    }

    @Override
    public int transmit(long ns) {
        nowNs = ns;
        return pollFrontDoor(ns) + runDoorbells() + transmitTurns();
    }

    private int runInput(long ns) {
        nowNs = ns;
        int done = pollFrontDoor(ns) + pollInput(ns);
        done += timers.expire(ns, onTimer);
        return done + runServices(ns);
    }

    private int pollFrontDoor(long ns) {
        return frontDoor == null ? 0 : frontDoor.poll(ns);
    }

    @Override
    public final void frontDoor(FrontDoor door) {
        alsoWakeBy(door.descriptor());
        frontDoor = door;
    }

    @Override
    public final long deadlineNs() {
        long nextNs = nextRoundNs();
        return frontDoor == null ? nextNs : Deadline.earlier(nextNs, frontDoor.deadlineNs());
    }

    /** Returns {@link #deadlineNs} of the link, the queue pairs and the services. */
    protected abstract long nextRoundNs();

    /** Lets input at another descriptor end {@link #await} too; the caller reads that input. */
    protected void alsoWakeBy(int fd) {
        throw VerbsException.unsupported("open_device");
    }

    /**
     * Runs all objects whose doorbell was rung.
     *
     * @return number of objects
     */
    protected final int runDoorbells() {
        return doorbells.drain();
    }

    /**
     * Receives from the link or the streams and calls {@link #runDoorbells}, in the order that suits the transport.
     *
     * @return number of things done; 0 if there was nothing to do
     */
    protected abstract int pollInput(long ns);

    /** Runs an expired timer; {@link #guard} contains its failures. */
    protected abstract void onTimer(DeadlineHeap.Timed due, long ns);

    /**
     * Runs the parts of a device besides queue pairs, such as management datagrams.
     *
     * @return number of things done; 0 if there was nothing to do
     */
    protected int runServices(long ns) {
        return 0;
    }

    /**
     * Runs one transmit turn of each queue pair that may have something to send.
     *
     * @return number of packets or frames sent
     */
    protected abstract int transmitTurns();

    /** Returns the time at which the current round or control verb began. */
    public final long nowNs() {
        return nowNs;
    }

    /** Sets the time for a control verb that is about to change protocol state. */
    public final void beginVerb(long ns) {
        nowNs = ns;
    }

    // ---- queue pairs ----

    /** Returns the object of a queue pair number, or null. */
    public final Q find(int qpn) {
        return queuePairs.get(qpn);
    }

    /**
     * Draws a random number that no queue pair has.
     *
     * @return in the range of {@link DeviceNumbers}
     * @throws VerbsException ENOMEM if the device's maximum number of queue pairs is reached
     */
    protected final int drawQpn() {
        if (queuePairs.size() >= numbers.maxQp) {
            throw new VerbsException(Errno.ENOMEM, "create_qp", "the device has " + numbers.maxQp + " queue pairs already");
        }
        int qpn;
        do {
            qpn = numbers.firstQpn + random.nextInt(numbers.lastQpn - numbers.firstQpn);
        } while (queuePairs.containsKey(qpn) || isReserved(qpn));
        return qpn;
    }

    /** Returns whether a number must not be drawn although no queue pair has it. */
    protected boolean isReserved(int qpn) {
        return false;
    }

    /** Makes {@link #find} return the queue pair. */
    protected final void enter(int qpn, Q qp) {
        queuePairs.put(qpn, qp);
    }

    /** Undoes {@link #enter}, and ends the bindings of memory windows to the queue pair. */
    protected final void leave(int qpn) {
        queuePairs.remove(qpn);
        memory.unbindWindowsOf(qpn);
    }

    // ---- parts of the device ----

    public final Doorbells doorbells() {
        return doorbells;
    }

    /** The rings of the flight recorder. */
    public final EventRings eventRings() {
        return eventRings;
    }

    public final DeadlineHeap timers() {
        return timers;
    }

    public final Guard guard() {
        return guard;
    }

    public final RandomGenerator random() {
        return random;
    }

    public final MemoryTable memory() {
        return memory;
    }

    public final SrqTable sharedReceives() {
        return sharedReceives;
    }

    public final Counters<C> counters() {
        return counters;
    }

    /** Returns all counters by name. */
    public Map<String, Long> readCounters() {
        memoryGone.set(memory.goneAccesses());
        return counters.toMap();
    }
}
