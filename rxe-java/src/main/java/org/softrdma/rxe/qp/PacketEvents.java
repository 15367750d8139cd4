// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe.qp;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.softrdma.device.events.PacketDecoder;
import org.softrdma.device.qp.QueuePairObserver;
import org.softrdma.link.Path;
import org.softrdma.link.ReceivedFrame;
import org.softrdma.recording.RecordedEvent;
import org.softrdma.recording.Track;
import org.softrdma.verbs.Gid;
import org.softrdma.wire.ib.Lrh;
import org.softrdma.wire.roce.Bth;
import org.softrdma.wire.roce.Deth;
import org.softrdma.wire.roce.Opcode;

/**
 * Reports packets to the observer of a queue pair, and rebuilds their headers from what was reported. The fields of the BTH are reported
 * one by one, but for the transport version, which is 0 in all packets, and the P_Key of packets that belong to a connection, which is the
 * queue pair's.
 *
 * <pre>
 *   bits    AckReq (1) | FECN, BECN (2) | SE, M, pad (4)
 *   words   extended headers, 16 bytes; if there are more of them, or the packet is a datagram, 32 bytes follow
 *           datagrams: address of the other end (16), number of the destination queue pair (8), LID of the other end, or 0 without
 *           InfiniBand, above 16 bits of P_Key (8)
 * </pre>
 */
public final class PacketEvents implements PacketDecoder {
    private static final int EXTENDED = Bth.LENGTH;
    private static final int FIRST_WORDS_END = EXTENDED + 16;

    /** Place of a packet in a work request of one packet. */
    static final long ONLY_PACKET = place(0, 1);

    /**
     * Place of a packet in a work request.
     *
     * @param packet  index, from 0
     * @param packets number of packets
     */
    static long place(int packet, int packets) {
        return packet + 1L << 32 | packets;
    }

    /** Reports a packet of a work request that was finished. */
    static void sent(QueuePairObserver observer, PacketWriter out, int at, int length, long wrId, long place, boolean again) {
        report(observer, true, out.buffer(), at, length, wrId, place, again ? QueuePairObserver.AGAIN : 0);
    }

    /** Reports a finished packet that belongs to no work request. */
    static void sent(QueuePairObserver observer, PacketWriter out, int at, int length) {
        report(observer, true, out.buffer(), at, length, 0, 0, 0);
    }

    /** Reports a packet that was finished for a datagram. */
    static void sentDatagram(QueuePairObserver observer, PacketWriter out, int at, int length, long wrId, Path to, int qpn) {
        report(observer, true, out.buffer(), at, length, wrId, ONLY_PACKET, 0);
        observer.moreHeaders(to.remote().high(), to.remote().low(), qpn, Lrh.dlid(to.lrh()) << 16 | Bth.pkey(out.buffer(), at));
    }

    /** Reports a packet that was received. */
    public static void received(QueuePairObserver observer, InboundPacket packet) {
        report(observer, false, packet.buffer(), packet.frame().offset(), packet.frame().length(), 0, 0, 0);
        if (isDatagram(packet.opcode())) {
            receivedFrom(observer, packet);
        }
    }

    private static void receivedFrom(QueuePairObserver observer, InboundPacket packet) {
        ReceivedFrame frame = packet.frame();
        int slid = frame.isOnSubnet() ? frame.slid() : 0;
        observer.moreHeaders(frame.remoteHigh(), frame.remoteLow(), packet.destQpn(), slid << 16 | packet.pkey());
    }

    /** Reports a packet with readable headers that reached no queue pair. */
    public static void dropped(QueuePairObserver observer, InboundPacket packet, RxeCounter why) {
        ByteBuffer b = packet.buffer();
        int at = packet.frame().offset();
        int end = at + Math.min(Opcode.headerLength(packet.opcode()), packet.frame().length());
        observer.packet(false, packet.opcode(), bits(b, at), packet.psn(), packet.frame().length(), 0, 0, word(b, at + EXTENDED, end),
            word(b, at + EXTENDED + 8, end));
        receivedFrom(observer, packet);
        observer.occurred(RecordedEvent.Effect.DROPPED, why.reason(), firstValue(packet, why), packet.destQpn(), 0);
    }

    private static long firstValue(InboundPacket packet, RxeCounter why) {
        return switch (why) {
            case DROP_BAD_PKEY -> packet.pkey();
            case DROP_GSI_BAD_QKEY -> Deth.qkey(packet.buffer(), packet.dethAt());
            case DROP_UNKNOWN_OPCODE -> packet.opcode();
            default -> packet.destQpn();
        };
    }

    private static boolean isDatagram(int opcode) {
        return Opcode.has(opcode, Opcode.DETH);
    }

    private static void report(QueuePairObserver observer, boolean sent, ByteBuffer b, int at, int length, long wrId, long place,
            int again) {
        int opcode = Bth.opcode(b, at);
        int end = at + Opcode.headerLength(opcode);
        // Behind the headers there is an ICRC at least, so that eight bytes can be read wherever four belong to a header.
        observer.packet(sent, opcode, bits(b, at) | again, Bth.psn(b, at), length, wrId, place, word(b, at + EXTENDED, end),
            word(b, at + EXTENDED + 8, end));
        if (end > at + FIRST_WORDS_END) {
            observer.moreHeaders(word(b, at + FIRST_WORDS_END, end), word(b, at + FIRST_WORDS_END + 8, end), 0, 0);
        }
    }

    private static int bits(ByteBuffer b, int at) {
        return b.getInt(at) >>> 20 & 0xf | b.getInt(at + 4) >>> 30 << 4 | b.getInt(at + 8) >>> 31 << 6;
    }

    private static long word(ByteBuffer b, int at, int end) {
        return at < end ? b.getLong(at) : 0;
    }

    @Override
    public Decoded decode(Track.Head head, boolean sent, int opcode, int bits, int psn, int length, long[] words) {
        boolean addressed = words.length > 4 && (isDatagram(opcode) || head.kind() == Track.Kind.DEVICE);
        int destQpn = addressed ? (int) words[4] : sent ? (int) Math.max(0, head.peer()) : head.number();
        int pkey = addressed ? (int) words[5] & 0xffff : head.subnet() == null ? QpMachine.PKEY : head.subnet().pkey();
        ByteBuffer b = ByteBuffer.allocate(EXTENDED + words.length * Long.BYTES);
        b.putInt(opcode << 24 | (bits & 0xf) << 20 | pkey);
        b.putInt((bits >>> 4 & 3) << 30 | destQpn & 0xffffff);
        b.putInt(bits >>> 6 << 31 | psn);
        for (long word : words) {
            b.putLong(word);
        }
        byte[] headers = Arrays.copyOf(b.array(), Opcode.headerLength(opcode));
        return addressed ? new Decoded(headers, new Gid(words[2], words[3]), (int) words[5] >>> 16) : new Decoded(headers);
    }
}
