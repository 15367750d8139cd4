// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.agent.Doorbells;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.verbs.SrqTable;
import org.softrdma.siw.mpa.BufferPool;
import org.softrdma.siw.qp.SiwCounter;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.siw.tcp.Streams;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.iwarp.Fpdu;

/**
 * A device at work: its queue pairs, keys, timers and streams. {@link #doWork} is one round: what has come in, doorbells, timers, transmit.
 * Runs under the device's owner, on its thread or in the simulator.
 */
final class SiwEngine implements DeviceWork {
    private static final System.Logger LOG = System.getLogger(SiwEngine.class.getName());
    private static final int FIRST_QPN = 1;
    private static final int LAST_QPN = 0xfffffe;
    private static final int MOST_IDLE_BUFFERS = 16;

    private final RandomGenerator random;
    private final Streams allStreams;
    private final Counters<SiwCounter> counters = new Counters<>(SiwCounter.class);
    private final MemoryTable memory;
    private final Int2ObjectHashMap<SiwQueuePair> queuePairs = new Int2ObjectHashMap<>();
    private final SrqTable sharedReceives = new SrqTable(SiwLimits.MAX_SRQ);
    private final DeadlineHeap timers = new DeadlineHeap();
    private final ArrayDeque<SiwConnection> active = new ArrayDeque<>();
    private final Doorbells doorbells = new Doorbells();
    private final BufferPool sendBuffers = new BufferPool(SiwConnection.SEND_BUFFER_BYTES, MOST_IDLE_BUFFERS);
    private final BufferPool frameBuffers = new BufferPool(Fpdu.MAX_LENGTH, MOST_IDLE_BUFFERS);
    private final DeadlineHeap.Caller onTimer = this::onTimer;
    /** Streams that have begun and not ended. */
    private int streams;
    private long nowNs;

    /** @param random secure, outside the simulator */
    SiwEngine(RandomGenerator random, Streams allStreams) {
        this.random = random;
        this.allStreams = allStreams;
        memory = new MemoryTable(random, SiwLimits.MAX_MR, SiwLimits.MAX_MW);
    }

    @Override
    public int doWork(long ns) {
        return takeIn(ns) + transmit();
    }

    @Override
    public boolean receive(long ns) {
        long before = counters.get(SiwCounter.RDMA_RECVS);
        takeIn(ns);
        return counters.get(SiwCounter.RDMA_RECVS) != before;
    }

    private int takeIn(long ns) {
        nowNs = ns;
        // Doorbells first: a stream that rings because its turn is over has the next one in the next round.
        return doorbells.drain() + allStreams.poll() + timers.expire(ns, onTimer);
    }

    private void onTimer(DeadlineHeap.Timed due, long ns) {
        if (due instanceof SiwConnection connection) {
            try {
                connection.onTimer(ns);
            } catch (RuntimeException | InternalError broken) {
                onBroken(connection.qp(), connection, broken);
            }
            touched(connection);
        } else if (due instanceof Handshake handshake) {
            try {
                handshake.onTimer(ns);
            } catch (RuntimeException | InternalError broken) {
                handshake.onBroken(broken);
            }
        }
    }

    @Override
    public void transmit(long ns) {
        nowNs = ns;
        doorbells.drain();
        transmit();
    }

    /** Each connection with something to send has its turn: as much as its buffer and its stream take. */
    private int transmit() {
        int sent = 0;
        for (int turns = active.size(); turns > 0; turns--) {
            SiwConnection connection = active.remove();
            connection.active = false;
            sent += transmitFrom(connection);
            timers.update(connection);
        }
        return sent;
    }

    private int transmitFrom(SiwConnection connection) {
        try {
            return connection.transmit(nowNs);
        } catch (RuntimeException | InternalError broken) {
            onBroken(connection.qp(), connection, broken);
            return 0;
        }
    }

    /**
     * A queue pair found itself in a state that cannot be: it stops, with an event, and the rest of the device goes on.
     *
     * @param connection null if it has none
     */
    void onBroken(SiwMachine qp, SiwConnection connection, Throwable cause) {
        counters.count(SiwCounter.INTERNAL_ERRORS);
        LOG.log(System.Logger.Level.ERROR, "queue pair 0x" + Integer.toHexString(qp.qpn()) + " stops: please report this", cause);
        assert false : cause;
        qp.raise(AsyncEventType.QP_FATAL);
        qp.enterError();
        if (connection != null) {
            connection.abort();
        }
    }

    /** The same of a connection that has no queue pair yet: there is nothing but the connection to stop. */
    void onBrokenSetUp(Throwable cause) {
        counters.count(SiwCounter.INTERNAL_ERRORS);
        LOG.log(System.Logger.Level.ERROR, "the set-up of a connection stops: please report this", cause);
    }

    @Override
    public long deadlineNs() {
        return active.isEmpty() ? timers.earliestNs() : nowNs;
    }

    @Override
    public void await(long timeoutNs) {
        allStreams.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        allStreams.wakeup();
    }

    // ---- connections ----

    /**
     * A stream begins to carry FPDUs.
     *
     * @param agentDoorbell makes the owner look; any thread
     * @param onOver        called once, when the queue pair or the stream has ended; with the owner's lock held
     */
    SiwConnection attach(SiwMachine qp, ByteStream stream, Runnable agentDoorbell, Runnable onOver) {
        SiwConnection connection = new SiwConnection(this, qp, stream, agentDoorbell, onOver);
        streams++;
        connection.use(stream);
        touched(connection);
        return connection;
    }

    /** A stream has ended; its connection waits for nothing any more. */
    void detached(SiwConnection connection) {
        streams--;
        timers.remove(connection);
    }

    /** Whether streams carry FPDUs, or what was written to them has not gone out. */
    boolean hasStreams() {
        return streams > 0;
    }

    /** Something happened to the connection: it may have something to send, and its deadline may have changed. */
    void touched(SiwConnection connection) {
        if (!connection.active) {
            connection.active = true;
            active.add(connection);
        }
    }

    /** Takes a queue pair out. Its stream, if it has one, still says what was written, and ends. */
    void remove(SiwMachine qp, SiwConnection connection) {
        qp.close();
        queuePairs.remove(qp.qpn());
        memory.unbindWindowsOf(qp.qpn());
        if (connection != null) {
            touched(connection);
        }
    }

    /** Draws a number that no queue pair has, and enters the queue pair with it. */
    int add(SiwQueuePair qp) {
        if (queuePairs.size() >= SiwLimits.MAX_QP) {
            throw new VerbsException(Errno.ENOMEM, "create_qp", "the device has " + SiwLimits.MAX_QP + " queue pairs already");
        }
        int qpn;
        do {
            qpn = FIRST_QPN + random.nextInt(LAST_QPN - FIRST_QPN);
        } while (queuePairs.containsKey(qpn));
        queuePairs.put(qpn, qp);
        return qpn;
    }

    /** Null if there is none. */
    SiwQueuePair find(int qpn) {
        return queuePairs.get(qpn);
    }

    // ---- the rest of the device ----

    DeadlineHeap timers() {
        return timers;
    }

    /** For frames that go out. */
    BufferPool sendBuffers() {
        return sendBuffers;
    }

    /** For frames that come in pieces. */
    BufferPool frameBuffers() {
        return frameBuffers;
    }

    Doorbells doorbells() {
        return doorbells;
    }

    /** When the present round, or the present control verb, began. */
    long nowNs() {
        return nowNs;
    }

    /** A control verb is about to change something. */
    void beginVerb(long ns) {
        nowNs = ns;
    }

    SrqTable sharedReceives() {
        return sharedReceives;
    }

    MemoryTable memory() {
        return memory;
    }

    Counters<SiwCounter> counters() {
        return counters;
    }

    /** All counters by name. */
    Map<String, Long> readCounters() {
        counters.add(SiwCounter.MEMORY_GONE, memory.goneAccesses() - counters.get(SiwCounter.MEMORY_GONE));
        return counters.toMap();
    }
}
