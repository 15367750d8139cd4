// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.sim;

import java.util.ArrayDeque;
import java.util.List;
import org.softrdma.device.sim.Simulation;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.Link;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;
import org.softrdma.verbs.VerbsException;

/**
 * A link of a {@link SimulatedFabric}. {@link #await} does not park: the {@link Simulation} decides what runs next. Single-threaded, like
 * the whole simulation.
 */
public final class SimulatedLink implements Link {
    private static final int DEST_PORT = 4791;

    private final SimulatedFabric fabric;
    private List<Gid> addresses;
    private final LinkProfile profile;
    private final int sourcePort;
    private final ReceivedFrame frame = new ReceivedFrame();
    private final ArrayDeque<Packet> inbox = new ArrayDeque<>();
    /** Packets waiting to be sent; null at infinite speed. */
    private final WireQueue outbound;
    /** Packets waiting in the port before this link; null without one. */
    private final WireQueue inbound;
    private long sendErrors;
    private long wakeups;
    private boolean closed;

    SimulatedLink(SimulatedFabric fabric, List<Gid> addresses, LinkProfile profile, int sourcePort) {
        this.fabric = fabric;
        this.addresses = List.copyOf(addresses);
        this.profile = profile;
        this.sourcePort = sourcePort;
        outbound = profile.bitsPerSecond() == 0 ? null : new WireQueue(profile.bitsPerSecond(), fabric.nowNs());
        inbound = profile.port() == null ? null : new WireQueue(profile.port().bitsPerSecond(), fabric.nowNs());
    }

    @Override
    public List<Gid> addresses() {
        return addresses;
    }

    @Override
    public List<GidType> types() {
        return profile.types();
    }

    @Override
    public void addAddress(Gid address) {
        fabric.bind(this, address);
        addresses = LocalAddresses.with(addresses, address);
    }

    /** Removes an address; packets in flight to it are lost. */
    @Override
    public void removeAddress(Gid address) {
        fabric.unbind(this, address);
        addresses = LocalAddresses.without(addresses, address);
    }

    /** Whether the link was closed while its device was open. */
    @Override
    public boolean isBroken() {
        return closed;
    }

    @Override
    public boolean deliversIpHeader() {
        return profile.ipHeader() == LinkProfile.IpHeader.DELIVERED;
    }

    @Override
    public String description() {
        return "simulated " + addresses + ", " + profile;
    }

    /**
     * Prepares a path.
     *
     * @throws VerbsException EHOSTUNREACH if no open link has the remote address; EADDRNOTAVAIL, EOPNOTSUPP
     */
    @Override
    public Path resolve(PathRequest request) {
        if (!profile.types().contains(request.type())) {
            throw new VerbsException(Errno.EOPNOTSUPP, "resolve_route", "the simulated link carries " + profile.types() + ", not "
                + request.type());
        }
        Gid local = request.local();
        Gid remote = request.remote();
        if (!addresses.contains(local)) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "resolve_route", local + " is not one of " + addresses);
        }
        if (local.isIpv4Mapped() != remote.isIpv4Mapped() || !remote.isMulticast() && fabric.linkAt(remote) == null) {
            throw new VerbsException(Errno.EHOSTUNREACH, "resolve_route", "no link has " + remote + " on the simulated fabric");
        }
        return new Path(request.type(), local, remote, sourcePort, DEST_PORT, request.trafficClass(), request.hopLimit(),
            fabric.flow(local, remote));
    }

    @Override
    public void join(Gid group) {
        Gid member = memberAddress(group);
        if (member == null) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "attach_mcast", group + ": none of " + addresses + " is of its IP version");
        }
        fabric.join(group, member);
    }

    @Override
    public void leave(Gid group) {
        fabric.leave(group, memberAddress(group));
    }

    /** Address that copies of group packets for this link are sent to; null if none is of that IP version. */
    private Gid memberAddress(Gid group) {
        for (Gid address : addresses) {
            if (address.isIpv4Mapped() == group.isIpv4Mapped()) {
                return address;
            }
        }
        return null;
    }

    @Override
    public int send(TransmitBatch batch) {
        int count = batch.end() - batch.first();
        for (int i = batch.first(); i < batch.end(); i++) {
            sendOne(batch, i);
        }
        batch.sent(count);
        return count;
    }

    private void sendOne(TransmitBatch batch, int index) {
        Path path = batch.path(index);
        int length = batch.length(index);
        if (closed || length > SimulatedFabric.MAX_SENT_BYTES) {
            sendErrors++;
            return;
        }
        Flow flow = (Flow) path.linkState();
        fabric.report(flow, batch.buffer(), batch.offset(index), length, Fate.SENT);
        if (outbound != null && outbound.waitingBytes(fabric.nowNs()) > profile.queueBytes()) {
            fabric.report(flow, batch.buffer(), batch.offset(index), length, Fate.QUEUE_FULL);
            return;
        }
        long departsNs = outbound == null ? fabric.nowNs() : outbound.add(fabric.nowNs(), length, path.isIpv4());
        if (path.remote().isMulticast()) {
            fabric.carryToGroup(path, batch.buffer(), batch.offset(index), length, departsNs);
        } else {
            fabric.carry(flow, path, batch.buffer(), batch.offset(index), length, departsNs);
        }
    }

    LinkProfile profile() {
        return profile;
    }

    /** {@return the bytes that wait in the port before this link; 0 without one} */
    public double portQueueBytes() {
        return inbound == null ? 0 : inbound.waitingBytes(fabric.nowNs());
    }

    /**
     * Queues a packet at the port before this link, which must have room.
     *
     * @return time at which it has passed
     */
    long passPort(Packet packet) {
        return inbound.add(fabric.nowNs(), packet.length, packet.flow.to.isIpv4Mapped());
    }

    /**
     * Puts a packet into the inbox.
     *
     * @return whether there was room
     */
    boolean offer(Packet packet) {
        if (inbox.size() >= profile.inboxPackets()) {
            return false;
        }
        inbox.add(packet);
        return true;
    }

    /** {@return whether packets wait to be polled} */
    public boolean hasMail() {
        return !inbox.isEmpty();
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        int count = 0;
        while (count < limit && !inbox.isEmpty()) {
            Packet packet = inbox.poll();
            Flow flow = packet.flow;
            int ipId = deliversIpHeader() ? 0 : ReceivedFrame.IP_ID_HIDDEN;
            frame.begin(packet.buffer, Packet.OFFSET, packet.length).addresses(packet.to, flow.from.high(), flow.from.low())
                .ports(packet.sourcePort, DEST_PORT).ipId(ipId).trafficClass(packet.trafficClass);
            handler.onFrame(packet.type == GidType.ROCE_V1 ? frame.roceV1() : frame);
            fabric.release(packet);
            count++;
        }
        return count;
    }

    @Override
    public void await(long timeoutNs) {
    }

    /** Has no effect: nothing waits in a simulation, every device runs whenever the clock stops. */
    @Override
    public void alsoWakeBy(int fd) {
    }

    @Override
    public void wakeup() {
        wakeups++;
    }

    /** {@return the number of calls of {@link #wakeup()} so far} */
    public long wakeups() {
        return wakeups;
    }

    @Override
    public long sendErrors() {
        return sendErrors;
    }

    /** Closes the link; packets in its inbox and in flight to it are lost. */
    @Override
    public void close() {
        closed = true;
        while (!inbox.isEmpty()) {
            fabric.release(inbox.poll());
        }
        fabric.detach(this);
    }
}
