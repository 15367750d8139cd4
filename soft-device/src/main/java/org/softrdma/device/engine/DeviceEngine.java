// SPDX-License-Identifier: Apache-2.0
package org.softrdma.device.engine;

import java.util.Map;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.agent.Doorbells;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.verbs.SrqTable;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * A device at work: one round polls input, runs doorbells and timers, and transmits. Holds what every transport has: queue pairs by number,
 * keys, shared receive queues, timers, doorbells, counters and the time of the round. Called by the device's owner, on the agent's or an
 * application's thread, or by a simulator; {@link #doorbells} may be rung by any thread.
 *
 * @param <C> names of the counters
 * @param <Q> what a queue pair's number stands for
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
    private final DeadlineHeap timers = new DeadlineHeap();
    private final Doorbells doorbells = new Doorbells();
    private final DeadlineHeap.Caller onTimer = this::onTimer;
    private long nowNs;

    /**
     * How many objects a device can have, and the numbers of its queue pairs.
     *
     * @param firstQpn lowest number of a queue pair
     * @param lastQpn  exclusive upper bound of the numbers
     */
    public record DeviceNumbers(int maxQp, int maxSrq, int maxMr, int maxMw, int firstQpn, int lastQpn) {
    }

    /**
     * @param random         source of numbers and keys; secure, outside the simulator
     * @param receives       counts receives that completed with success
     * @param memoryGone     counts accesses to registered memory that is gone
     * @param internalErrors counts failures of protocol code
     */
    protected DeviceEngine(DeviceNumbers numbers, RandomGenerator random, Counters<C> counters, C receives, C memoryGone,
                           C internalErrors) {
        this.numbers = numbers;
        this.random = random;
        this.counters = counters;
        this.receives = counters.counter(receives);
        this.memoryGone = counters.counter(memoryGone);
        guard = new Guard(counters.counter(internalErrors));
        memory = new MemoryTable(random, numbers.maxMr, numbers.maxMw);
        sharedReceives = new SrqTable(numbers.maxSrq);
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
    public void transmit(long ns) {
        nowNs = ns;
        runDoorbells();
        transmitTurns();
    }

    private int runInput(long ns) {
        nowNs = ns;
        int done = pollInput(ns);
        done += timers.expire(ns, onTimer);
        return done + runServices(ns);
    }

    /** Runs everything whose doorbell was rung. @return how many */
    protected final int runDoorbells() {
        return doorbells.drain();
    }

    /**
     * Receives what the link or the streams bring, and calls {@link #runDoorbells}, in the order that suits the transport.
     *
     * @return how much was done
     */
    protected abstract int pollInput(long ns);

    /** Runs an expired timer; {@link #guard} contains its failures. */
    protected abstract void onTimer(DeadlineHeap.Timed due, long ns);

    /** Runs what a device does besides queue pairs, such as management datagrams. @return how much was done */
    protected int runServices(long ns) {
        return 0;
    }

    /** Gives each queue pair that may have something to send its turn. @return packets or frames sent */
    protected abstract int transmitTurns();

    /** Time at which the present round, or the present control verb, began. */
    public final long nowNs() {
        return nowNs;
    }

    /** Sets the time for a control verb that is about to change protocol state. */
    public final void beginVerb(long ns) {
        nowNs = ns;
    }

    // ---- queue pairs ----

    /** Returns what has that number, or null. */
    public final Q find(int qpn) {
        return queuePairs.get(qpn);
    }

    /**
     * Draws a number that no queue pair has.
     *
     * @throws VerbsException ENOMEM: the device has as many queue pairs as it can have
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

    /** Returns whether a number that no queue pair has must not be drawn. */
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
