// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.softrdma.device.agent.Deadline;
import org.softrdma.fabric.ipoib.ConnectedMessage;
import org.softrdma.fabric.ipoib.ConnectionStep;
import org.softrdma.fabric.ipoib.Datagram;
import org.softrdma.fabric.ipoib.IpoibCounter;
import org.softrdma.fabric.ipoib.IpoibInterface;
import org.softrdma.fabric.ipoib.IpoibMode;
import org.softrdma.fabric.ipoib.Membership;
import org.softrdma.fabric.ipoib.PathAnswer;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.fabric.mad.ManagementPacket;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.AddressHandle;
import org.softrdma.verbs.AddressVector;
import org.softrdma.verbs.AsyncEvent;
import org.softrdma.verbs.CompletionChannel;
import org.softrdma.verbs.CompletionQueue;
import org.softrdma.verbs.Context;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.PortAttributes;
import org.softrdma.verbs.PortState;
import org.softrdma.verbs.ProtectionDomain;
import org.softrdma.verbs.QpAttributes;
import org.softrdma.verbs.QpCapabilities;
import org.softrdma.verbs.QpInitAttributes;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.QpType;
import org.softrdma.verbs.QueuePair;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.wire.ib.PKeyBlock;
import org.softrdma.wire.ib.PathRecord;

/**
 * An IP interface on a device of a fabric. One thread waits for messages and for what is due, one for events of the port, in connected mode
 * one for those of connections, the agent's one for answers of subnet administration, and the caller's one for packets to send; a lock lets
 * one of them use the machine at a time.
 */
public final class IpoibProcess implements IpEnd.Sender, AdministrationAgent.Receiver, AutoCloseable {
    private static final int RECEIVES = 512;
    private static final int SENDS = 256;
    private static final int GRH = 40;
    private static final int SLOT = GRH + 4096;
    private static final int MAX_HANDLES = 256;
    private static final long LONGEST_WAIT_NS = 1_000_000_000L;
    private static final int INFINIBAND = 1;
    private static final long MILLISECOND_NS = 1_000_000;
    /** Interval in which threads that wait for a look-up have requests repeated. */
    private static final int LOOK_MS = 100;

    private final Context context;
    private final int port;
    private final IpEnd end;
    private final Consumer<String> events;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final MemoryRegion region;
    private final CompletionChannel channel;
    private final CompletionQueue received;
    private final CompletionQueue sent;
    private final QueuePair queuePair;
    private final AdministrationAgent agent;
    private final IpoibInterface machine;
    private final IpoibMode mode;
    /** Null in datagram mode. */
    private final ConnectedEnds connections;
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final Map<Route, AddressHandle> handles = new LinkedHashMap<>(16, 0.75f, true);
    private final WorkCompletion[] completions = WorkCompletion.array(64);
    private final List<Thread> threads = new ArrayList<>();
    private int mtu;
    private int qkey;
    private volatile boolean closed;
    private volatile VerbsException failure;

    /** Destination of an address handle. */
    private record Route(int lid, Gid group, int sl) {
    }

    /**
     * Begins an interface; it comes up when a subnet manager has activated the port.
     *
     * @param context of a device on a fabric, to be closed by the caller afterwards; no other interface uses it
     * @param agent   of the device, closed by the caller afterwards
     * @param port    number of the port, from 1
     * @param pkey    of the partition, u16; either membership
     * @param mode    whether it uses connections
     * @param end     what is behind it
     * @param events  receives a line for each event
     * @throws VerbsException EINVAL: the port is not on a fabric, or not in the partition; others of the device
     */
    public IpoibProcess(Context context, AdministrationAgent agent, int port, int pkey, IpoibMode mode, IpEnd end,
                        Consumer<String> events) {
        this.context = context;
        this.agent = agent;
        this.port = port;
        this.mode = mode;
        this.end = end;
        this.events = events;
        if (context.queryPort(port).linkLayer() != INFINIBAND) {
            throw new VerbsException(Errno.EINVAL, "ipoib", context.device().name() + " is not on an InfiniBand fabric: rdma link add "
                + "NAME type ib fabric FABRIC node NODE makes such a device");
        }
        int pkeyIndex = pkeyIndex(pkey);
        pd = context.allocatePd();
        memory = arena.allocate((long) (RECEIVES + SENDS) * SLOT, 8);
        bytes = memory.asByteBuffer();
        region = pd.register(memory, AccessFlags.LOCAL_WRITE);
        channel = context.createCompletionChannel();
        received = context.createCq(RECEIVES, null, channel, 0);
        sent = context.createCq(SENDS, null, channel, 0);
        queuePair = pd.createQp(new QpInitAttributes(QpType.UD, sent, received, null, new QpCapabilities(SENDS, RECEIVES, 1, 1, 0), true));
        queuePair.modify(new QpAttributes().state(QpState.INIT).pkeyIndex(pkeyIndex).port(port).qkey(0));
        for (int i = 0; i < RECEIVES; i++) {
            postReceive(i);
        }
        queuePair.modify(new QpAttributes().state(QpState.RTR));
        queuePair.modify(new QpAttributes().state(QpState.RTS).sqPsn(0));
        for (int i = RECEIVES; i < RECEIVES + SENDS; i++) {
            freeSlots.add(i);
        }
        machine = new IpoibInterface(context.queryGid(port, 0), queuePair.qpNum(), pkey | PKeyBlock.FULL_MEMBER, mode,
            new SplittableRandom().nextLong() >>> 1);
        connections = mode == IpoibMode.CONNECTED ? new ConnectedEnds(context, pd, pkey, channel, machine) : null;
        agent.add(this);
        threads.addAll(List.of(start("receive", this::receive), start("events", this::followPort)));
        if (connections != null) {
            threads.add(start("connections", this::followConnections));
        }
    }

    private int pkeyIndex(int pkey) {
        for (int i = 0; i < context.queryPort(port).pkeyTblLen(); i++) {
            if (((context.queryPkey(port, i) ^ pkey) & PKeyBlock.PARTITION) == 0) {
                return i;
            }
        }
        throw new VerbsException(Errno.EINVAL, "ipoib", String.format("port %d of %s is not in partition 0x%04x: the subnet manager writes "
            + "its P_Keys. Let the file of softrdma sm -P FILE have a line like NAME=0x%04x, ipoib : 0x%016x=full ;", port,
            context.device().name(), pkey | PKeyBlock.FULL_MEMBER, pkey & PKeyBlock.PARTITION, context.queryGid(port, 0).low()));
    }

    private Thread start(String name, Runnable task) {
        return Thread.ofPlatform().name("softrdma-ipoib-" + name).daemon().start(() -> {
            try {
                task.run();
            } catch (VerbsException failed) {
                onFailure(failed);
            }
        });
    }

    /** Threads that wait are interrupted by close; otherwise the device is gone. */
    @Override
    public void onFailure(VerbsException failed) {
        if (!closed) {
            failure = failed;
            end.close();
        }
    }

    private void postReceive(int slot) {
        queuePair.postReceive(new ReceiveRequest().begin(slot).element(region, (long) slot * SLOT, SLOT));
    }

    /** Counters of the interface. */
    public Map<String, Long> counters() {
        synchronized (machine) {
            return machine.counters().toMap();
        }
    }

    // ---- look-ups ----

    /** A look-up that a thread waits for; the machine's lock guards it. */
    private final class LookUp<T> implements Consumer<T> {
        private boolean underWay;
        private T result;

        @Override
        public void accept(T found) {
            underWay = false;
            result = found;
            machine.notifyAll();
        }
    }

    /**
     * Finds the port that has an IP address.
     *
     * @return GID of the port
     * @throws VerbsException ETIMEDOUT: no port answers; ENETUNREACH: the address is in no subnet of ours; EIO: the device is gone
     */
    Gid findPort(Gid ip, long timeoutNs) {
        String text = ip.toInetAddress().getHostAddress();
        synchronized (machine) {
            if (!machine.isOnLink(ip)) {
                throw new VerbsException(Errno.ENETUNREACH, "resolve_addr", text + " is in no subnet of "
                    + String.join(", ", machine.addresses().stream().map(PrefixText::of).toList()));
            }
        }
        Gid found = this.<Gid>lookUp(timeoutNs, (lookUp, nowNs) -> machine.findPort(ip, lookUp, nowNs));
        if (found == null) {
            throw timedOut("resolve_addr", "no port answers for " + text);
        }
        return found;
    }

    /**
     * Asks subnet administration for the path to a port.
     *
     * @return PathRecord, from offset 0
     * @throws VerbsException ETIMEDOUT: no answer; EINVAL: there is no path; EIO: the device is gone
     */
    ByteBuffer findPath(Gid to, long timeoutNs) {
        PathAnswer found = this.<PathAnswer>lookUp(timeoutNs, (lookUp, nowNs) -> machine.findPath(to,
            answer -> lookUp.accept(answer.equals(PathAnswer.NONE) ? null : answer), nowNs));
        if (found == null) {
            throw timedOut("resolve_route", "subnet administration does not answer");
        }
        if (found.path() == null || PathRecord.DLID.get(found.path(), 0) == 0) {
            throw new VerbsException(Errno.EINVAL, "resolve_route", String.format("subnet administration has no path to port %s, status "
                + "0x%04x", to, found.status()));
        }
        return found.path();
    }

    private VerbsException timedOut(String verb, String message) {
        PortAttributes now = context.queryPort(port);
        return new VerbsException(Errno.ETIMEDOUT, verb, message + (now.state() == PortState.ACTIVE ? "" : "; port " + port + " of "
            + context.device().name() + " is " + now.state() + ": has a subnet manager run (softrdma sm)?"));
    }

    /**
     * Begins a look-up once the interface is up, again if it ended without a result, and waits for one.
     *
     * @return null if there is none in time
     */
    private <T> T lookUp(long timeoutNs, ObjLongConsumer<LookUp<T>> begin) {
        long untilNs = System.nanoTime() + timeoutNs;
        LookUp<T> lookUp = new LookUp<>();
        synchronized (machine) {
            while (true) {
                long nowNs = System.nanoTime();
                if (failure != null) {
                    throw failure;
                }
                if (machine.isUp() && !lookUp.underWay && lookUp.result == null) {
                    lookUp.underWay = true;
                    begin.accept(lookUp, nowNs);
                }
                machine.onTime(nowNs);
                drain();
                if (lookUp.result != null || closed || Deadline.isDue(untilNs, nowNs)) {
                    return lookUp.result;
                }
                pause(untilNs - nowNs);
            }
        }
    }

    /** Waits for a result, but not for long: requests may have to be repeated meanwhile. */
    private void pause(long longestNs) {
        try {
            machine.wait(Math.clamp(longestNs / MILLISECOND_NS, 1, LOOK_MS));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new VerbsException(Errno.EINTR, "resolve", "the thread was interrupted", stopped);
        }
    }

    // ---- input ----

    @Override
    public void send(ByteBuffer packet, int length) {
        synchronized (machine) {
            machine.onIpPacket(packet, 0, length, System.nanoTime());
            drain();
        }
    }

    @Override
    public void onAddresses(List<Prefix> addresses) {
        synchronized (machine) {
            machine.setAddresses(addresses, System.nanoTime());
            drain();
        }
    }

    private void receive() {
        received.requestNotify();
        while (!closed) {
            synchronized (machine) {
                for (int count = received.poll(completions, completions.length); count > 0;
                        count = received.poll(completions, completions.length)) {
                    for (int i = 0; i < count; i++) {
                        onMessage(completions[i]);
                    }
                }
                if (connections != null) {
                    connections.poll();
                }
                machine.onTime(System.nanoTime());
                drain();
            }
            CompletionQueue ready = channel.getEvent(waitNs());
            if (ready != null) {
                ready.ackEvents(1);
                if (connections == null || !connections.requestNotify(ready)) {
                    received.requestNotify();
                }
            }
        }
    }

    private long waitNs() {
        synchronized (machine) {
            return Math.clamp(Deadline.remainingNs(machine.deadlineNs(), System.nanoTime()), 0, LONGEST_WAIT_NS);
        }
    }

    private void onMessage(WorkCompletion completion) {
        int slot = (int) completion.wrId();
        if (completion.isSuccess()) {
            machine.onDatagram(bytes, slot * SLOT + GRH, completion.byteLength() - GRH, completion.slid(), completion.sourceQp(),
                System.nanoTime());
            postReceive(slot);
        }
    }

    @Override
    public void onAnswer(ManagementPacket answer) {
        try {
            synchronized (machine) {
                machine.onManagement(answer, System.nanoTime());
                drain();
            }
        } catch (VerbsException failed) {
            onFailure(failed);
        }
    }

    private void followConnections() {
        while (!closed) {
            Runnable event = connections.awaitEvent(LONGEST_WAIT_NS);
            if (event != null) {
                synchronized (machine) {
                    event.run();
                    drain();
                }
            }
        }
    }

    private void followPort() {
        onPort();
        while (!closed) {
            AsyncEvent event = context.getAsyncEvent(LONGEST_WAIT_NS);
            if (event != null) {
                boolean ofPort = event.port() == port;
                event.ack();
                if (ofPort) {
                    onPort();
                }
            }
        }
    }

    private void onPort() {
        PortAttributes now = context.queryPort(port);
        synchronized (machine) {
            machine.onPort(now.state() == PortState.ACTIVE ? now.lid() : 0, now.smLid(), now.smSl(), System.nanoTime());
            drain();
        }
    }

    // ---- output ----

    /** Does what the machine wants; its lock is held. */
    private void drain() {
        for (Membership each = machine.pollMembership(); each != null; each = machine.pollMembership()) {
            apply(each);
        }
        long nowNs = System.nanoTime();
        for (ManagementPacket each = machine.pollManagement(nowNs); each != null; each = machine.pollManagement(nowNs)) {
            sendRequest(each);
        }
        if (machine.mtu() != mtu || machine.isUp() && machine.qkey() != qkey) {
            changeLink();
        }
        sendDatagrams();
        if (connections != null) {
            drainConnections();
        }
        for (ByteBuffer each = machine.pollPacket(); each != null; each = machine.pollPacket()) {
            end.receive(each);
        }
    }

    private void drainConnections() {
        applySteps();
        while (connections.hasRoom()) {
            ConnectedMessage next = machine.pollMessage();
            if (next == null) {
                return;
            }
            connections.send(next);
            applySteps();
        }
    }

    private void applySteps() {
        for (ConnectionStep each = machine.pollConnectionStep(); each != null; each = machine.pollConnectionStep()) {
            connections.apply(each);
        }
    }

    private void sendRequest(ManagementPacket request) {
        try {
            agent.send(request);
        } catch (VerbsException refused) {
            // Too many wait, or the port has just got another LID: the machine repeats requests without an answer.
            requireDevice(refused);
        }
    }

    /** Throws the failure again if the device is gone. */
    static void requireDevice(VerbsException refused) {
        if (refused.errno() == Errno.EIO) {
            throw refused;
        }
    }

    private void apply(Membership membership) {
        if (membership.member()) {
            queuePair.attachMulticast(membership.group());
        } else {
            queuePair.detachMulticast(membership.group());
        }
    }

    private void changeLink() {
        mtu = machine.mtu();
        machine.notifyAll();
        if (mtu == 0) {
            if (!closed) {
                events.accept("down");
            }
            return;
        }
        qkey = machine.qkey();
        queuePair.modify(new QpAttributes().state(QpState.RTS).qkey(qkey));
        end.onUp(mtu);
        events.accept("up, MTU " + mtu + (mode == IpoibMode.DATAGRAM ? "" : ", connected mode"));
    }

    private void sendDatagrams() {
        reclaim();
        while (!freeSlots.isEmpty()) {
            Datagram next = machine.pollDatagram();
            if (next == null) {
                return;
            }
            send(next);
            if (freeSlots.isEmpty()) {
                // The next message is sent when one has left, which wakes the thread that waits for messages.
                sent.requestNotify();
                reclaim();
            }
        }
    }

    private void send(Datagram datagram) {
        int slot = freeSlots.peek();
        int length = datagram.payload().capacity();
        bytes.put(slot * SLOT, datagram.payload(), 0, length);
        try {
            queuePair.postSend(new SendRequest().send().wrId(slot).element(region, (long) slot * SLOT, length)
                .to(handle(datagram), datagram.qpn(), datagram.qkey()));
            freeSlots.remove();
        } catch (VerbsException refused) {
            // The port has just lost its LID, or the path is none.
            requireDevice(refused);
            machine.counters().count(IpoibCounter.DROP_IPOIB_NO_NEIGHBOUR);
        }
    }

    private void reclaim() {
        for (int count = sent.poll(completions, completions.length); count > 0; count = sent.poll(completions, completions.length)) {
            for (int i = 0; i < count; i++) {
                freeSlots.add((int) completions[i].wrId());
            }
        }
    }

    private AddressHandle handle(Datagram datagram) {
        Route route = new Route(datagram.lid(), datagram.group(), datagram.sl());
        AddressHandle known = handles.get(route);
        if (known != null) {
            return known;
        }
        if (handles.size() == MAX_HANDLES) {
            Route eldest = handles.keySet().iterator().next();
            handles.remove(eldest).close();
        }
        AddressVector vector = route.group == null ? AddressVector.toLid(route.lid).withSl(route.sl).withPort(port)
            : new AddressVector(route.group, 0, 0, 0, 0, route.sl, port, route.lid, 0);
        AddressHandle made = pd.createAh(vector);
        handles.put(route, made);
        return made;
    }

    // ---- life ----

    /**
     * Passes packets of the IP stack until it ends.
     *
     * @throws VerbsException EIO: the device, or the fabric, is gone
     */
    public void run() {
        end.run(this);
        if (failure != null) {
            throw failure;
        }
    }

    /** Ends the interface. */
    @Override
    public void close() {
        closed = true;
        agent.remove(this);
        end.close();
        for (Thread each : threads) {
            each.interrupt();
        }
        for (Thread each : threads) {
            try {
                each.join();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
        synchronized (machine) {
            machine.onPort(0, 0, 0, System.nanoTime());
            for (Membership each = machine.pollMembership(); each != null; each = machine.pollMembership()) {
                apply(each);
            }
            handles.values().forEach(AddressHandle::close);
            if (connections != null) {
                applySteps();
                connections.close();
            }
        }
        queuePair.close();
        received.close();
        sent.close();
        channel.close();
        region.close();
        pd.close();
        arena.close();
    }
}
