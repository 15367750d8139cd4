// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.AsyncEventType;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.WcStatus;

/**
 * Packets that a responder must refuse or drop and that our requester never sends (IBA vol 1 §9.7.4, §9.9.3; docs/interop.md has the
 * table), from a {@link RawPeer}: the answer on the wire, completions, states, the asynchronous event, and that memory is as it was. Each
 * row has its twin just inside the limit. {@link ViolationTableTest} has the rows that a requester of ours can cause.
 */
class PacketViolationTest {
    private static final int SIZE = 8192;
    private static final int MTU = 1024;

    private static final class Raw {
        final RawPeer peer = new RawPeer(new SimulatedPair.Setup());
        final MemoryRegion memory = peer.side.memory(SIZE, SimulatedPair.ALL_REMOTE);
        private final byte[] before = memory.memory().fill((byte) 0x5a).toArray(ValueLayout.JAVA_BYTE);

        Raw() {
            for (int i = 0; i < 3; i++) {
                peer.side.qp.postReceive(new ReceiveRequest().begin(i).element(memory, 4096, 4096));
            }
        }

        RawPacket packet(int opcode, int psn) {
            return RawPacket.of(opcode, OUR_PSN + psn);
        }

        RawPacket write(int opcode, int length) {
            return packet(opcode, 0).reth(memory.address(), memory.rkey(), length);
        }

        /** The last of these packets is refused, and later requests get silence. */
        void shouldRefuseLast(int syndrome, List<WcStatus> receives, AsyncEventType event, int untouchedFrom, RawPacket... packets) {
            peer.send(packets);
            peer.expectSyndrome(OUR_PSN + packets.length - 1, syndrome);
            peer.send(packet(RawPacket.SEND_ONLY, packets.length - 1).payload(8).ackRequest());
            peer.send(packet(RawPacket.SEND_ONLY, packets.length).payload(8).ackRequest());
            peer.expectNothingFor(1000 * MS);
            assertEquals(receives, peer.side.receiveStatuses());
            assertEquals(QpState.ERR, peer.side.qp.state());
            assertEquals(List.of(event), peer.side.events());
            assertEquals(1, peer.side.counter(ViolationTableTest.counterOf(syndrome)), ViolationTableTest.counterOf(syndrome));
            byte[] now = memory.memory().toArray(ValueLayout.JAVA_BYTE);
            for (int i = untouchedFrom; i < 4096; i++) {
                assertEquals(before[i], now[i], "byte " + i);
            }
        }

        void shouldRefuseLast(RawPacket... packets) {
            WcStatus flushed = WcStatus.WR_FLUSH_ERR;
            shouldRefuseLast(RawPacket.NAK_INVALID, List.of(flushed, flushed, flushed), AsyncEventType.QP_REQ_ERR,
                (packets.length - 1) * MTU, packets);
        }

        /** Everything is executed; the last packet is acknowledged. */
        void shouldTakeAll(RawPacket... packets) {
            packets[packets.length - 1].ackRequest();
            peer.send(packets);
            peer.expectAck(OUR_PSN + packets.length - 1);
            assertEquals(QpState.RTS, peer.side.qp.state());
        }
    }

    static Stream<Arguments> wrongSequences() {
        int full = MTU;
        return Stream.of(
            Arguments.of("SEND Middle without First", new int[][] {{RawPacket.SEND_MIDDLE, full}}),
            Arguments.of("SEND Last without First", new int[][] {{RawPacket.SEND_LAST, 8}}),
            Arguments.of("WRITE Middle without First", new int[][] {{RawPacket.WRITE_MIDDLE, full}}),
            Arguments.of("WRITE Last without First", new int[][] {{RawPacket.WRITE_LAST, 8}}),
            Arguments.of("WRITE Last with immediate without First", new int[][] {{RawPacket.WRITE_LAST_IMM, 8}}),
            Arguments.of("First in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.SEND_FIRST, full}}),
            Arguments.of("Only in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.SEND_ONLY, 8}}),
            Arguments.of("WRITE Last in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.WRITE_LAST, 8}}),
            Arguments.of("READ in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.READ_REQUEST, 0}}),
            Arguments.of("atomic in a SEND", new int[][] {{RawPacket.SEND_FIRST, full}, {RawPacket.FETCH_ADD, 0}}),
            Arguments.of("SEND Middle in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.SEND_MIDDLE, full}}),
            Arguments.of("First in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.WRITE_FIRST, full}}),
            Arguments.of("Only in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.WRITE_ONLY, 8}}),
            Arguments.of("READ in a WRITE", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.READ_REQUEST, 0}}),
            Arguments.of("Last after Last", new int[][] {{RawPacket.WRITE_FIRST, full}, {RawPacket.WRITE_LAST, 176},
                {RawPacket.WRITE_LAST, 176}}));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongSequences")
    void shouldRefuseWrongSequenceOfPackets(String name, int[][] opcodesAndSizes) {
        Raw raw = new Raw();
        RawPacket[] packets = new RawPacket[opcodesAndSizes.length];
        for (int i = 0; i < packets.length; i++) {
            int opcode = opcodesAndSizes[i][0];
            packets[i] = raw.packet(opcode, i).payload(opcodesAndSizes[i][1]);
            switch (opcode) {
                case RawPacket.WRITE_FIRST, RawPacket.READ_REQUEST -> packets[i].reth(raw.memory.address(), raw.memory.rkey(), 1200);
                case RawPacket.WRITE_ONLY -> packets[i].reth(raw.memory.address(), raw.memory.rkey(), 8);
                case RawPacket.FETCH_ADD -> packets[i].atomic(raw.memory.address(), raw.memory.rkey(), 1, 0);
                case RawPacket.WRITE_LAST_IMM -> packets[i].immediate(1);
                default -> { }
            }
        }
        raw.shouldRefuseLast(packets);
    }

    /** First, Middle and Last carry what they must: sizes before and after the boundary. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU - 4, MTU - 1, MTU + 1, 2 * MTU})
    void shouldRefuseSendFirstThatIsNotFull(int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_FIRST, 0).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MTU - 1, MTU + 1})
    void shouldRefuseSendMiddleThatIsNotFull(int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_FIRST, 0).payload(MTU), raw.packet(RawPacket.SEND_MIDDLE, 1).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MTU + 1, 3 * MTU})
    void shouldRefuseSendLastOfWrongSize(int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_FIRST, 0).payload(MTU), raw.packet(RawPacket.SEND_LAST, 1).payload(payload));
    }

    @Test
    void shouldRefuseSendOnlyLongerThanTheMtu() {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.SEND_ONLY, 0).payload(MTU + 1));
        Raw twin = new Raw();
        twin.shouldTakeAll(twin.packet(RawPacket.SEND_ONLY, 0).payload(MTU));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, MTU})
    void shouldTakeSendOfFullPacketsAndAnyRest(int rest) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.packet(RawPacket.SEND_FIRST, 0).payload(MTU), raw.packet(RawPacket.SEND_MIDDLE, 1).payload(MTU),
            raw.packet(RawPacket.SEND_LAST, 2).payload(rest));
    }

    /** RETH length against what the packet carries; length 0 with payload is the one that panics kernel rxe. IBA vol 1 §9.7.4.1.6 */
    @ParameterizedTest
    @CsvSource({"0,8", "0,1024", "7,8", "9,8", "8,0", "2000,1024", "1025,1025", "0x80000001,8", "0xffffffff,8"})
    void shouldRefuseWriteOnlyWhoseLengthIsNotItsPayload(long length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.WRITE_ONLY, 0).reth(raw.memory.address(), raw.memory.rkey(), length).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, MTU})
    void shouldTakeWriteOnlyWhoseLengthIsItsPayload(int length) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.write(RawPacket.WRITE_ONLY, length).payload(length));
    }

    /** A First that already carries everything leaves nothing for the Last. */
    @ParameterizedTest
    @CsvSource({"1024,1024", "8,1024", "0,1024", "2000,1000", "2000,1028", "2000,0", "0x80000001,1024"})
    void shouldRefuseWriteFirstOfWrongSize(long length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.WRITE_FIRST, 0).reth(raw.memory.address(), raw.memory.rkey(), length).payload(payload));
    }

    @ParameterizedTest
    @CsvSource({"1500,475", "1500,477", "1500,0", "1500,1024", "2048,1023", "2049,1024"})
    void shouldRefuseWriteLastOfWrongSize(int length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.write(RawPacket.WRITE_FIRST, length).payload(MTU), raw.packet(RawPacket.WRITE_LAST, 1).payload(payload));
    }

    @ParameterizedTest
    @CsvSource({"2048,1024", "3000,1023", "3000,1025"})
    void shouldRefuseWriteMiddleOfWrongSize(int length, int payload) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.write(RawPacket.WRITE_FIRST, length).payload(MTU), raw.packet(RawPacket.WRITE_MIDDLE, 1).payload(payload));
    }

    @ParameterizedTest
    @CsvSource({"1025,1", "2048,1024", "1500,476"})
    void shouldTakeWriteOfTwoPackets(int length, int rest) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.write(RawPacket.WRITE_FIRST, length).payload(MTU), raw.packet(RawPacket.WRITE_LAST, 1).payload(rest));
    }

    /** Pad that does not match the payload: for the other end, a payload of another length. */
    @ParameterizedTest
    @CsvSource({"8,1", "8,3", "7,0", "7,2", "6,3"})
    void shouldRefuseWrongPad(int payload, int pad) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.write(RawPacket.WRITE_ONLY, payload).payload(payload).pad(pad));
        Raw twin = new Raw();
        twin.shouldTakeAll(twin.write(RawPacket.WRITE_ONLY, payload).payload(payload));
    }

    @ParameterizedTest
    @ValueSource(longs = {0x80000001L, 0xffffffffL})
    void shouldRefuseReadOfMoreThanTwoToThe31(long length) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.READ_REQUEST, 0).reth(raw.memory.address(), raw.memory.rkey(), length));
    }

    /** 2^31 itself is a length like any other: too long for this region only. */
    @ParameterizedTest
    @ValueSource(ints = {RawPacket.READ_REQUEST, RawPacket.WRITE_FIRST})
    void shouldCompareReadOrWriteOfTwoToThe31WithTheRegion(int opcode) {
        Raw raw = new Raw();
        WcStatus flushed = WcStatus.WR_FLUSH_ERR;
        raw.shouldRefuseLast(RawPacket.NAK_ACCESS, List.of(flushed, flushed, flushed), AsyncEventType.QP_ACCESS_ERR, 0,
            raw.packet(opcode, 0).reth(raw.memory.address(), raw.memory.rkey(), 0x80000000L)
                .payload(opcode == RawPacket.WRITE_FIRST ? MTU : 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7})
    void shouldRefuseUnalignedAtomicFromTheWire(int offset) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(RawPacket.COMPARE_SWAP, 0).atomic(raw.memory.address() + offset, raw.memory.rkey(), 1,
            0x5a5a5a5a5a5a5a5aL));
    }

    /** Operations that RC has reserved. IBA vol 1 §9.9.3: an invalid request; kernel rxe 6.1 drops them silently. */
    @ParameterizedTest
    @ValueSource(ints = {0x15, 0x18, 0x1b, 0x1e, 0x1f})
    void shouldRefuseReservedOperation(int opcode) {
        Raw raw = new Raw();
        raw.shouldRefuseLast(raw.packet(opcode, 0).payload(64).pad(0));
    }

    // ---------------------------------------------------------------- dropped without an answer

    private static void shouldDrop(Raw raw, String counter, byte[]... packets) {
        for (byte[] packet : packets) {
            raw.peer.sendBytes(packet);
        }
        raw.peer.expectNothingFor(1000 * MS);
        assertEquals(packets.length, raw.peer.side.counter(counter), counter);
        assertEquals(QpState.RTS, raw.peer.side.qp.state());
        assertEquals(List.of(), raw.peer.side.receives());
        assertArrayEquals(raw.before, raw.memory.memory().toArray(ValueLayout.JAVA_BYTE));
        raw.shouldTakeAll(raw.packet(RawPacket.SEND_ONLY, 0).payload(8));
    }

    /**
     * Operations of UC, RD, UD and XRC, known and reserved, requests and responses, and manufacturers' codes. The service is checked with
     * the packet's headers, and such a packet is dropped silently. IBA vol 1 §9.6.1; kernel rxe 6.1 does the same.
     */
    @ParameterizedTest
    @ValueSource(ints = {0x20, 0x24, 0x2a, 0x3f, 0x44, 0x50, 0x64, 0x65, 0x84, 0xa4, 0xb0, 0xb8, 0xc0, 0xe4, 0xff})
    void shouldDropOperationOfAnotherService(int opcode) {
        Raw raw = new Raw();
        shouldDrop(raw, "drop_wrong_service", raw.peer.bytesOf(raw.packet(opcode, 0).payload(64).ackRequest()),
            raw.peer.bytesOf(raw.packet(opcode, 5).payload(64)), raw.peer.bytesOf(raw.packet(opcode, -1).payload(64)));
        assertEquals(List.of(0L, 0L, 0L), List.of(raw.peer.side.counter("send_invalid_err"),
            raw.peer.side.counter("out_of_seq_request"), raw.peer.side.counter("duplicate_request")));
        assertEquals(List.of(), raw.peer.side.events());
    }

    /** Low 15 bits equal and not zero: IBA vol 1 §10.9.3. */
    @ParameterizedTest
    @ValueSource(ints = {0x1234, 0x8000, 0, 0xfffe, 0x7ffe})
    void shouldDropForeignPartition(int pkey) {
        Raw raw = new Raw();
        shouldDrop(raw, "drop_bad_pkey", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).pkey(pkey)));
        assertEquals(1, raw.peer.side.context.queryPort(1).badPkeyCntr());
    }

    @ParameterizedTest
    @ValueSource(ints = {0xffff, 0x7fff})
    void shouldTakeFullAndLimitedMembers(int pkey) {
        Raw raw = new Raw();
        raw.shouldTakeAll(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).pkey(pkey));
    }

    @Test
    void shouldDropWrongIcrc() {
        Raw raw = new Raw();
        shouldDrop(raw, "drop_bad_icrc", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).badIcrc()));
    }

    @Test
    void shouldDropWhatComesFromAnotherAddress() {
        Raw raw = new Raw();
        raw.peer.sendFromElsewhere(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).ackRequest());
        raw.peer.expectNothingFor(1000 * MS);
        assertEquals(1, raw.peer.side.counter("drop_wrong_address"));
        assertEquals(List.of(), raw.peer.side.receives());
    }

    @Test
    void shouldDropUnknownVersionQueuePairAndRuntPackets() {
        Raw raw = new Raw();
        shouldDrop(raw, "drop_bad_version", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).version(1)));
        raw = new Raw();
        shouldDrop(raw, "drop_unknown_qpn", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).destQpn(0)),
            raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).destQpn(0xffffff)));
        raw = new Raw();
        shouldDrop(raw, "drop_gsi_no_mad", raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(8).destQpn(1)),
            raw.peer.bytesOf(raw.packet(0x1f, 0).destQpn(1)));
        raw = new Raw();
        shouldDrop(raw, "drop_unknown_opcode", raw.peer.bytesOf(raw.packet(0x1f, 0).destQpn(3)));
        raw = new Raw();
        shouldDrop(raw, "drop_too_short", new byte[0], new byte[15]);
        raw = new Raw();
        shouldDrop(raw, "drop_bad_length", raw.peer.bytesOf(raw.packet(RawPacket.WRITE_ONLY, 0)),
            raw.peer.bytesOf(raw.packet(RawPacket.SEND_ONLY, 0).payload(4096 + 64)));
    }
}
