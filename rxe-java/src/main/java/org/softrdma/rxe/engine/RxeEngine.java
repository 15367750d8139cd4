// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.engine;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.DeadlineHeap;
import org.softrdma.device.agent.DeviceWork;
import org.softrdma.device.agent.Doorbells;
import org.softrdma.device.memory.MemoryTable;
import org.softrdma.device.verbs.SrqTable;
import org.softrdma.link.Link;
import org.softrdma.link.TransmitBatch;
import org.softrdma.rxe.config.CongestionControl;
import org.softrdma.rxe.qp.FlightBudget;
import org.softrdma.rxe.qp.LingeringQueuePairs;
import org.softrdma.rxe.qp.PacketWriter;
import org.softrdma.rxe.qp.QpMachine;
import org.softrdma.rxe.qp.RxeCounter;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * Engine of one device: its queue pairs, keys, timers, and link. {@link #doWork} is one round of the whole data path: receive, doorbells,
 * timers, transmit. Runs on the thread of the device's owner, or in the simulator.
 */
public final class RxeEngine implements DeviceWork {
    private static final System.Logger LOG = System.getLogger(RxeEngine.class.getName());
    private static final int BATCH_PACKETS = 128;
    private static final int LARGEST_PACKET_BYTES = 4096 + 64;
    private static final int RECEIVE_BUDGET = 128;
    /** Time until the next attempt after the link accepted no more packets. */
    private static final long BACKOFF_NS = 50_000;
    private static final int ECN_BITS = 3;
    /** ECT(0). */
    private static final int ECN_CAPABLE = 2;
    private static final int FIRST_QPN = 0x11;
    private static final int LAST_QPN = 0xfffffe;

    private final Link link;
    private final CongestionControl congestion;
    private final RandomGenerator random;
    private final Counters<RxeCounter> counters = new Counters<>(RxeCounter.class);
    private final MemoryTable memory;
    private final Int2ObjectHashMap<QpMachine> queuePairs = new Int2ObjectHashMap<>();
    private final SrqTable sharedReceives = new SrqTable(RxeLimits.MAX_SRQ);
    private final XrcDomainTable xrcDomains = new XrcDomainTable();
    private final MulticastTable multicast;
    private final LingeringQueuePairs lingering = new LingeringQueuePairs(counters);
    private final DeadlineHeap timers = new DeadlineHeap();
    private final FlightBudget flight = new FlightBudget();
    private final Gsi gsi;
    private final ArrayDeque<QpMachine> active = new ArrayDeque<>();
    private final Doorbells doorbells = new Doorbells();
    private final TransmitBatch batch = new TransmitBatch(BATCH_PACKETS, LARGEST_PACKET_BYTES);
    private final PacketWriter writer = new PacketWriter(batch, counters);
    private final PacketReceiver receiver;
    private final DeadlineHeap.Caller onTimer = this::onTimer;
    private int addressHandles;
    private long nowNs;
    private long countedSendErrors;

    /**
     * Makes the engine of a device.
     *
     * @param port       UDP port that packets must be addressed to
     * @param caGuid     GUID of the channel adapter, unique in the network
     * @param congestion settings, with a line rate if it is on
     * @param random     secure outside the simulator
     */
    public RxeEngine(Link link, int port, long caGuid, CongestionControl congestion, RandomGenerator random) {
        this.link = link;
        this.congestion = congestion;
        this.random = random;
        receiver = new PacketReceiver(this, port, counters);
        multicast = new MulticastTable(link);
        gsi = new Gsi(link, caGuid, random, counters);
        memory = new MemoryTable(random, RxeLimits.MAX_MR, RxeLimits.MAX_MW);
    }

    @Override
    public int doWork(long ns) {
        return pollInput(ns) + transmit();
    }

    @Override
    public boolean receive(long ns) {
        long before = counters.get(RxeCounter.RDMA_RECVS);
        pollInput(ns);
        return counters.get(RxeCounter.RDMA_RECVS) != before;
    }

    private int pollInput(long ns) {
        nowNs = ns;
        receiver.setNow(ns);
        int done = flush();
        done += link.poll(receiver, RECEIVE_BUDGET);
        done += doorbells.drain();
        done += timers.expire(ns, onTimer);
        done += manage(ns);
        lingering.expire(ns);
        return done;
    }

    private void onTimer(DeadlineHeap.Timed due, long ns) {
        QpMachine qp = (QpMachine) due;
        try {
            qp.onTimer(ns);
        } catch (RuntimeException | InternalError broken) {
            onBroken(qp, broken);
        }
        activate(qp);
    }

    private int manage(long ns) {
        try {
            return gsi.pollInput(ns);
        } catch (RuntimeException broken) {
            counters.count(RxeCounter.INTERNAL_ERRORS);
            LOG.log(System.Logger.Level.ERROR, "internal error while processing a MAD or CM timer; please report this", broken);
            assert false : broken;
            return 1;
        }
    }

    @Override
    public void transmit(long ns) {
        nowNs = ns;
        flush();
        doorbells.drain();
        transmit();
    }

    /**
     * Gives each queue pair with something to send a turn, first those that waited for room in the flight budget. A queue pair that used up
     * its turn waits for the next round.
     */
    private int transmit() {
        int sent = lingering.transmit(writer) + gsi.transmit(writer);
        for (QpMachine qp = flight.next(); qp != null; qp = hasRoom() ? flight.next() : null) {
            sent += giveTurn(qp);
        }
        for (int turns = active.size(); turns > 0 && hasRoom(); turns--) {
            QpMachine qp = active.remove();
            qp.active = false;
            sent += giveTurn(qp);
        }
        return sent + flush();
    }

    /** Sends a part of the waiting management datagrams, as far as there is room now. @return number of packets */
    public int sendManagement() {
        flush();
        int sent = gsi.transmit(writer);
        flush();
        return sent;
    }

    private boolean hasRoom() {
        return writer.hasRoom() || flush() > 0;
    }

    private int giveTurn(QpMachine qp) {
        int packets = transmitFrom(qp);
        if (packets == qp.turnPackets() || !writer.hasRoom()) {
            activate(qp);
        }
        timers.update(qp);
        return packets;
    }

    private int transmitFrom(QpMachine qp) {
        try {
            return qp.transmit(nowNs, writer, qp.turnPackets());
        } catch (RuntimeException | InternalError broken) {
            onBroken(qp, broken);
            return 0;
        }
    }

    /**
     * Handles an internal error of a queue pair: moves it to ERR, with an event, and the rest of the device continues. With assertions
     * enabled, as in tests, it throws.
     */
    void onBroken(QpMachine qp, Throwable cause) {
        counters.count(RxeCounter.INTERNAL_ERRORS);
        LOG.log(System.Logger.Level.ERROR,
            "internal error, queue pair 0x" + Integer.toHexString(qp.qpn()) + " moved to ERR; please report this", cause);
        assert false : cause;
        qp.raise(AsyncEventType.QP_FATAL);
        qp.enterError();
    }

    private int flush() {
        if (batch.isEmpty()) {
            return 0;
        }
        int sent = link.send(batch);
        long errors = link.sendErrors();
        counters.add(RxeCounter.SEND_ERR, errors - countedSendErrors);
        countedSendErrors = errors;
        return sent;
    }

    @Override
    public long deadlineNs() {
        if ((!active.isEmpty() || gsi.isBusy()) && batch.isEmpty()) {
            return nowNs;
        }
        long earliestNs = Math.min(Math.min(timers.earliestNs(), gsi.deadlineNs()), link.deadlineNs());
        return batch.isEmpty() ? earliestNs : Math.min(earliestNs, nowNs + BACKOFF_NS);
    }

    @Override
    public void await(long timeoutNs) {
        link.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        link.wakeup();
    }

    // ---- queue pairs ----

    /** Queues the queue pair for a turn because it may have something to send, or its deadline may have changed. */
    public void activate(QpMachine qp) {
        if (!qp.active) {
            qp.active = true;
            active.add(qp);
        }
    }

    public QpMachine find(int qpn) {
        return queuePairs.get(qpn);
    }

    /** Packets that all queue pairs may have in flight together. */
    public FlightBudget flight() {
        return flight;
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
        if (queuePairs.size() >= RxeLimits.MAX_QP) {
            throw new VerbsException(Errno.ENOMEM, "create_qp", "the device has " + RxeLimits.MAX_QP + " queue pairs already");
        }
        int qpn;
        do {
            qpn = FIRST_QPN + random.nextInt(LAST_QPN - FIRST_QPN);
        } while (queuePairs.containsKey(qpn) || lingering.find(qpn) != null);
        QpMachine qp = maker.apply(qpn);
        if (congestion.on()) {
            qp.control(congestion);
        }
        queuePairs.put(qpn, qp);
        return qp;
    }

    /** Sends the responses that the queue pair owes its peer, before it changes state or is destroyed. */
    public void settle(QpMachine qp) {
        flush();
        qp.settle(writer, QpMachine.TURN_PACKETS);
        flush();
    }

    /** Removes a queue pair; for a while it lingers, see {@link LingeringQueuePairs}. */
    public void remove(QpMachine qp) {
        settle(qp);
        queuePairs.remove(qp.qpn());
        memory.unbindWindowsOf(qp.qpn());
        timers.remove(qp);
        if (qp.active) {
            active.remove(qp);
            qp.active = false;
        }
        LingeringQueuePairs.Entry entry = qp.lingering(nowNs + LingeringQueuePairs.LINGER_NS);
        if (entry != null) {
            lingering.add(entry);
        }
    }

    // ---- doorbells ----

    public Doorbells doorbells() {
        return doorbells;
    }

    /** Handles work requests posted to the queue pair. */
    public void onDoorbell(QpMachine qp) {
        try {
            qp.onDoorbell();
        } catch (RuntimeException | InternalError broken) {
            onBroken(qp, broken);
        }
        if (find(qp.qpn()) == qp) {
            activate(qp);
        }
    }

    // ---- the rest of the device ----

    /** Counts one address handle more. @throws VerbsException ENOMEM: the limit is reached */
    public void addAddressHandle() {
        if (addressHandles == RxeLimits.MAX_AH) {
            throw new VerbsException(Errno.ENOMEM, "create_ah", "the device has " + RxeLimits.MAX_AH + " address handles already");
        }
        addressHandles++;
    }

    public void removeAddressHandle() {
        addressHandles--;
    }

    /** Time at which the present round, or the present control verb, began. */
    public long nowNs() {
        return nowNs;
    }

    /** Begins a control verb at the given time. */
    public void beginVerb(long ns) {
        nowNs = ns;
    }

    public RandomGenerator random() {
        return random;
    }

    /**
     * Traffic class of a connection: with congestion control its packets may be marked by switches. RFC 3168 §5
     *
     * @param requested by the application, u8
     */
    public int trafficClass(int requested) {
        return congestion.on() ? requested & ~ECN_BITS | ECN_CAPABLE : requested;
    }

    Link link() {
        return link;
    }

    public SrqTable sharedReceives() {
        return sharedReceives;
    }

    public XrcDomainTable xrcDomains() {
        return xrcDomains;
    }

    public MulticastTable multicast() {
        return multicast;
    }

    public MemoryTable memory() {
        return memory;
    }

    public Counters<RxeCounter> counters() {
        return counters;
    }

    /** All counters by name. */
    public Map<String, Long> readCounters() {
        counters.add(RxeCounter.MEMORY_GONE, memory.goneAccesses() - counters.get(RxeCounter.MEMORY_GONE));
        Map<String, Long> all = counters.toMap();
        all.putAll(gsi.manager().counters().toMap());
        return all;
    }
}
