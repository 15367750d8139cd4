// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.device;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.softrdma.device.Counters;
import org.softrdma.fabric.attach.PortMessages;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.SubnetPort;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.roce.Grh;

/**
 * Packets of a port of a fabric, over a connection to the process that runs it. Local and global route headers are written and read here;
 * the fabric routes by them, and drops what the port may not send. If the fabric ends, or sends what is no message, the link is broken and
 * the port down.
 */
final class FabricLink implements Link {
    private static final int INPUT = 1 << 20;
    private static final int OUTPUT = 1 << 20;
    private static final long MILLISECOND_NS = 1_000_000;
    /** State of {@link #waiter}: no wait. */
    private static final int IDLE = 0;
    /** State of {@link #waiter}: the owner waits. */
    private static final int WAITING = 1;
    /** State of {@link #waiter}: woken; the current or next wait ends at once. */
    private static final int SIGNALLED = 2;

    private final String name;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final AtomicInteger waiter = new AtomicInteger();
    /** Received messages from {@link #inputAt} to {@link #inputEnd}, behind the headroom that frames need. */
    private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT);
    private final ByteBuffer reading = input.duplicate();
    private int inputAt = TransmitBatch.HEADROOM;
    private int inputEnd = TransmitBatch.HEADROOM;
    /** Filled up to its position. */
    private final ByteBuffer output = ByteBuffer.allocateDirect(OUTPUT);
    private final ReceivedFrame frame = new ReceivedFrame();
    private final Counters<FabricLinkCounter> counters = new Counters<>(FabricLinkCounter.class);
    private final List<Gid> groups = new ArrayList<>();
    /** Address of the last packet without a global route. */
    private Gid lastLocal = Gid.ZERO;
    private volatile SubnetPort port;
    private volatile List<Gid> gids;
    private volatile boolean broken;
    private long sendErrors;

    /**
     * Takes over a connection that has been attached, and waits for the registers of the port.
     *
     * @param name for people
     * @param channel in blocking mode; closed with the link
     * @throws VerbsException EIO: the fabric ended
     */
    FabricLink(String name, SocketChannel channel) {
        this.name = name;
        this.channel = channel;
        try {
            while (port == null) {
                if (!read()) {
                    throw new IOException("no registers");
                }
                takeRegisters();
            }
            selector = Selector.open();
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_READ);
        } catch (IOException failed) {
            closeChannel();
            throw new VerbsException(Errno.EIO, "open_device", "the fabric of " + name + " ended: " + failed.getMessage(), failed);
        }
    }

    private void takeRegisters() throws IOException {
        if (isComplete()) {
            if (PortMessages.kind(input.getInt(inputAt)) != PortMessages.PORT) {
                throw new IOException("a packet before the registers");
            }
            take(null);
        }
        if (broken) {
            throw new IOException("no message");
        }
    }

    // ---- addresses ----

    @Override
    public SubnetPort subnetPort() {
        return port;
    }

    @Override
    public List<GidType> types() {
        return List.of(GidType.IB);
    }

    @Override
    public List<Gid> addresses() {
        return gids;
    }

    @Override
    public boolean has(GidType type, Gid address) {
        return type == GidType.IB && (address.isLid() ? port.owns(address.lid()) : gids.contains(address));
    }

    /**
     * Prepares a path.
     *
     * @throws VerbsException EADDRNOTAVAIL: the local address is not the port's, or the port has no LID yet
     */
    @Override
    public Path resolve(PathRequest request) {
        SubnetPort now = port;
        int slid = request.remote().isLid() && !request.local().isZero() ? request.local().lid()
            : now.lid() | request.pathBits() & (1 << now.lmc()) - 1;
        if (!now.owns(slid)) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "resolve_route", name + (now.lid() == 0
                ? " has no LID: no subnet manager has configured it yet; start one (softrdma sm)"
                : " has LIDs from " + now.lid() + " on, not " + slid));
        }
        Gid local = request.remote().isLid() ? Gid.ofLid(slid) : request.local();
        return Path.onSubnet(local, request.remote(), request.trafficClass(), request.hopLimit(), slid, request.dlid(),
            request.serviceLevel());
    }

    @Override
    public void join(Gid group) {
        groups.add(group);
    }

    @Override
    public void leave(Gid group) {
        groups.remove(group);
    }

    // ---- sending ----

    @Override
    public int send(TransmitBatch batch) {
        int sent = 0;
        while (!batch.isEmpty() && hasRoom()) {
            int first = batch.first();
            if (broken) {
                sendErrors++;
            } else {
                put(batch.path(first), batch.buffer(), batch.offset(first), batch.length(first));
            }
            batch.sent(1);
            sent++;
        }
        write();
        return sent;
    }

    private boolean hasRoom() {
        if (output.remaining() < PortMessages.HEAD + PortMessages.MAX_PACKET) {
            write();
        }
        return output.remaining() >= PortMessages.HEAD + PortMessages.MAX_PACKET;
    }

    private void put(Path path, ByteBuffer packet, int at, int length) {
        boolean global = !path.isWithinSubnet();
        int routed = Lrh.LENGTH + (global ? Grh.LENGTH : 0);
        output.putInt(PortMessages.head(PortMessages.PACKET, routed + length));
        output.putLong(path.lrh(length));
        int to = output.position();
        if (global) {
            Grh.put(output, to, path.trafficClass(), 0, length, Grh.NEXT_HEADER_BTH, path.hopLimit(), path.local().high(),
                path.local().low(), path.remote().high(), path.remote().low());
            to += Grh.LENGTH;
        }
        output.put(to, packet, at, length).position(to + length);
    }

    private void write() {
        if (output.position() == 0 || broken) {
            output.clear();
            return;
        }
        try {
            channel.write(output.flip());
            output.compact();
        } catch (IOException gone) {
            output.clear();
            breakOff();
        }
    }

    @Override
    public long sendErrors() {
        return sendErrors;
    }

    // ---- receiving ----

    @Override
    public int poll(FrameHandler handler, int limit) {
        int done = 0;
        while (done < limit && !broken && (isComplete() || read() && isComplete())) {
            take(handler);
            done++;
        }
        return done;
    }

    private boolean isComplete() {
        if (inputEnd - inputAt < PortMessages.HEAD) {
            return false;
        }
        int head = input.getInt(inputAt);
        if (!PortMessages.isPossible(head)) {
            breakOff();
            return false;
        }
        return inputEnd - inputAt - PortMessages.HEAD >= PortMessages.length(head);
    }

    private void take(FrameHandler handler) {
        int head = input.getInt(inputAt);
        int at = inputAt + PortMessages.HEAD;
        inputAt = at + PortMessages.length(head);
        if (PortMessages.kind(head) == PortMessages.PORT) {
            SubnetPort now = PortMessages.readPort(name, input, at);
            gids = now.gids();
            port = now;
        } else {
            deliver(handler, at, PortMessages.length(head));
        }
    }

    private void deliver(FrameHandler handler, int at, int length) {
        int bthAt = PortMessages.bthAt(input, at, length);
        if (bthAt < 0) {
            counters.count(FabricLinkCounter.FRAME_BAD_ROUTE_HEADER);
            return;
        }
        frame.begin(input, bthAt, at + length - bthAt).onSubnet(input.getLong(at), port.lmc());
        Gid local = frame.isWithinSubnet() ? ownLid(frame.dlid()) : own(Grh.destinationHigh(input, at + Lrh.LENGTH),
            Grh.destinationLow(input, at + Lrh.LENGTH));
        if (local == null) {
            counters.count(FabricLinkCounter.FRAME_WRONG_ADDRESS);
            return;
        }
        if (frame.isWithinSubnet()) {
            frame.addresses(local, 0, frame.slid()).header(0, false);
        } else {
            int grh = at + Lrh.LENGTH;
            frame.addresses(local, Grh.sourceHigh(input, grh), Grh.sourceLow(input, grh))
                .trafficClass(Grh.trafficClass(input, grh)).header(Grh.hopLimit(input, grh), false);
        }
        handler.onFrame(frame);
    }

    /** The LID as an address, or null if it is not the port's. */
    private Gid ownLid(int lid) {
        if (!port.owns(lid)) {
            return null;
        }
        if (lastLocal.lid() != lid) {
            lastLocal = Gid.ofLid(lid);
        }
        return lastLocal;
    }

    /** The port's GID or joined group of that address, or null. */
    private Gid own(long high, long low) {
        Gid found = find(gids, high, low);
        return found != null ? found : find(groups, high, low);
    }

    private static Gid find(List<Gid> among, long high, long low) {
        for (int i = 0; i < among.size(); i++) {
            Gid each = among.get(i);
            if (each.high() == high && each.low() == low) {
                return each;
            }
        }
        return null;
    }

    /** Reads what has arrived. @return false if that is nothing, or the connection has ended */
    private boolean read() {
        if (inputAt > TransmitBatch.HEADROOM) {
            input.put(TransmitBatch.HEADROOM, input, inputAt, inputEnd - inputAt);
            inputEnd -= inputAt - TransmitBatch.HEADROOM;
            inputAt = TransmitBatch.HEADROOM;
        }
        try {
            int bytes = channel.read(reading.limit(INPUT).position(inputEnd));
            if (bytes < 0) {
                breakOff();
            }
            inputEnd += Math.max(bytes, 0);
            return bytes > 0;
        } catch (IOException gone) {
            breakOff();
            return false;
        }
    }

    @Override
    public Map<String, Long> counters() {
        return counters.toMap();
    }

    // ---- life ----

    private void breakOff() {
        broken = true;
        closeChannel();
        SubnetPort before = port;
        if (before != null) {
            port = before.down();
        }
    }

    @Override
    public boolean isBroken() {
        return broken;
    }

    @Override
    public boolean deliversIpHeader() {
        return true;
    }

    @Override
    public String description() {
        return "InfiniBand port " + name;
    }

    /** Parks as {@link Link#await} says, rounded up to milliseconds; an interrupted thread does not park. */
    @Override
    public void await(long timeoutNs) {
        if (timeoutNs <= 0 || isComplete()) {
            return;
        }
        if (!waiter.compareAndSet(IDLE, WAITING)) {
            waiter.set(IDLE);
            return;
        }
        try {
            if (key.isValid()) {
                key.interestOps(output.position() > 0 ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            }
            selector.select(Math.ceilDiv(timeoutNs, MILLISECOND_NS));
            selector.selectedKeys().clear();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            waiter.set(IDLE);
        }
    }

    @Override
    public void wakeup() {
        // An exchange even if it is SIGNALLED already: the caller's work must be visible before the owner takes the signal.
        if (waiter.getAndSet(SIGNALLED) == WAITING) {
            selector.wakeup();
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // closed in any case
        }
    }

    /** Writes what waits, as far as the fabric takes it, and detaches from the port. */
    @Override
    public void close() {
        write();
        closeChannel();
        try {
            selector.close();
        } catch (IOException ignored) {
            // closed in any case
        }
    }
}
