// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.net;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;
import org.softrdma.fabric.ipoib.Prefix;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.net.InternetChecksum;
import org.softrdma.wire.net.Ipv4;

/** A small IPv4 stack in this process, which needs no privileges: it answers echo requests, and sends them. Source: RFC 792. */
public final class EchoEnd implements IpEnd {
    private static final int ICMP = 1;
    private static final int ECHO_REPLY = 0;
    private static final int ECHO_REQUEST = 8;
    private static final int CHECKSUM_AT = 2;
    private static final int SEQUENCE_AT = 6;
    private static final int SENT_AT = 8;
    private static final int HEADER = 8;
    private static final int TTL = 64;

    private final Prefix address;
    private final LongConsumer onReply;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch up = new CountDownLatch(1);
    private volatile Sender sender;

    /**
     * Creates a stack.
     *
     * @param address an IPv4 address and its subnet
     * @param onReply receives the round-trip time of each reply, nanoseconds
     */
    public EchoEnd(Prefix address, LongConsumer onReply) {
        this.address = address;
        this.onReply = onReply;
    }

    @Override
    public void run(Sender to) {
        sender = to;
        to.onAddresses(List.of(address));
        try {
            ended.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when the interface is up, or this is closed; false in that case. */
    public boolean awaitUp() throws InterruptedException {
        up.await();
        return ended.getCount() > 0;
    }

    /**
     * Sends an echo request.
     *
     * @param bytes of data, at least 8
     */
    public void ping(Gid to, int sequence, int bytes) {
        ByteBuffer packet = ByteBuffer.allocate(Ipv4.LENGTH + HEADER + bytes);
        Ipv4.put(packet, 0, 0, packet.capacity(), sequence & 0xFFFF, true, TTL, ICMP, address.address().ipv4(), to.ipv4());
        int at = Ipv4.LENGTH;
        packet.put(at, (byte) ECHO_REQUEST);
        packet.putShort(at + SEQUENCE_AT, (short) sequence);
        for (int i = HEADER; i < HEADER + bytes; i++) {
            packet.put(at + i, (byte) i);
        }
        packet.putLong(at + SENT_AT, System.nanoTime());
        seal(packet, at);
        sender.send(packet, packet.capacity());
    }

    private static void seal(ByteBuffer packet, int at) {
        packet.putShort(at + CHECKSUM_AT, (short) 0);
        packet.putShort(at + CHECKSUM_AT, (short) InternetChecksum.of(packet, at, packet.capacity() - at));
    }

    @Override
    public void onUp(int mtu) {
        up.countDown();
    }

    @Override
    public void receive(ByteBuffer packet) {
        int at = Ipv4.version(packet, 0) == 4 ? Ipv4.headerLength(packet, 0) : packet.capacity();
        if (at + HEADER + Long.BYTES > packet.capacity() || Ipv4.protocol(packet, 0) != ICMP || Ipv4.isFragment(packet, 0)
            || Ipv4.destination(packet, 0) != address.address().ipv4() || InternetChecksum.of(packet, at, packet.capacity() - at) != 0) {
            return;
        }
        if (packet.get(at) == ECHO_REPLY) {
            onReply.accept(System.nanoTime() - packet.getLong(at + SENT_AT));
        } else if (packet.get(at) == ECHO_REQUEST) {
            ByteBuffer reply = ByteBuffer.allocate(Ipv4.LENGTH + packet.capacity() - at);
            Ipv4.put(reply, 0, 0, reply.capacity(), Ipv4.id(packet, 0), true, TTL, ICMP, address.address().ipv4(), Ipv4.source(packet, 0));
            reply.put(Ipv4.LENGTH, packet, at, packet.capacity() - at);
            reply.put(Ipv4.LENGTH, (byte) ECHO_REPLY);
            seal(reply, Ipv4.LENGTH);
            sender.send(reply, reply.capacity());
        }
    }

    @Override
    public void close() {
        ended.countDown();
        up.countDown();
    }
}
