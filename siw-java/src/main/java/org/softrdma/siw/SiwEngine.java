// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import java.util.ArrayDeque;
import java.util.random.RandomGenerator;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.engine.DeviceEngine;
import org.softrdma.device.engine.Guard;
import org.softrdma.siw.mpa.BufferPool;
import org.softrdma.siw.qp.SegmentEvents;
import org.softrdma.siw.qp.SiwCounter;
import org.softrdma.siw.qp.SiwMachine;
import org.softrdma.siw.tcp.ByteStream;
import org.softrdma.siw.tcp.Streams;
import org.softrdma.wire.iwarp.Fpdu;

/**
 * Engine of a device: its queue pairs, keys, timers and streams. {@link #doWork} is one round: doorbells, input, timers, transmit.
 * Runs under the device's owner, on its thread or in the simulator.
 */
final class SiwEngine extends DeviceEngine<SiwCounter, SiwQueuePair> {
    private static final int FIRST_QPN = 1;
    private static final int LAST_QPN = 0xfffffe;
    private static final int MOST_IDLE_BUFFERS = 16;
    /** Calls of {@link #readStreams} to the system; each returns up to 64 streams. */
    private static final int MOST_READS = 32;
    private static final DeviceNumbers NUMBERS = new DeviceNumbers(SiwLimits.MAX_QP, SiwLimits.MAX_SRQ, SiwLimits.MAX_MR, SiwLimits.MAX_MW,
        FIRST_QPN, LAST_QPN);
    private static final Guard.Step<SiwEngine, StreamUser> TIMER = (engine, user, ns) -> {
        user.onTimer(ns);
        return 1;
    };
    private static final Guard.Step<SiwEngine, SiwConnection> TURN = (engine, connection, ns) -> connection.transmit(ns);

    private final Streams allStreams;
    private final ArrayDeque<SiwConnection> active = new ArrayDeque<>();
    private final BufferPool sendBuffers = new BufferPool(SiwConnection.SEND_BUFFER_BYTES, MOST_IDLE_BUFFERS);
    private final BufferPool frameBuffers = new BufferPool(Fpdu.MAX_LENGTH, MOST_IDLE_BUFFERS);
    /** Number of streams that have begun and not ended. */
    private int streams;

    /** @param random secure, outside the simulator */
    SiwEngine(RandomGenerator random, Streams allStreams) {
        super(NUMBERS, random, new Counters<>(SiwCounter.class), SiwCounter.RDMA_RECVS, SiwCounter.MEMORY_GONE, SiwCounter.INTERNAL_ERRORS,
            new SegmentEvents());
        this.allStreams = allStreams;
    }

    @Override
    protected int pollInput(long ns) {
        // Doorbells first: a stream that rings because its turn is over has the next one in the next round.
        return runDoorbells() + allStreams.poll();
    }

    /** Reads what streams have received, as far as a bounded number of calls takes; in the middle of a command. */
    void readStreams() {
        int calls = 0;
        while (pollInput(nowNs()) > 0 && calls < MOST_READS) {
            calls++;
        }
    }

    @Override
    protected void onTimer(DeadlineHeap.Timed due, long ns) {
        StreamUser user = (StreamUser) due;
        guard().run(TIMER, this, user, ns);
        if (user instanceof SiwConnection connection) {
            touched(connection);
        }
    }

    /** Gives each connection with something to send a turn, as much as its buffer and its stream take. */
    @Override
    protected int transmitTurns() {
        int sent = 0;
        for (int turns = active.size(); turns > 0; turns--) {
            SiwConnection connection = active.remove();
            connection.active = false;
            sent += guard().run(TURN, this, connection, nowNs());
            timers().update(connection);
        }
        return sent;
    }

    @Override
    protected long nextRoundNs() {
        return active.isEmpty() ? timers().earliestNs() : nowNs();
    }

    @Override
    public void await(long timeoutNs) {
        allStreams.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        allStreams.wakeup();
    }

    @Override
    protected void alsoWakeBy(int fd) {
        allStreams.alsoWakeBy(fd);
    }

    // ---- connections ----

    /**
     * Connects a queue pair to a stream, which carries FPDUs from now on.
     *
     * @param agentDoorbell makes the owner run a round; any thread
     * @param onOver        called once, when the queue pair or the stream has ended; with the owner's lock held
     */
    SiwConnection attach(SiwMachine qp, ByteStream stream, Runnable agentDoorbell, Runnable onOver) {
        SiwConnection connection = new SiwConnection(this, qp, stream, agentDoorbell, onOver);
        streams++;
        connection.use(stream);
        touched(connection);
        return connection;
    }

    /** Removes the timer of a connection whose stream has ended. */
    void detached(SiwConnection connection) {
        streams--;
        timers().remove(connection);
    }

    /** Whether any stream carries FPDUs, or has written bytes that are not sent yet. */
    boolean hasStreams() {
        return streams > 0;
    }

    /** Gives a connection a turn, as it may have something to send, and its deadline may have changed. */
    void touched(SiwConnection connection) {
        if (!connection.active) {
            connection.active = true;
            active.add(connection);
        }
    }

    /** Removes a queue pair. What was posted before is written as far as there is room; the stream still sends that, and ends. */
    void remove(SiwMachine qp, SiwConnection connection) {
        if (connection != null) {
            guard().run(TURN, this, connection, nowNs());
        }
        qp.close();
        eventRings().remove(qp.observer());
        leave(qp.qpn());
        if (connection != null) {
            touched(connection);
        }
    }

    /** Draws a number that no queue pair has, and enters the queue pair with it. */
    int add(SiwQueuePair qp) {
        int qpn = drawQpn();
        enter(qpn, qp);
        return qpn;
    }

    // ---- the rest of the device ----

    /** Buffers for frames to send. */
    BufferPool sendBuffers() {
        return sendBuffers;
    }

    /** Buffers for frames that are received in pieces. */
    BufferPool frameBuffers() {
        return frameBuffers;
    }
}
