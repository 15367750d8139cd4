// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.engine.DeviceEngine;
import org.softrdma.device.engine.Guard;
import org.softrdma.device.qp.FaultDomain;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.rxe.config.QueuePairOptions;
import org.softrdma.rxe.qp.FlightBudget;
import org.softrdma.rxe.qp.InterfaceMtu;
import org.softrdma.rxe.qp.LingeringQueuePairs;
import org.softrdma.rxe.qp.PacketEvents;
import org.softrdma.rxe.qp.PacketWriter;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RxeCounter;

/**
 * Engine of one device: its queue pairs, keys, timers, and link. {@link #doWork} is one round of the whole data path: receive, doorbells,
 * timers, transmit. Runs on the thread of the device's owner, or in the simulator.
 */
public final class RxeEngine extends DeviceEngine<RxeCounter, QpMachine> {
    private static final int BATCH_PACKETS = 128;
    /** Of all packets of a batch, if none is larger than on a wire; and one that is. */
    private static final int BATCH_BYTES = BATCH_PACKETS * (4096 + 64) + ReceivedFrame.MAX_BYTES_IN_MEMORY;
    private static final int RECEIVE_BUDGET = 128;
    /** Turns that a queue pair gets before it is destroyed, while the others wait. */
    private static final int LAST_TURNS = 64;
    /** Time until the next attempt after the link accepted no more packets. */
    private static final long BACKOFF_NS = 50_000;
    private static final int ECN_BITS = 3;
    /** ECT(0). */
    private static final int ECN_CAPABLE = 2;
    private static final int FIRST_QPN = 0x11;
    private static final int LAST_QPN = 0xfffffe;
    private static final DeviceNumbers NUMBERS = new DeviceNumbers(RxeLimits.MAX_QP, RxeLimits.MAX_SRQ, RxeLimits.MAX_MR, RxeLimits.MAX_MW,
        FIRST_QPN, LAST_QPN);
    private static final Guard.Step<RxeEngine, QpMachine> DOORBELL = (engine, qp, ns) -> {
        qp.onDoorbell();
        return 1;
    };
    private static final Guard.Step<RxeEngine, QpMachine> TIMER = (engine, qp, ns) -> {
        qp.onTimer(ns);
        return 1;
    };
    private static final Guard.Step<RxeEngine, QpMachine> HANDED_OVER = (engine, qp, ns) -> {
        qp.onHandedOver(ns);
        return 1;
    };
    private static final Guard.Step<RxeEngine, QpMachine> TURN = (engine, qp, ns) -> qp.transmit(ns, engine.writer, qp.turnPackets());
    private static final Guard.Step<RxeEngine, QpMachine> LAST_TURN = (engine, qp, ns) ->
        qp.sendPosted(ns, engine.writer, qp.turnPackets());
    private static final Guard.Step<RxeEngine, FaultDomain> MANAGEMENT = (engine, part, ns) -> engine.gsi.pollInput(ns);

    private final Link link;
    private final QueuePairOptions options;
    private final LongSupplier clock;
    private final Counters<RxeCounter> counters = counters();
    private final DeviceObjects objects;
    private final LingeringQueuePairs lingering = new LingeringQueuePairs(counters);
    private final FlightBudget flight = new FlightBudget();
    private final Gsi gsi;
    /** Observes the packets that reach no queue pair; null until there is one. */
    private QueuePairObserver dropped;
    private final ArrayDeque<QpMachine> active = new ArrayDeque<>();
    /** Queue pairs with packets in the batch that start a timer. */
    private final ArrayDeque<QpMachine> handingOver = new ArrayDeque<>();
    private final TransmitBatch batch = new TransmitBatch(BATCH_PACKETS, ReceivedFrame.MAX_BYTES_IN_MEMORY, BATCH_BYTES);
    private final PacketWriter writer;
    private final PacketReceiver receiver;
    /** Management datagrams and the timers of connections being made: a failure drops the one that is being processed. */
    private final FaultDomain management = new FaultDomain() {
        @Override
        public void onFault(Throwable cause) {
            assert false : cause;
        }

        @Override
        public String faultOutcome() {
            return "management datagram or connection timer dropped";
        }
    };
    private long countedSendErrors;
    private InterfaceMtu interfaceMtu = InterfaceMtu.AMPLE;

    /**
     * Makes the engine of a device.
     *
     * @param port       UDP port that packets must be addressed to
     * @param caGuid     GUID of the channel adapter, unique in the network
     * @param options    that the queue pairs follow, with a line rate if congestion control is on
     * @param random     secure outside the simulator
     * @param clock      nanoseconds of the clock that rounds are driven by, read after packets were handed to the link
     */
    public RxeEngine(Link link, int port, long caGuid, QueuePairOptions options, RandomGenerator random, LongSupplier clock) {
        super(NUMBERS, random, new Counters<>(RxeCounter.class), RxeCounter.RDMA_RECVS, RxeCounter.MEMORY_GONE, RxeCounter.INTERNAL_ERRORS,
            new PacketEvents());
        this.link = link;
        this.options = options;
        this.clock = clock;
        writer = new PacketWriter(batch, counters, link::needsIcrc);
        receiver = new PacketReceiver(this, port, counters);
        objects = new DeviceObjects(link);
        gsi = new Gsi(link, caGuid, random, counters, this::dropped);
    }

    @Override
    protected int pollInput(long ns) {
        receiver.setNow(ns);
        int done = flush();
        done += link.poll(receiver, RECEIVE_BUDGET);
        return done + runDoorbells();
    }

    @Override
    protected int runServices(long ns) {
        int done = guard().run(MANAGEMENT, this, management, ns);
        lingering.expire(ns);
        return done;
    }

    @Override
    protected void onTimer(DeadlineHeap.Timed due, long ns) {
        QpMachine qp = (QpMachine) due;
        guard().run(TIMER, this, qp, ns);
        activate(qp);
    }

    @Override
    public int transmit(long ns) {
        return flush() + super.transmit(ns);
    }

    /**
     * Gives each queue pair with something to send a turn, first those that waited for room in the flight budget. A queue pair that used up
     * its turn, or left an acknowledgement, waits for the next round.
     */
    @Override
    protected int transmitTurns() {
        int sent = lingering.transmit(writer) + gsi.transmit(writer);
        for (QpMachine qp = flight.next(); qp != null; qp = hasRoom() ? flight.next() : null) {
            sent += giveTurn(qp);
        }
        for (int turns = active.size(); turns > 0 && hasRoom(); turns--) {
            QpMachine qp = active.remove();
            qp.active = false;
            sent += giveTurn(qp);
        }
        if (hasRoom()) {
            sent += gsi.transmitRefusals(nowNs(), writer);
        }
        return sent + flush();
    }

    /**
     * Sends a part of the waiting management datagrams, as far as there is room now.
     *
     * @return number of packets
     */
    public int sendManagement() {
        flush();
        int sent = gsi.transmit(writer);
        if (hasRoom()) {
            sent += gsi.transmitRefusals(nowNs(), writer);
        }
        flush();
        return sent;
    }

    private boolean hasRoom() {
        return writer.hasRoom() || flush() > 0;
    }

    private int giveTurn(QpMachine qp) {
        int packets = guard().run(TURN, this, qp, nowNs());
        if (packets == qp.turnPackets() || !writer.hasRoom() || qp.hasAnswerLeft()) {
            activate(qp);
        }
        if (!qp.awaitsHandOver()) {
            timers().update(qp);
        } else if (!qp.handingOver) {
            qp.handingOver = true;
            handingOver.add(qp);
        }
        return packets;
    }

    private int flush() {
        if (batch.isEmpty()) {
            return 0;
        }
        int sent = link.send(batch);
        long errors = link.sendErrors();
        counters.add(RxeCounter.SEND_ERR, errors - countedSendErrors);
        countedSendErrors = errors;
        if (batch.isEmpty() && !handingOver.isEmpty()) {
            reportHandOver(clock.getAsLong());
        }
        return sent;
    }

    /** Reports to the queue pairs with packets in the last batch that the link has them, at a time that is not before that. */
    private void reportHandOver(long ns) {
        for (QpMachine qp = handingOver.poll(); qp != null; qp = handingOver.poll()) {
            qp.handingOver = false;
            guard().run(HANDED_OVER, this, qp, ns);
            timers().update(qp);
        }
    }

    @Override
    protected long nextRoundNs() {
        if ((!active.isEmpty() || gsi.isBusy()) && batch.isEmpty()) {
            return nowNs();
        }
        long earliestNs = Deadline.earlier(Deadline.earlier(timers().earliestNs(), gsi.deadlineNs()), link.deadlineNs());
        return batch.isEmpty() ? earliestNs : Deadline.earlier(earliestNs, nowNs() + BACKOFF_NS);
    }

    @Override
    public void await(long timeoutNs) {
        link.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        link.wakeup();
    }

    @Override
    protected void alsoWakeBy(int fd) {
        link.alsoWakeBy(fd);
    }

    // ---- queue pairs ----

    /** Queues the queue pair for a turn because it may have something to send, or its deadline may have changed. */
    public void activate(QpMachine qp) {
        if (!qp.active) {
            qp.active = true;
            active.add(qp);
        }
    }

    /** Packets that all queue pairs may have in flight together. */
    public FlightBudget flight() {
        return flight;
    }

    /** Sets the interface that explains failures of the queue pairs made from now on. */
    public void explainBy(InterfaceMtu mtuOfInterface) {
        interfaceMtu = mtuOfInterface;
    }

    /** Returns what the link says of a path, {@link Link#payloadInMemory}. */
    public int payloadInMemory(Path path) {
        return link.payloadInMemory(path);
    }

    /** Queue pair 1, for management datagrams. */
    public Gsi gsi() {
        return gsi;
    }

    public LingeringQueuePairs lingering() {
        return lingering;
    }

    /** Draws a number that no queue pair has, not even a lingering one, and adds the machine made for it. */
    public QpMachine add(IntFunction<? extends QpMachine> maker) {
        int qpn = drawQpn();
        QpMachine qp = maker.apply(qpn);
        qp.follow(options);
        qp.explainBy(interfaceMtu);
        qp.observe(eventRings().add(() -> RxeTracks.head(eventRings().device(), qp, link.subnetPort())));
        enter(qpn, qp);
        return qp;
    }

    @Override
    protected boolean isReserved(int qpn) {
        return lingering.find(qpn) != null;
    }

    /** Sends the responses that the queue pair owes its peer, before it changes state or is destroyed. */
    public void settle(QpMachine qp) {
        flush();
        qp.settle(writer, QpMachine.TURN_PACKETS);
        flush();
    }

    /**
     * Sends what was posted to a queue pair that is about to be destroyed, as far as that needs no answer: kernel rxe sends within the
     * post, and programs destroy a queue pair right after their last datagram.
     */
    public void sendPosted(QpMachine qp) {
        int turns = LAST_TURNS;
        while (turns > 0 && hasRoom() && guard().run(LAST_TURN, this, qp, nowNs()) > 0) {
            turns--;
        }
        flush();
    }

    /** Removes a queue pair; for a while it lingers, see {@link LingeringQueuePairs}. */
    public void remove(QpMachine qp) {
        settle(qp);
        leave(qp.qpn());
        timers().remove(qp);
        eventRings().remove(qp.observer());
        if (qp.active) {
            active.remove(qp);
            qp.active = false;
        }
        if (qp.handingOver) {
            handingOver.remove(qp);
            qp.handingOver = false;
        }
        LingeringQueuePairs.Entry entry = qp.lingering(nowNs() + LingeringQueuePairs.LINGER_NS);
        if (entry != null) {
            lingering.add(entry);
        }
    }

    // ---- doorbells ----

    /** Handles work requests posted to the queue pair. */
    public void onDoorbell(QpMachine qp) {
        guard().run(DOORBELL, this, qp, nowNs());
        if (find(qp.qpn()) == qp) {
            activate(qp);
        }
    }

    // ---- the rest of the device ----

    /**
     * Traffic class of a connection: with congestion control its packets may be marked by switches. RFC 3168 §5
     *
     * @param requested by the application, u8
     */
    public int trafficClass(int requested) {
        return options.congestion().on() ? requested & ~ECN_BITS | ECN_CAPABLE : requested;
    }

    /** Observer of the packets that reach no queue pair. */
    QueuePairObserver dropped() {
        if (dropped == null) {
            dropped = eventRings().add(() -> RxeTracks.device(eventRings().device(), link.subnetPort()));
        }
        return dropped;
    }

    Link link() {
        return link;
    }

    /** XRC domains, multicast groups and address handles. */
    public DeviceObjects objects() {
        return objects;
    }

    @Override
    public Map<String, Long> readCounters() {
        Map<String, Long> all = super.readCounters();
        all.putAll(gsi.manager().counters().toMap());
        return all;
    }
}
