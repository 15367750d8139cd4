// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.softrdma.device.Counters;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.TransmitBatch;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.linux.WaitedFor;
import org.softrdma.linux.WakeupEvent;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * RoCE v1 and v2 in whole Ethernet frames over one packet socket, in batches. A train of RoCE v2 packets is passed to the kernel as one
 * frame ({@code PACKET_VNET_HDR}), which is cut as late as possible, and received as one frame if nothing on the way cut it.
 *
 * <p>The link writes all headers; MAC addresses of IP addresses are the kernel's ({@link Neighbours}). Packets to a neighbour that has not
 * answered yet wait ({@link WaitingPackets}). On a VLAN interface the kernel adds the tag.
 *
 * <p>{@link #close} is for the owner, once no other thread uses the link; only {@link #wakeup} may be called at any time.
 */
final class RawLink implements Link {
    private static final int TRANSMIT_VECTOR = 128;
    private static final int RECEIVE_VECTOR = 32;
    /** The longest IP packet, which a train may be, and headers before it. */
    private static final int MAX_FRAME_BYTES = 65_536 + 128;
    /** Indices of the descriptors {@link #await} waits on. */
    private static final int SOCKET = 0;
    private static final int NEIGHBOURS = 1;
    /** Polls between two reads of the kernel's notices about neighbours, a system call each, while no packet waits for a neighbour. */
    private static final int NOTICE_INTERVAL = 1024;

    private final RawLinkOptions options;
    private final Arena arena = Arena.ofAuto();
    private final LinuxSockets calls = new LinuxSockets(arena);
    private final Counters<RawCounter> counters = new Counters<>(RawCounter.class);
    private final PacketSocket socket;
    private final RawAddresses addresses;
    private final RawPaths paths;
    private final Neighbours neighbours;
    private final Routes routes;
    private final WakeupEvent wakeup;
    /** For {@link #await}: the agent's thread waits there while another thread may own the device and send. */
    private final WaitedFor waitedFor;
    private final RawSends sends;
    private final RawFrameReader reader;
    private final WaitingPackets waiting = new WaitingPackets(counters);
    private final OwnPackets own = new OwnPackets(counters);
    private final MessageVector receiveVector = new MessageVector(arena, RECEIVE_VECTOR);
    private final int slotBytes = TransmitBatch.HEADROOM + MAX_FRAME_BYTES;
    private final MemorySegment receiveMemory = arena.allocate((long) RECEIVE_VECTOR * slotBytes, 64);
    private final ByteBuffer receiveBuffer = receiveMemory.asByteBuffer();
    /** The kernel sent notices about neighbours, which the owner has not read yet. */
    private volatile boolean noticesPending;
    private volatile boolean full;
    /** The last poll received something: there may be more. */
    private boolean streams;
    private int polls;
    private long sendErrors;
    private boolean broken;
    private boolean closed;

    RawLink(List<Gid> localAddresses, RawLinkOptions options) {
        LocalAddresses.check(localAddresses);
        this.options = options;
        int interfaceIndex = LocalAddresses.interfaceOf(localAddresses, options.interfaceName()).getIndex();
        boolean loopback = RawAddresses.isLoopback(localAddresses);
        if (options.mac() == 0 && !loopback) {
            throw new VerbsException(Errno.ENODEV, "open_device", options.interfaceName() + " has no MAC address: raw frames need Ethernet;"
                + " rdma link set DEV link udp takes any interface");
        }
        reader = new RawFrameReader(options.types(), counters);
        List<AutoCloseable> open = new ArrayList<>();
        boolean complete = false;
        try {
            socket = opened(open, new PacketSocket(calls, options, interfaceIndex, loopback ? localAddresses : List.of()));
            addresses = opened(open, new RawAddresses(calls, localAddresses, options, interfaceIndex, socket, reader));
            neighbours = opened(open, new Neighbours(calls, interfaceIndex));
            wakeup = new WakeupEvent(calls);
            complete = true;
        } finally {
            if (!complete) {
                open.forEach(RawLink::closeQuietly);
            }
        }
        routes = new Routes(neighbours);
        paths = new RawPaths(options, interfaceIndex, addresses, routes);
        sends = new RawSends(arena, TRANSMIT_VECTOR, options.offload() && options.v2());
        for (int i = 0; i < RECEIVE_VECTOR; i++) {
            receiveVector.iovec(i, receiveMemory.address() + (long) i * slotBytes + TransmitBatch.HEADROOM, MAX_FRAME_BYTES);
            receiveVector.message(i, 0, 0, i, 1, 0, 0);
        }
        waitedFor = new WaitedFor(new LinuxSockets(arena), wakeup, socket.fd(), neighbours.fd());
    }

    private static <T extends AutoCloseable> T opened(List<AutoCloseable> open, T resource) {
        open.addFirst(resource);
        return resource;
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception impossible) {
            throw new AssertionError("closing descriptors does not fail", impossible);
        }
    }

    // ---- addresses and paths ----

    @Override
    public List<Gid> addresses() {
        return addresses.addresses();
    }

    @Override
    public List<GidType> types() {
        return options.types();
    }

    @Override
    public boolean has(GidType type, Gid address) {
        return addresses.has(type, address);
    }

    @Override
    public void addAddress(Gid address) {
        addresses.add(address);
    }

    @Override
    public void removeAddress(Gid address) {
        addresses.remove(address);
    }

    @Override
    public void join(Gid group) {
        addresses.join(group);
    }

    @Override
    public void leave(Gid group) {
        addresses.leave(group);
    }

    @Override
    public Path resolve(PathRequest request) {
        return paths.resolve(request);
    }

    @Override
    public void awaitReachable(GidType type, Gid local, Gid remote) {
        paths.awaitReachable(type, local, remote);
    }

    // ---- sending ----

    @Override
    public int send(TransmitBatch batch) {
        int total = 0;
        while (!batch.isEmpty()) {
            RawDestination to = RawSends.destination(batch, batch.first());
            int taken = closed ? drop(batch) : to.isOwn() ? sendToSelf(batch) : to.isReady() ? sendSome(batch) : sendLater(batch, to);
            if (taken == 0) {
                break;
            }
            total += taken;
        }
        return total;
    }

    private int sendToSelf(TransmitBatch batch) {
        own.add(batch, batch.first());
        batch.sent(1);
        return 1;
    }

    private int sendLater(TransmitBatch batch, RawDestination to) {
        neighbours.retry(to.neighbour());
        waiting.add(batch, batch.first(), to.neighbour());
        batch.sent(1);
        return 1;
    }

    /**
     * Sends packets from the front that can leave together.
     *
     * @return packets removed from the batch, 0 if the socket is full
     */
    private int sendSome(TransmitBatch batch) {
        RawDestination to = RawSends.destination(batch, batch.first());
        socket.setPriority(to.priority());
        int messages = sends.describe(batch, TRANSMIT_VECTOR);
        int sent = messages == 1 ? calls.sendmsg(socket.fd(), sends.messages()) : calls.sendmmsg(socket.fd(), sends.messages(), messages);
        // The messages hold addresses into the batch.
        Reference.reachabilityFence(batch);
        if (to.isGroup() && sent > 0 && addresses.isMember(to.remote())) {
            own.add(batch, batch.first());
        }
        int packets = sends.trains().settle(batch, sent, messages);
        return packets > 0 ? packets : onRefused(batch, -sent);
    }

    /**
     * Handles a first message that the host refused.
     *
     * @return packets removed from the batch nevertheless
     */
    private int onRefused(TransmitBatch batch, int errno) {
        if (errno == LinuxSockets.EAGAIN) {
            full = true;
            return 0;
        }
        if (errno == LinuxSockets.EINTR) {
            return 0;
        }
        if (sends.trains().disableIfRefused(errno)) {
            return sendSome(batch);
        }
        broken |= LinuxSockets.isDead(errno);
        return drop(batch);
    }

    /** Whether packets wait for the MAC addresses of neighbours. */
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    private int drop(TransmitBatch batch) {
        sendErrors++;
        batch.sent(1);
        return 1;
    }

    // ---- receiving ----

    @Override
    public int poll(FrameHandler handler, int limit) {
        if (closed) {
            return 0;
        }
        if (noticesPending || !waiting.isEmpty() || ++polls % NOTICE_INTERVAL == 0) {
            noticesPending = false;
            readNotices();
        }
        int total = own.poll(handler, limit);
        return total + (streams ? receiveStream(handler, limit - total) : receiveLone(handler));
    }

    private void readNotices() {
        neighbours.readNotices();
        if (!waiting.isEmpty()) {
            send(waiting.releaseReady());
        }
    }

    /** Receives one frame, after a poll without any: recvmsg takes two thirds of the time of recvmmsg. */
    private int receiveLone(FrameHandler handler) {
        int bytes = calls.recvmsg(socket.fd(), receiveVector.messages());
        if (bytes < 0) {
            noteIfBroken(-bytes);
            return 0;
        }
        streams = true;
        return read(handler, 0, bytes);
    }

    /** Notes a dead socket. ENETDOWN is ignored: it is reported once when the interface goes down, and frames arrive again later. */
    private void noteIfBroken(int errno) {
        broken |= LinuxSockets.isDead(errno);
    }

    private int receiveStream(FrameHandler handler, int limit) {
        int total = 0;
        while (total < limit) {
            int asked = Math.min(limit - total, RECEIVE_VECTOR);
            int count = calls.recvmmsg(socket.fd(), receiveVector.messages(), asked);
            for (int i = 0; i < count; i++) {
                total += read(handler, i, receiveVector.received(i));
            }
            if (count < asked) {
                noteIfBroken(-count);
                break;
            }
        }
        if (total == 0) {
            streams = false;
        }
        return total;
    }

    private int read(FrameHandler handler, int index, int bytes) {
        if ((receiveVector.flags(index) & LinuxSockets.MSG_TRUNC) != 0) {
            counters.count(RawCounter.FRAME_TOO_LONG);
            return 1;
        }
        return reader.read(receiveBuffer, index * slotBytes + TransmitBatch.HEADROOM, bytes, handler);
    }

    // ---- waiting ----

    @Override
    public void await(long timeoutNs) {
        if (timeoutNs <= 0 || closed || noticesPending || !own.isEmpty()) {
            return;
        }
        waitedFor.room(SOCKET, full);
        if (waitedFor.await(timeoutNs)) {
            full &= !waitedFor.isReady(SOCKET);
            noticesPending |= waitedFor.isReady(NEIGHBOURS);
        }
    }

    @Override
    public void wakeup() {
        wakeup.signal();
    }

    @Override
    public void alsoWakeBy(int fd) {
        wakeup.alsoBy(fd);
    }

    // ---- the rest ----

    /** Applies changed routes, and has the kernel confirm neighbours: it does not see our packets, so to it they become stale. */
    @Override
    public boolean refresh(int interfaceIndexNow) {
        if (closed) {
            return false;
        }
        readNotices();
        if (neighbours.routesChanged()) {
            routes.refresh();
        }
        neighbours.confirm();
        // An interface that went down has forgotten its requests, and perhaps no further packet repeats them.
        waiting.neighbours().forEach(neighbours::retry);
        return true;
    }

    @Override
    public boolean isBroken() {
        broken |= !closed && !socket.isOnInterface();
        return broken;
    }

    @Override
    public boolean deliversIpHeader() {
        return true;
    }

    @Override
    public String description() {
        return "raw frames (" + String.join(", ", options.types().stream().map(GidType::text).toList()) + "; segmentation "
            + (sends.trains().enabled() ? "on" : "off") + ") on " + options.interfaceName() + " ("
            + (closed ? 0 : socket.receiveBufferBytes() >> 10) + " KiB)";
    }

    @Override
    public long sendErrors() {
        return sendErrors + sends.trains().lost();
    }

    @Override
    public Map<String, Long> counters() {
        return counters.toMap();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        socket.close();
        addresses.close();
        neighbours.close();
        wakeup.close();
    }
}
