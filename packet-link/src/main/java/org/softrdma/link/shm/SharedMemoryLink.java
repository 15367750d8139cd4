// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.softrdma.device.Counters;
import org.softrdma.device.agent.Deadline;
import org.softrdma.link.ForwardingLink;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/**
 * Passes packets to other links of this kind, of the same user on the same host and in the same network namespace, through rings in shared
 * memory; all others take the link below. They need no ICRC. Each link has an inbox for each of its addresses, and makes a {@link Ring} for
 * each inbox that it sends to.
 *
 * <p><b>Discovery.</b> The sender finds the inbox when a path is resolved, and afterwards now and then. It announces its ring by a datagram
 * of {@value #NOTICE_BYTES} bytes through the link below, and uses that link until the ring is read.
 *
 * <p><b>Order.</b> Packets sent before the ring was read are in the receiver's socket, and it empties that before it reads the ring's first
 * packet. Where a packet is late nevertheless, or a ring breaks, it is as on a network that reorders or loses: the requester goes back.
 *
 * <p><b>Waiting.</b> A receiver marks its rings before it parks on the link below; a sender that sees the mark sends such a datagram. As
 * long as both poll, no call of the kernel is made for a packet.
 *
 * <p><b>Bounds.</b> A full ring is like a full socket: packets stay in the batch. If nothing is read from it for 250 ms, or its reader has
 * ended, packets are dropped.
 */
public final class SharedMemoryLink extends ForwardingLink {
    private static final System.Logger LOG = System.getLogger(SharedMemoryLink.class.getName());

    /** Length of a notice, shorter than any packet: BTH and ICRC alone are 16. */
    static final int NOTICE_BYTES = 4;
    /** Notice that a parked link gets: "shm" and W. */
    static final int WAKE = 0x73686d57;
    /** Notice of a new or closed ring: "shm" and R. */
    static final int RINGS_CHANGED = 0x73686d52;
    private static final int NOTICES = 64;
    /** Time until notices that the link below did not take are sent again. */
    private static final long BACKOFF_NS = 50_000;
    /** Least time between two looks at the files: any host can send notices. */
    private static final long SCAN_INTERVAL_NS = 10_000_000;

    /**
     * After so many polls without a packet the link below is idle, and polled rarely: a system call takes longer than polls of many rings.
     */
    private static final int IDLE_AFTER = 8;
    /** Polls in a row that find all rings empty until an idle link below is polled. */
    private static final int IDLE_INTERVAL = 32;
    /** Polls and packets from rings until an idle link below is polled although the rings are in use. */
    private static final int BUSY_INTERVAL = 512;
    /** Packets from below in a poll that the rings have filled already. */
    private static final int LEAST_FROM_BELOW = 16;
    /** A link may look at an idle socket only every few polls: after so many without a packet it has none. */
    private static final int EMPTY_POLLS_TO_DRAIN = 8;
    private static final int LONGEST_DRAIN = 4096;
    /** Sends through a ring until the clock is read, to see whether the peer lives. */
    private static final int LIFE_CHECK_MASK = 63;
    /** Peers after which those without a ring are forgotten. */
    private static final int MAX_OUTLETS = 4096;

    private final SharedDirectory directory;
    private final LongSupplier clock;
    private final Counters<ShmCounter> counters = new Counters<>(ShmCounter.class);
    private final Inboxes inboxes;
    private final Map<Peer, Outlet> outlets = new HashMap<>();
    private final TransmitBatch notices = new TransmitBatch(NOTICES, NOTICE_BYTES);
    private final ReceivedFrame frame = new ReceivedFrame();
    private final ByteBuffer slot = ByteBuffer.allocateDirect(TransmitBatch.HEADROOM + ReceivedFrame.MAX_PACKET_BYTES);
    private final MemorySegment slotMemory = MemorySegment.ofBuffer(slot);
    private final NoticeFilter fromBelow = new NoticeFilter();
    /** The last answer of {@link #outlet}: packets come in runs of one path. */
    private Path lastPath;
    private Outlet lastOutlet;
    private boolean scans;
    private long nextScanNs;
    private int sends;
    private int polls;
    private int emptyPollsBelow;
    /** Polls since the last one of the link below or the last packet from a ring. */
    private int emptyPollsOfRings;
    /** Polls, and packets from rings, since the last poll of the link below. */
    private int passedOver;
    /** The link below was waited on. Set by the thread that did. */
    private volatile boolean waitedBelow;

    /** Key of {@link #outlets}. */
    private record Peer(Gid local, Gid remote) {
    }

    private SharedMemoryLink(Link link, SharedDirectory directory, LongSupplier clock) {
        super(link);
        this.directory = directory;
        this.clock = clock;
        long nowNs = clock.getAsLong();
        nextScanNs = nowNs;
        inboxes = new Inboxes(directory, counters, nowNs);
        link.addresses().forEach(inboxes::open);
    }

    /**
     * Stacks on a link, which is closed with this one.
     *
     * @param link  of an interface in this process's network namespace
     * @param clock nanoseconds of the clock that drives the device
     * @return the link below itself, with a warning, if this user has no directory for shared memory
     */
    public static Link over(Link link, LongSupplier clock) {
        try {
            return over(link, SharedDirectory.ofUser(), clock);
        } catch (IOException unusable) {
            LOG.log(System.Logger.Level.WARNING, "packets to other processes here take the network, not shared memory: " + unusable);
            return link;
        }
    }

    static SharedMemoryLink over(Link link, SharedDirectory directory, LongSupplier clock) throws IOException {
        directory.open();
        return new SharedMemoryLink(link, directory, clock);
    }

    @Override
    public String description() {
        return link.description() + ", shared memory in " + directory;
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> all = new LinkedHashMap<>(link.counters());
        all.putAll(counters.toMap());
        return all;
    }

    @Override
    public void addAddress(Gid address) {
        link.addAddress(address);
        inboxes.open(address);
    }

    @Override
    public void removeAddress(Gid address) {
        link.removeAddress(address);
        inboxes.close(address);
    }

    @Override
    public Path resolve(PathRequest request) {
        Path path = link.resolve(request);
        Outlet outlet = outlet(path);
        if (outlet != null) {
            long nowNs = clock.getAsLong();
            outlet.hurry(nowNs);
            outlet.checkLife(nowNs);
            look(outlet, path, nowNs);
        }
        return path;
    }

    /** Returns the way to the peer of a path; null if it is never a ring: groups, and link-local addresses, which need not be unique. */
    private Outlet outlet(Path path) {
        if (path != lastPath) {
            lastOutlet = path.remote().isMulticast() || path.remote().isLinkLocal() ? null
                : outletOf(new Peer(path.local(), path.remote()));
            lastPath = path;
        }
        return lastOutlet;
    }

    private Outlet outletOf(Peer peer) {
        Outlet known = outlets.get(peer);
        if (known != null) {
            return known;
        }
        if (outlets.size() >= MAX_OUTLETS) {
            outlets.values().removeIf(outlet -> !outlet.hasRing());
        }
        Outlet outlet = new Outlet(directory, peer.local, peer.remote, clock.getAsLong());
        outlets.put(peer, outlet);
        return outlet;
    }

    private void look(Outlet outlet, Path path, long nowNs) {
        RingWriter before = outlet.ring();
        if (outlet.look(path, nowNs)) {
            if (outlet.ring() != before) {
                counters.count(ShmCounter.SHM_RINGS_OPENED);
            }
            sendNotice(path, RINGS_CHANGED);
        }
    }

    @Override
    public boolean needsIcrc(Path path) {
        Outlet outlet = outlet(path);
        return (outlet == null || !outlet.isOpen()) && link.needsIcrc(path);
    }

    @Override
    public int send(TransmitBatch batch) {
        sendNotices();
        int done = 0;
        while (!batch.isEmpty()) {
            Path path = batch.path(batch.first());
            Outlet outlet = outlet(path);
            int sent;
            if (outlet != null && outlet.isOpen()) {
                sent = sendByRing(batch, outlet, path);
                if (sent == 0 && !outlet.isOpen()) {
                    continue;
                }
            } else {
                if (outlet != null) {
                    look(outlet, path, clock.getAsLong());
                }
                sent = isBound(batch, batch.first()) ? drop(batch) : sendBelow(batch, outlet);
            }
            if (sent == 0) {
                break;
            }
            done += sent;
        }
        return done;
    }

    private int sendByRing(TransmitBatch batch, Outlet outlet, Path path) {
        if ((++sends & LIFE_CHECK_MASK) == 0) {
            outlet.checkLife(clock.getAsLong());
            if (!outlet.hasRing()) {
                return 0;
            }
        }
        RingWriter ring = outlet.ring();
        int index = batch.first();
        while (index < batch.end() && outlet(batch.path(index)) == outlet
            && ring.offer(header(batch, index), batch.memory(), batch.offset(index))) {
            index++;
        }
        int sent = index - batch.first();
        if (sent == 0) {
            return onNoRoom(batch, outlet);
        }
        outlet.noteRoom();
        batch.sent(sent);
        counters.add(ShmCounter.SHM_SENT, sent);
        if (ring.mustWake()) {
            sendNotice(path, WAKE);
        }
        return sent;
    }

    private static long header(TransmitBatch batch, int index) {
        Path path = batch.path(index);
        return Ring.header(batch.length(index), batch.isUnsealed(index), path.type() == GidType.ROCE_V1, path.trafficClass(),
            path.sourcePort(), path.destPort());
    }

    private int onNoRoom(TransmitBatch batch, Outlet outlet) {
        if (outlet.ring().isBroken()) {
            counters.count(ShmCounter.SHM_RING_BROKEN);
            return 0;
        }
        long nowNs = clock.getAsLong();
        if (!outlet.isStuck(nowNs)) {
            return 0;
        }
        outlet.checkLife(nowNs);
        return outlet.hasRing() ? drop(batch) : 0;
    }

    /** Drops the first packet: without ICRC it cannot leave memory, or its receiver does not read. */
    private int drop(TransmitBatch batch) {
        counters.count(ShmCounter.UNSENT_SHM_PEER_GONE);
        batch.sent(1);
        return 1;
    }

    /** Whether a packet has no ICRC although the link below needs it: it was made for a ring. */
    private boolean isBound(TransmitBatch batch, int index) {
        return batch.isUnsealed(index) && link.needsIcrc(batch.path(index));
    }

    /** Sends the packets before the next one that has a ring, or was made for one. */
    private int sendBelow(TransmitBatch batch, Outlet first) {
        int end = batch.first() + 1;
        while (end < batch.end() && !isBound(batch, end) && isSentBelow(batch.path(end), first)) {
            end++;
        }
        batch.showUpTo(end);
        int sent = link.send(batch);
        batch.showAll();
        return sent;
    }

    private boolean isSentBelow(Path path, Outlet known) {
        Outlet outlet = outlet(path);
        return outlet == known || outlet == null || !outlet.isOpen();
    }

    private void sendNotice(Path path, int notice) {
        if (!notices.isFull()) {
            notices.buffer().putInt(notices.begin(path), notice);
            notices.commit(NOTICE_BYTES);
            counters.count(ShmCounter.SHM_WAKEUPS_SENT);
            sendNotices();
        }
    }

    private void sendNotices() {
        if (!notices.isEmpty()) {
            link.send(notices);
        }
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        sendNotices();
        RingReader[] rings = inboxes.readers();
        int first = ++polls;
        int count = 0;
        for (int i = 0; i < rings.length && count < limit; i++) {
            RingReader ring = rings[Math.floorMod(first + i, rings.length)];
            if (ring.begins()) {
                count += drainBelow(handler);
            }
            int read = ring.read(handler, frame, slot, slotMemory, limit - count);
            counters.add(ShmCounter.SHM_RECEIVED, read);
            count += read;
            if (ring.isBroken()) {
                inboxes.refuse(ring);
            }
        }
        if (waitedBelow) {
            waitedBelow = false;
            emptyPollsBelow = 0;
        }
        if (isDueBelow(rings, count)) {
            emptyPollsOfRings = 0;
            passedOver = 0;
            count += pollBelow(handler, Math.max(limit - count, LEAST_FROM_BELOW));
        }
        if (scans) {
            scan();
        }
        return count;
    }

    /**
     * Decides whether to poll the link below.
     *
     * @param count packets that the rings had in this poll
     */
    private boolean isDueBelow(RingReader[] rings, int count) {
        emptyPollsOfRings = count > 0 ? 0 : emptyPollsOfRings + 1;
        passedOver += 1 + count;
        return rings.length == 0 || emptyPollsBelow < IDLE_AFTER || emptyPollsOfRings >= IDLE_INTERVAL || passedOver >= BUSY_INTERVAL;
    }

    private int pollBelow(FrameHandler handler, int limit) {
        fromBelow.receiver = handler;
        fromBelow.notices = 0;
        int count = link.poll(fromBelow, limit);
        emptyPollsBelow = count > fromBelow.notices ? 0 : Math.min(emptyPollsBelow + 1, IDLE_AFTER);
        return count;
    }

    /** Delivers all that the sender of a new ring may have sent before through the link below. */
    private int drainBelow(FrameHandler handler) {
        int count = 0;
        for (int empty = 0; empty < EMPTY_POLLS_TO_DRAIN && count < LONGEST_DRAIN; empty++) {
            int received = pollBelow(handler, LEAST_FROM_BELOW);
            count += received;
            empty = received > 0 ? -1 : empty;
        }
        return count;
    }

    private void scan() {
        long nowNs = clock.getAsLong();
        if (Deadline.isBefore(nowNs, nextScanNs)) {
            return;
        }
        RingReader[] before = inboxes.readers();
        scans = inboxes.scan(nowNs);
        nextScanNs = nowNs + SCAN_INTERVAL_NS;
        if (inboxes.readers() != before) {
            // A thread that is parked does not watch the new rings.
            link.wakeup();
        }
    }

    /** Takes notices out of the packets from below. */
    private final class NoticeFilter implements FrameHandler {
        private FrameHandler receiver;
        private int notices;

        @Override
        public void onFrame(ReceivedFrame received) {
            int word = received.length() == NOTICE_BYTES ? received.buffer().getInt(received.offset()) : 0;
            if (word == WAKE || word == RINGS_CHANGED) {
                notices++;
                counters.count(ShmCounter.SHM_WAKEUPS_RECEIVED);
                scans |= word == RINGS_CHANGED;
            } else {
                receiver.onFrame(received);
            }
        }

        @Override
        public void onReturned(ReceivedFrame packet) {
            receiver.onReturned(packet);
        }
    }

    @Override
    public long deadlineNs() {
        long earliestNs = link.deadlineNs();
        if (scans) {
            earliestNs = Deadline.earlier(earliestNs, nextScanNs);
        }
        return notices.isEmpty() ? earliestNs : Deadline.earlier(earliestNs, clock.getAsLong() + BACKOFF_NS);
    }

    @Override
    public void await(long timeoutNs) {
        RingReader[] rings = inboxes.readers();
        for (RingReader ring : rings) {
            ring.park();
        }
        VarHandle.fullFence();
        if (!hasPackets(rings)) {
            link.await(timeoutNs);
        }
        for (RingReader ring : rings) {
            ring.unpark();
        }
        waitedBelow = true;
    }

    private static boolean hasPackets(RingReader[] rings) {
        for (RingReader ring : rings) {
            if (ring.hasPackets()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        for (Outlet outlet : outlets.values()) {
            if (outlet.hasRing()) {
                outlet.close();
                sendNotice(outlet.path(), RINGS_CHANGED);
            }
        }
        inboxes.closeAll();
        directory.close();
        link.close();
    }
}
