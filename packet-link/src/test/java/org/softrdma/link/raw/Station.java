// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.softrdma.linux.LinuxSockets;
import org.softrdma.linux.MessageVector;
import org.softrdma.wire.net.Ethernet;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Udp;

/** A host at the other end of a wire: has a MAC and an IPv4 address, answers ARP, and receives frames to that MAC address. */
final class Station implements AutoCloseable {
    private static final int FRAME_BYTES = 2048;
    private static final int NAME_BYTES = 20;
    private static final int ALL_PROTOCOLS = 3;
    private static final int TYPE_ARP = 0x0806;
    private static final int ARP_AT = Ethernet.LENGTH;
    private static final int ARP_OPERATION = ARP_AT + 6;
    private static final int ARP_SENDER = ARP_AT + 8;
    private static final int ARP_TARGET = ARP_AT + 18;
    private static final int ARP_BYTES = ARP_AT + 28;
    private static final int MAC_BYTES = 6;
    private static final long BROADCAST = 0xffff_ffff_ffffL;
    private static final int REQUEST = 1;
    private static final int REPLY = 2;

    private final Arena arena = Arena.ofAuto();
    private final LinuxSockets calls = new LinuxSockets(arena);
    private final MessageVector vector = new MessageVector(arena, 1);
    private final MemorySegment memory = arena.allocate(FRAME_BYTES, 8);
    private final ByteBuffer buffer = memory.asByteBuffer();
    private final int fd;
    private final int ipv4;
    private long mac;

    Station(String netdev, long mac, int ipv4) throws Exception {
        this.mac = mac;
        this.ipv4 = ipv4;
        vector.iovec(0, memory.address(), FRAME_BYTES);
        vector.message(0, 0, 0, 0, 1, 0, 0);
        fd = calls.packetSocket();
        MemorySegment name = arena.allocate(NAME_BYTES, 8);
        name.set(JAVA_SHORT, 0, (short) LinuxSockets.AF_PACKET);
        name.set(LinuxSockets.SHORT_BE, 2, (short) ALL_PROTOCOLS);
        // Java does not list interfaces without address.
        name.set(JAVA_INT, 4, OwnNetwork.indexOf(netdev));
        assertTrue(calls.bind(fd, name, NAME_BYTES) >= 0);
    }

    /** Changes its MAC address without announcing it. */
    void moveTo(long newMac) {
        mac = newMac;
    }

    /** Sends a frame. */
    void send(byte[] frame) {
        MemorySegment.copy(frame, 0, memory, JAVA_BYTE, 0, frame.length);
        vector.iovec(0, memory.address(), frame.length);
        assertTrue(calls.sendmsg(fd, vector.messages()) > 0);
        vector.iovec(0, memory.address(), FRAME_BYTES);
    }

    /**
     * Reads received frames, and answers ARP requests.
     *
     * @return RoCE frames to this station, over IPv4 if of v2
     */
    int received() {
        int count = 0;
        for (int bytes = calls.recvmsg(fd, vector.messages()); bytes > 0; bytes = calls.recvmsg(fd, vector.messages())) {
            boolean toUs = Ethernet.destination(buffer, 0) == mac;
            if ((toUs || Ethernet.destination(buffer, 0) == BROADCAST) && isQuestionAboutUs()) {
                answer();
            } else if (toUs && isRoce()) {
                count++;
            }
        }
        return count;
    }

    private boolean isQuestionAboutUs() {
        return Ethernet.type(buffer, 0) == TYPE_ARP && buffer.getShort(ARP_OPERATION) == REQUEST
            && buffer.getInt(ARP_TARGET + MAC_BYTES) == ipv4;
    }

    private boolean isRoce() {
        return switch (Ethernet.type(buffer, 0)) {
            case Ethernet.TYPE_ROCE_V1 -> true;
            case Ethernet.TYPE_IPV4 -> Ipv4.protocol(buffer, Ethernet.LENGTH) == Ipv4.PROTOCOL_UDP
                && Udp.destinationPort(buffer, Ethernet.LENGTH + Ipv4.LENGTH) == Udp.DEST_PORT_ROCE;
            default -> false;
        };
    }

    private void answer() {
        byte[] reply = new byte[ARP_BYTES];
        buffer.get(0, reply);
        ByteBuffer b = ByteBuffer.wrap(reply);
        long asker = Ethernet.source(buffer, 0);
        Ethernet.put(b, 0, asker, mac, TYPE_ARP);
        b.putShort(ARP_OPERATION, (short) REPLY);
        b.put(ARP_TARGET, reply.clone(), ARP_SENDER, MAC_BYTES + Integer.BYTES);
        b.putShort(ARP_SENDER, (short) (mac >>> 32)).putInt(ARP_SENDER + 2, (int) mac);
        b.putInt(ARP_SENDER + MAC_BYTES, ipv4);
        send(reply);
    }

    @Override
    public void close() {
        LinuxSockets.close(fd);
    }
}
