// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.softrdma.linux.LinuxSockets.IPPROTO_IP;
import static org.softrdma.linux.LinuxSockets.IPPROTO_UDP;
import static org.softrdma.linux.LinuxSockets.SOCKADDR_BYTES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import org.softrdma.link.FrameHandler;
import org.softrdma.link.LocalAddresses;
import org.softrdma.link.Path;
import org.softrdma.link.PathRequest;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.link.TransmitBatch;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.VerbsException;

/**
 * RoCE v2 over Linux UDP sockets, one per address, in batches (sendmmsg, recvmmsg), with no native code but the C library's. If the kernel
 * supports it, equal packets travel through it as trains, cut (UDP_SEGMENT) and coalesced (UDP_GRO) by the kernel or the NIC.
 *
 * <p>The sockets are unconnected and may not fragment: every IPv4 packet leaves with identification 0 and DF set, which the ICRC relies
 * on. IPv6 packets without UDP checksum, as kernel rxe sends them, are accepted. Paths are valid on the link that resolved them.
 *
 * <p>{@link #close} is for the owner, once no other thread uses the link; only {@link #wakeup} may be called at any time.
 */
public final class LinuxUdpLink extends UdpLink {
    private static final int TRANSMIT_VECTOR = 128;
    private static final int RECEIVE_VECTOR = 32;
    /** A coalesced train is one UDP datagram. */
    private static final int MAX_TRAIN_BYTES = 65_536;
    private static final int CONTROL_BYTES = 64;

    /**
     * After this many polls without a packet a socket is cold: only every {@link #COLD_INTERVAL}th poll receives from it, until await()
     * finds it ready. A system call for each idle address would slow the busy one down. The socket that had packets last is never cold.
     */
    private static final int COLD_AFTER = 1024;
    private static final int COLD_INTERVAL = 8;
    /** Attempts for a message that may have been refused because of an earlier one. */
    private static final int MORE_TRIES = 4;

    private final UdpLinkOptions options;
    private final LinuxUdpSockets sockets;
    private final Arena arena = Arena.ofAuto();
    private final LinuxSockets calls;
    private final SendTrains sends;
    private final int slotBytes;
    private final MessageVector receiveVector = new MessageVector(arena, RECEIVE_VECTOR);
    private final MemorySegment receiveMemory;
    private final ByteBuffer receiveBuffer;
    private final MemorySegment names = arena.allocate((long) RECEIVE_VECTOR * SOCKADDR_BYTES, 8);
    private final MemorySegment controls = arena.allocate((long) RECEIVE_VECTOR * CONTROL_BYTES, 8);
    private final ReceivedFrame frame = new ReceivedFrame();
    private final ErrorQueue errors;
    /** The socket that had packets last. */
    private LinuxUdpSocket hottest;
    private int nextSocket;
    private int polls;
    private int trafficClass;
    private int segmentBytes;

    LinuxUdpLink(List<Gid> addresses, UdpLinkOptions options) {
        this(new LinuxUdpSockets(addresses, options), options);
    }

    private LinuxUdpLink(LinuxUdpSockets sockets, UdpLinkOptions options) {
        super(sockets);
        this.sockets = sockets;
        this.options = options;
        calls = sockets.calls();
        hottest = sockets.array()[0];
        errors = new ErrorQueue(calls, arena, options.port());
        sends = new SendTrains(arena, TRANSMIT_VECTOR, sockets.segments());
        int receiveBytes = sockets.coalesces() ? MAX_TRAIN_BYTES : ReceivedFrame.MAX_PACKET_BYTES;
        slotBytes = TransmitBatch.HEADROOM + receiveBytes;
        receiveMemory = arena.allocate((long) RECEIVE_VECTOR * slotBytes, 64);
        receiveBuffer = receiveMemory.asByteBuffer();
        for (int i = 0; i < RECEIVE_VECTOR; i++) {
            receiveVector.iovec(i, receiveMemory.address() + (long) i * slotBytes + TransmitBatch.HEADROOM, receiveBytes);
            receiveVector.message(i, names.address() + (long) i * SOCKADDR_BYTES, SOCKADDR_BYTES, i, 1,
                controls.address() + (long) i * CONTROL_BYTES, CONTROL_BYTES);
        }
    }

    @Override
    public String description() {
        StringBuilder text = new StringBuilder("UDP port ").append(options.port()).append(" (sendmmsg, recvmmsg, segmentation ")
            .append(sends.trains().enabled() ? "on" : "off").append(", coalescing ").append(sockets.coalesces() ? "on" : "off")
            .append(") on");
        for (LinuxUdpSocket socket : sockets.array()) {
            text.append(' ').append(LocalAddresses.text(socket.local)).append(" (").append(sockets.receiveBufferBytes(socket) >> 10)
                .append(" KiB)");
        }
        return text.toString();
    }

    /**
     * Prepares a path; for the owner. The hop limit is the route's whatever the request says, as it is with kernel rxe; to groups it is
     * the requested one.
     *
     * @throws VerbsException ENETUNREACH or EHOSTUNREACH: the routing table has no route; EOPNOTSUPP, EADDRNOTAVAIL, EINVAL
     */
    @Override
    public Path resolve(PathRequest request) {
        LinuxUdpSocket socket = sockets.forPath(request);
        sockets.checkRoute(socket, request.remote());
        UdpDestination destination = new UdpDestination(socket, request, options.port());
        socket.hasPaths = true;
        return new Path(request.local(), request.remote(), options.port(), options.port(), request.trafficClass(), request.hopLimit(),
            destination);
    }

    @Override
    public int send(TransmitBatch batch) {
        int total = 0;
        while (!batch.isEmpty()) {
            int taken = sendSome(batch);
            if (taken == 0) {
                break;
            }
            total += taken;
        }
        return total;
    }

    /**
     * Sends packets from the front that leave by one socket.
     *
     * @return packets removed from the batch, 0 if the socket is full
     */
    private int sendSome(TransmitBatch batch) {
        LinuxUdpSocket socket = ((UdpDestination) batch.path(batch.first()).linkState()).socket;
        if (socket.closed) {
            return drop(batch);
        }
        int messages = sends.describe(batch);
        int sent = transmit(batch, socket, messages);
        for (int i = 0; i < MORE_TRIES && sent < 0 && mayBelongToEarlierPacket(-sent); i++) {
            socket.hasErrors = true;
            sent = transmit(batch, socket, messages);
        }
        // The messages hold addresses into the batch and its paths.
        Reference.reachabilityFence(batch);
        socket.hasErrors |= sent > 0 && sent < messages;
        // Linux reports ENOBUFS only on sockets with IP_RECVERR, as these are.
        int packets = sends.trains().settle(batch, sent, messages);
        return packets > 0 ? packets : onRefused(batch, socket, -sent);
    }

    private int transmit(TransmitBatch batch, LinuxUdpSocket socket, int messages) {
        if (messages > 1) {
            return calls.sendmmsg(socket.fd, sends.messages(), messages);
        }
        return sends.trains().packets(0) == 1 ? sendOne(batch, socket) : calls.sendmsg(socket.fd, sends.messages());
    }

    /** Whether an errno may be an ICMP error for an earlier packet: Linux reports it once, by refusing the next message. */
    private static boolean mayBelongToEarlierPacket(int errno) {
        return switch (errno) {
            case LinuxSockets.EAGAIN, LinuxSockets.EINTR, LinuxSockets.ENOBUFS, LinuxSockets.EIO, LinuxSockets.EINVAL -> false;
            default -> true;
        };
    }

    /**
     * Handles a first message that the host refused.
     *
     * @return packets removed from the batch nevertheless
     */
    private int onRefused(TransmitBatch batch, LinuxUdpSocket socket, int errno) {
        if (errno == LinuxSockets.EAGAIN) {
            socket.full = true;
            return 0;
        }
        if (errno == LinuxSockets.EINTR) {
            return 0;
        }
        if (sends.trains().disableIfRefused(errno)) {
            return sendSome(batch);
        }
        return drop(batch);
    }

    /** Sends a single packet. sendto takes some 200 ns of 3 µs less than sendmmsg, but no control message. */
    private int sendOne(TransmitBatch batch, LinuxUdpSocket socket) {
        int index = batch.first();
        UdpDestination destination = (UdpDestination) batch.path(index).linkState();
        return destination.controlLength != 0
            ? calls.sendmsg(socket.fd, sends.messages())
            : calls.sendto(socket.fd, batch.memory().address() + batch.offset(index), batch.length(index), destination.memory,
                destination.nameLength);
    }

    private int drop(TransmitBatch batch) {
        sendErrors++;
        batch.sent(1);
        return 1;
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        int total = 0;
        LinuxUdpSocket[] all = sockets.array();
        hottest = hottest.closed ? all[0] : hottest;
        int start = nextSocket < all.length ? nextSocket : 0;
        boolean coldToo = ++polls % COLD_INTERVAL == 0;
        for (int i = 0; i < all.length && total < limit; i++) {
            int index = start + i < all.length ? start + i : start + i - all.length;
            LinuxUdpSocket socket = all[index];
            if (socket == hottest || coldToo || socket.emptyPolls < COLD_AFTER) {
                total += receive(socket, handler, limit - total);
                nextSocket = index;
            }
        }
        if (total < limit) {
            nextSocket = start + 1 < all.length ? start + 1 : 0;
        }
        return total;
    }

    private int receive(LinuxUdpSocket socket, FrameHandler handler, int limit) {
        int total = socket.streams ? receiveStream(socket, handler, limit) : receiveLone(socket, handler);
        if (socket.hasErrors && !socket.closed) {
            socket.hasErrors = !errors.drain(socket.fd, socket.local, handler);
        }
        if (total > 0) {
            socket.emptyPolls = 0;
            hottest = socket;
        } else if (socket.emptyPolls < COLD_AFTER) {
            socket.emptyPolls++;
        }
        return total;
    }

    /** Receives one message, after a poll without any: recvmsg takes two thirds of the time of recvmmsg. */
    private int receiveLone(LinuxUdpSocket socket, FrameHandler handler) {
        if (socket.closed) {
            return 0;
        }
        int bytes = calls.recvmsg(socket.fd, receiveVector.messages());
        if (bytes < 0 && noteError(socket, -bytes)) {
            bytes = calls.recvmsg(socket.fd, receiveVector.messages());
        }
        if (bytes < 0) {
            return 0;
        }
        int packets = dispatch(socket, handler, 0, bytes);
        receiveVector.rearm(0, SOCKADDR_BYTES, CONTROL_BYTES);
        socket.streams = true;
        return packets;
    }

    /**
     * Notes an error of a receive call.
     *
     * @return true if it should be called again: most errors belong to packets sent before and are reported once, and packets may follow
     */
    private boolean noteError(LinuxUdpSocket socket, int errno) {
        if (errno == LinuxSockets.EAGAIN) {
            return false;
        }
        socket.hasErrors = true;
        broken |= LinuxSockets.isDead(errno);
        return true;
    }

    private int receiveStream(LinuxUdpSocket socket, FrameHandler handler, int limit) {
        int total = 0;
        while (total < limit && !socket.closed) {
            int asked = Math.min(limit - total, RECEIVE_VECTOR);
            int count = calls.recvmmsg(socket.fd, receiveVector.messages(), asked);
            if (count < 0 && noteError(socket, -count)) {
                count = calls.recvmmsg(socket.fd, receiveVector.messages(), asked);
            }
            for (int i = 0; i < count; i++) {
                total += dispatch(socket, handler, i, receiveVector.received(i));
                receiveVector.rearm(i, SOCKADDR_BYTES, CONTROL_BYTES);
            }
            if (count < asked) {
                break;
            }
        }
        if (total == 0) {
            socket.streams = false;
        }
        return total;
    }

    /**
     * Delivers a packet, or each packet of a train, to the handler.
     *
     * @return packets delivered or dropped
     */
    private int dispatch(LinuxUdpSocket socket, FrameHandler handler, int index, int bytes) {
        if ((receiveVector.flags(index) & LinuxSockets.MSG_TRUNC) != 0) {
            counters.count(UdpCounter.FRAME_TOO_LONG);
            return 1;
        }
        long name = (long) index * SOCKADDR_BYTES;
        long remoteHigh = LinuxSockets.gidHigh(names, name, socket.ipv4);
        long remoteLow = LinuxSockets.gidLow(names, name, socket.ipv4);
        int sourcePort = names.get(LinuxSockets.SHORT_BE, name + LinuxSockets.SOCKADDR_PORT) & 0xffff;
        readControl(index);
        int at = index * slotBytes + TransmitBatch.HEADROOM;
        int end = at + bytes;
        int packets = 0;
        do {
            int length = segmentBytes == 0 ? end - at : Math.min(segmentBytes, end - at);
            if (length > ReceivedFrame.MAX_PACKET_BYTES) {
                counters.count(UdpCounter.FRAME_TOO_LONG);
            } else {
                handler.onFrame(frame.begin(receiveBuffer, at, length).addresses(socket.local, remoteHigh, remoteLow)
                    .ports(sourcePort, options.port()).trafficClass(trafficClass));
            }
            at += length;
            packets++;
        } while (at < end);
        return packets;
    }

    /** Reads the traffic class (IP_TOS, a byte, or IPV6_TCLASS, an int) and, of a train, the length of its packets (UDP_GRO, an int). */
    private void readControl(int index) {
        trafficClass = 0;
        segmentBytes = 0;
        long at = (long) index * CONTROL_BYTES;
        long end = at + receiveVector.controlLength(index);
        while (at + LinuxSockets.CMSG_HEADER < end) {
            long length = controls.get(JAVA_LONG, at);
            int level = controls.get(JAVA_INT, at + LinuxSockets.CMSG_LEVEL);
            if (level == IPPROTO_UDP) {
                segmentBytes = controls.get(JAVA_INT, at + LinuxSockets.CMSG_HEADER);
            } else if (level == IPPROTO_IP) {
                trafficClass = controls.get(ValueLayout.JAVA_BYTE, at + LinuxSockets.CMSG_HEADER) & 0xff;
            } else {
                trafficClass = controls.get(JAVA_INT, at + LinuxSockets.CMSG_HEADER) & 0xff;
            }
            at += length + 7 & ~7;
        }
    }

    @Override
    public void await(long timeoutNs) {
        if (timeoutNs > 0 && !sockets.isClosed()) {
            sockets.await(timeoutNs);
        }
    }

    @Override
    public void alsoWakeBy(int fd) {
        sockets.alsoWakeBy(fd);
    }

    @Override
    public long sendErrors() {
        return sendErrors + sends.trains().lost();
    }
}
