// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.ServiceId;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Icrc;
import org.softrdma.wire.roce.Opcode;
import org.softrdma.wire.roce.Reth;

/**
 * Hostile packets at a steady rate, from a loopback address that no device has, until the process is ended. The same packets sent to a
 * port where nobody listens cost the host as much and the victim nothing: the ratio of the victim's throughput under both is the cost of
 * the packets to the victim.
 */
final class Flood {
    private static final int ROCE_PORT = 4791;
    /** Discard: nobody listens. */
    private static final int DEAD_PORT = 9;
    private static final String SOURCE = "127.66.66.66";
    private static final int BTH_AT = 64;
    private static final int PAYLOAD_BYTES = 64;
    private static final int RANDOM_BYTES = 200;
    private static final int QP1 = 1;
    private static final int QP1_QKEY = 0x8001_0000;
    private static final int DEFAULT_PKEY = 0xffff;
    /** A port that nothing in a benchmark listens at. */
    private static final int UNUSED_CM_PORT = 9;
    private static final long TICK_NS = 1_000_000;
    private static final long MOST_SECONDS = 120;

    private final String kind;
    private final int rate;
    private final int victimsQpn;
    private final int source;
    private final int target;
    private final InetSocketAddress destination;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Icrc icrc = new Icrc();
    private final ByteBuffer packet = ByteBuffer.allocateDirect(1024);

    Flood(Settings settings) throws IOException {
        kind = settings.text("kind", "req");
        rate = settings.number("rate", 5000);
        victimsQpn = settings.number("qpn", 0);
        InetAddress victim = InetAddress.getByName(settings.text("victim", "127.0.0.1"));
        source = ByteBuffer.wrap(InetAddress.getByName(SOURCE).getAddress()).getInt();
        target = ByteBuffer.wrap(victim.getAddress()).getInt();
        destination = new InetSocketAddress(victim, settings.text("at", "victim").equals("dead") ? DEAD_PORT : ROCE_PORT);
    }

    void run() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(new InetSocketAddress(SOURCE, ROCE_PORT));
            channel.configureBlocking(false);
            ByteBuffer answers = ByteBuffer.allocateDirect(4096);
            long startNs = System.nanoTime();
            long sent = 0;
            for (long nowNs = startNs; nowNs - startNs < MOST_SECONDS * 1_000_000_000; nowNs = System.nanoTime()) {
                long due = (nowNs - startNs) / 1000 * rate / 1_000_000;
                for (; sent < due; sent++) {
                    build(sent);
                    channel.send(packet, destination);
                }
                while (channel.receive(answers.clear()) != null) {
                    // Refusals, which a real requester receives, too.
                }
                LockSupport.parkNanos(TICK_NS);
            }
        }
    }

    private void build(long number) {
        packet.clear();
        switch (kind) {
            case "random" -> {
                for (int at = BTH_AT; at < BTH_AT + RANDOM_BYTES; at += Long.BYTES) {
                    packet.putLong(at, random.nextLong());
                }
                packet.position(BTH_AT).limit(BTH_AT + RANDOM_BYTES);
            }
            case "key" -> write(0);
            case "icrc" -> write(1);
            case "req" -> request(number);
            default -> throw new IllegalArgumentException("no flood named " + kind);
        }
    }

    /** A WRITE to the victim's queue pair with a key that does not exist. */
    private void write(int icrcError) {
        Bth.put(packet, BTH_AT, Opcode.RC_RDMA_WRITE_ONLY, false, 0, DEFAULT_PKEY, victimsQpn, true, random.nextInt(1 << 24));
        Reth.put(packet, BTH_AT + Bth.LENGTH, random.nextLong(), random.nextInt(), PAYLOAD_BYTES);
        seal(Bth.LENGTH + Reth.LENGTH + PAYLOAD_BYTES, icrcError);
    }

    /** A request for a connection to a port without a listener. */
    private void request(long number) {
        Bth.put(packet, BTH_AT, Opcode.UD_SEND_ONLY, false, 0, DEFAULT_PKEY, QP1, false, (int) number & 0xffffff);
        Deth.put(packet, BTH_AT + Bth.LENGTH, QP1_QKEY, QP1);
        int mad = BTH_AT + Bth.LENGTH + Deth.LENGTH;
        CmMessage.begin(packet, mad, CmMessage.REQ, number);
        CmMessage.LOCAL_COMM_ID.set(packet, mad, (int) number + 1);
        CmReq.SERVICE_ID.set(packet, mad, ServiceId.of(ServiceId.PORT_SPACE_TCP, UNUSED_CM_PORT));
        CmReq.CA_GUID.set(packet, mad, 0x66);
        CmReq.QPN.set(packet, mad, 2 + (int) (number & 0xffff));
        CmReq.PKEY.set(packet, mad, DEFAULT_PKEY);
        CmReq.MTU.set(packet, mad, 3);
        CmReq.REMOTE_RESPONSE_TIMEOUT.set(packet, mad, 20);
        CmReq.LOCAL_RESPONSE_TIMEOUT.set(packet, mad, 20);
        CmReq.LOCAL_GID_LOW.set(packet, mad, ipv4Mapped(source));
        CmReq.REMOTE_GID_LOW.set(packet, mad, ipv4Mapped(target));
        CmReq.HOP_LIMIT.set(packet, mad, 64);
        seal(Bth.LENGTH + Deth.LENGTH + Mad.LENGTH, 0);
    }

    private static long ipv4Mapped(int address) {
        return 0xffff_0000_0000L | address & 0xffff_ffffL;
    }

    private void seal(int bytes, int icrcError) {
        Icrc.putIpv4Prefix(packet, BTH_AT, source, target, 0, true, ROCE_PORT, destination.getPort(), bytes + Icrc.LENGTH);
        int start = BTH_AT - Icrc.IPV4_PREFIX_LENGTH;
        Icrc.put(packet, BTH_AT + bytes, icrc.overPrefix(packet, start, BTH_AT, BTH_AT + bytes) + icrcError);
        packet.position(BTH_AT).limit(BTH_AT + bytes + Icrc.LENGTH);
    }
}
