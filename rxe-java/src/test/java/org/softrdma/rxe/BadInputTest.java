// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.ByteRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.softrdma.verbs.QpType;

/** Properties of the receive path for arbitrary bytes; see {@link BadInput}. jqwik prints the seed of a failure. */
class BadInputTest {
    // ---- bytes that are no packet of the connection ----

    @Property(tries = 300)
    void shouldSurviveRandomBytes(@ForAll @Size(max = 200) List<byte[]> packets, @ForAll("services") QpType service) {
        BadInput input = new BadInput(service);
        packets.forEach(input::fire);
        input.check();
    }

    /** One inverted bit is detected, except in BTH byte 4, which the ICRC does not cover. */
    @Property(tries = 300)
    void shouldDropEveryBitError(@ForAll("packets") RawPacket packet, @ForAll @IntRange(max = 1_000_000) int where) {
        BadInput input = new BadInput();
        byte[] bytes = input.peer.bytesOf(packet);
        int bit = where % (bytes.length * 8);
        bit = bit / 8 == 4 ? 0 : bit;
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
        input.fire(bytes);
        input.checkUntouched("rcvd_pkts", 0);
    }

    /** One bit in the byte that the ICRC masks: FECN, BECN and reserved bits change nothing. */
    @Property(tries = 8)
    void shouldIgnoreTheMaskedByte(@ForAll @IntRange(max = 7) int bit) {
        BadInput input = new BadInput();
        byte[] bytes = input.peer.bytesOf(RawPacket.of(RawPacket.SEND_ONLY, RawPeer.OUR_PSN).payload(100));
        bytes[4] ^= (byte) (1 << bit);
        input.fire(bytes);
        input.check();
        assertEquals(1, input.peer.side.receives().size());
    }

    @Property(tries = 300)
    void shouldDropEveryTruncation(@ForAll("packets") RawPacket packet, @ForAll @IntRange(max = 1_000_000) int where) {
        BadInput input = new BadInput();
        byte[] bytes = input.peer.bytesOf(packet);
        int length = where % bytes.length;
        input.fire(Arrays.copyOf(bytes, length));
        input.checkUntouched(length < 16 ? "drop_too_short" : "rcvd_pkts", length < 16 ? 1 : 0);
    }

    @Property(tries = 300)
    void shouldDropEveryExtension(@ForAll("packets") RawPacket packet, @ForAll @Size(min = 1, max = 5000) byte[] more) {
        BadInput input = new BadInput();
        byte[] bytes = input.peer.bytesOf(packet);
        byte[] longer = Arrays.copyOf(bytes, bytes.length + more.length);
        System.arraycopy(more, 0, longer, bytes.length, more.length);
        input.fire(longer);
        input.checkUntouched("rcvd_pkts", 0);
    }

    @Property(tries = 100)
    void shouldDropEveryWrongIcrcVersionAndDestination(@ForAll("packets") RawPacket packet,
                                                       @ForAll @IntRange(min = 1, max = 15) int version,
                                                       @ForAll @IntRange(max = 0xffffff) int qpn) {
        BadInput input = new BadInput();
        input.fire(input.peer.bytesOf(packet.badIcrc()));
        input.checkUntouched("drop_bad_icrc", 1);
        input = new BadInput();
        input.fire(input.peer.bytesOf(packet.version(version)));
        input.checkUntouched("drop_bad_version", 1);
        input = new BadInput();
        if (qpn != input.peer.side.qp.qpNum()) {
            input.fire(input.peer.bytesOf(packet.version(0).destQpn(qpn)));
            // 1 is the GSI, which accepts only management datagrams.
            input.checkUntouched(qpn == 1 ? "drop_gsi_no_mad" : "drop_unknown_qpn", 1);
        }
    }

    @Property(tries = 100)
    void shouldDropEveryForeignPartition(@ForAll("packets") RawPacket packet, @ForAll @IntRange(max = 0xffff) int pkey) {
        BadInput input = new BadInput();
        if ((pkey & 0x7fff) != 0x7fff) {
            input.fire(input.peer.bytesOf(packet.pkey(pkey)));
            input.checkUntouched("drop_bad_pkey", 1);
        }
    }

    @Example
    void shouldDropUnknownOpcodesForNobodyAndOversizedPackets() {
        BadInput input = new BadInput();
        input.fire(input.peer.bytesOf(RawPacket.of(0x1f, 0).destQpn(3)));
        input.checkUntouched("drop_unknown_opcode", 1);
        input = new BadInput();
        input.fire(input.peer.bytesOf(RawPacket.of(RawPacket.SEND_ONLY, RawPeer.OUR_PSN).payload(4096 + 64)));
        input.fire(new byte[8192]);
        input.checkUntouched("drop_bad_length", 2);
    }

    // ---- packets with everything right but the contents ----

    /** Any sequence of well-formed packets of every opcode, near the PSNs of the connection: valid ICRC, all other fields at random. */
    @Property(tries = 600)
    void shouldSurviveAnySequenceOfWellFormedPackets(@ForAll @Size(min = 1, max = 30) List<@From("lies") RawPacket> packets,
                                                     @ForAll("services") QpType service) {
        BadInput input = new BadInput(service);
        for (RawPacket packet : packets) {
            input.fire(input.peer.bytesOf(packet));
        }
        input.check();
    }

    /** Random header bytes after a valid BTH of every opcode, with a valid ICRC. */
    @Property(tries = 1000)
    void shouldSurviveAnyHeaders(@ForAll("services") QpType service, @ForAll @IntRange(max = 255) int opcode,
                                 @ForAll @IntRange(min = -3, max = 6) int psn,
                                 @ForAll @Size(max = 1100) byte[] rest, @ForAll @IntRange(max = 3) int pad,
                                 @ForAll @ByteRange(min = 0, max = 1) byte ours) {
        BadInput input = new BadInput(service);
        int base = ours == 1 ? RawPeer.OUR_PSN : RawPeer.THEIR_PSN;
        RawPacket packet = RawPacket.of(opcode, base + psn).payload(rest).pad(pad).ackRequest();
        input.fire(input.peer.bytesOf(packet));
        input.fire(input.peer.bytesOf(packet));
        input.check();
    }

    /** Requests to memory that may only be read: never written, for any key, length and opcode. */
    @Property(tries = 300)
    void shouldNeverWriteWhereThePeerMayOnlyRead(@ForAll @IntRange(min = -8, max = 5000) int offset,
                                                 @ForAll @IntRange(max = 1024) int length, @ForAll @IntRange(max = 3) int kind) {
        BadInput input = new BadInput();
        long va = input.readOnlyAddress() + offset;
        int key = input.readOnlyKey();
        RawPacket packet = switch (kind) {
            case 0 -> RawPacket.of(RawPacket.WRITE_ONLY, RawPeer.OUR_PSN).reth(va, key, length).payload(length);
            case 1 -> RawPacket.of(RawPacket.WRITE_FIRST, RawPeer.OUR_PSN).reth(va, key, 3000).payload(1024);
            case 2 -> RawPacket.of(RawPacket.COMPARE_SWAP, RawPeer.OUR_PSN).atomic(va & ~7, key, 1, 0x5a5a5a5a5a5a5a5aL);
            default -> RawPacket.of(RawPacket.FETCH_ADD, RawPeer.OUR_PSN).atomic(va & ~7, key, 1, 0);
        };
        input.fire(input.peer.bytesOf(packet));
        input.check();
    }

    @Provide
    Arbitrary<QpType> services() {
        return Arbitraries.of(QpType.RC, QpType.UC, QpType.UD);
    }

    /** Correct packets, of requests and of responses, as the peer could send them now. */
    @Provide
    Arbitrary<RawPacket> packets() {
        return Combinators.combine(Arbitraries.integers().between(0, 7), Arbitraries.integers().between(0, 1024)).as((kind, bytes) ->
            switch (kind) {
                case 0 -> RawPacket.of(RawPacket.SEND_ONLY, RawPeer.OUR_PSN).payload(bytes);
                case 1 -> RawPacket.of(RawPacket.SEND_FIRST, RawPeer.OUR_PSN).payload(1024);
                case 2 -> RawPacket.of(RawPacket.WRITE_ONLY, RawPeer.OUR_PSN).reth(0, 0, bytes).payload(bytes);
                case 3 -> RawPacket.of(RawPacket.READ_REQUEST, RawPeer.OUR_PSN).reth(0, 0, bytes);
                case 4 -> RawPacket.of(RawPacket.FETCH_ADD, RawPeer.OUR_PSN).atomic(0, 0, 1, 0);
                case 5 -> RawPacket.ack(RawPeer.THEIR_PSN + 2);
                case 6 -> RawPacket.of(RawPacket.READ_FIRST, RawPeer.THEIR_PSN).aeth(0x1f, 1).payload(1024);
                default -> RawPacket.nak(RawPeer.THEIR_PSN, RawPacket.NAK_ACCESS);
            });
    }

    /** Well-formed packets with random fields. */
    @Provide
    Arbitrary<RawPacket> lies() {
        Arbitrary<Integer> opcodes = Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.integers().between(0, 0x17)),
            Tuple.of(4, Arbitraries.integers().between(RawPacket.UC, RawPacket.UC + RawPacket.WRITE_ONLY_IMM)),
            Tuple.of(2, Arbitraries.of(RawPacket.UD_SEND, RawPacket.UD_SEND_IMM)),
            Tuple.of(1, Arbitraries.integers().between(0, 255)));
        Arbitrary<Integer> psns = Arbitraries.integers().between(-2, 8);
        Arbitrary<Integer> lengths = Arbitraries.frequencyOf(Tuple.of(3, Arbitraries.of(0, 1, 8, 1023, 1024, 1025)),
            Tuple.of(1, Arbitraries.integers().between(0, 4096)));
        Arbitrary<Long> addresses = Arbitraries.longs();
        return Combinators.combine(opcodes, psns, lengths, addresses, Arbitraries.integers().between(0, 255)).as(BadInputTest::lie);
    }

    private static RawPacket lie(int opcode, int psn, int length, long address, int syndrome) {
        boolean response = opcode >= RawPacket.READ_FIRST && opcode <= RawPacket.ATOMIC_ACK;
        RawPacket packet = RawPacket.of(opcode, (response ? RawPeer.THEIR_PSN : RawPeer.OUR_PSN) + psn);
        if (syndrome % 2 == 0) {
            packet.ackRequest();
        }
        return switch (opcode) {
            case RawPacket.READ_REQUEST -> packet.reth(address, syndrome << 8 | syndrome, length);
            case RawPacket.WRITE_FIRST, RawPacket.WRITE_ONLY -> packet.reth(address, syndrome << 8 | syndrome, length)
                .payload(Math.min(length, 1024));
            case RawPacket.UC | RawPacket.WRITE_FIRST, RawPacket.UC | RawPacket.WRITE_ONLY ->
                packet.reth(address, syndrome << 8 | syndrome, length).payload(Math.min(length, 1024));
            case RawPacket.UC | RawPacket.WRITE_ONLY_IMM ->
                packet.reth(address, syndrome << 8 | syndrome, length).immediate(syndrome).payload(Math.min(length, 1024));
            case RawPacket.UD_SEND -> packet.deth(BadInput.QKEY ^ syndrome & 1, syndrome).payload(length);
            case RawPacket.UD_SEND_IMM -> packet.deth(BadInput.QKEY, syndrome).immediate(syndrome).payload(length);
            case RawPacket.COMPARE_SWAP, RawPacket.FETCH_ADD -> packet.atomic(address, syndrome, 1, 0);
            case RawPacket.ACK -> packet.aeth(syndrome, 0);
            case RawPacket.ATOMIC_ACK -> packet.aeth(syndrome, 0).atomicAck(address);
            case RawPacket.READ_FIRST, RawPacket.READ_LAST, RawPacket.READ_ONLY -> packet.aeth(syndrome & 0x1f, 0).payload(length);
            default -> packet.payload(length);
        };
    }
}
