// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.softrdma.rxe.RawPeer.MS;
import static org.softrdma.rxe.RawPeer.OUR_PSN;
import static org.softrdma.rxe.RawPeer.THEIR_PSN;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.link.fault.FaultPlan;
import org.softrdma.verbs.AccessFlags;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.FlushFlags;
import org.softrdma.verbs.MemoryRegion;
import org.softrdma.verbs.QpState;
import org.softrdma.verbs.ReceiveRequest;
import org.softrdma.verbs.SendRequest;
import org.softrdma.verbs.VerbsException;
import org.softrdma.verbs.WcOpcode;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.WorkCompletion;
import org.softrdma.verbs.reason.Failure;
import org.softrdma.verbs.reason.Reason;

/** FLUSH and ATOMIC WRITE, both roles by script and both together: IBA vol 1 release 1.6, memory placement extensions. */
class MemoryPlacementTest {
    private static final int ALL = SimulatedPair.ALL_REMOTE | AccessFlags.FLUSH_GLOBAL;

    private final SimulatedPair.Setup setup = new SimulatedPair.Setup();
    private final SendRequest wr = new SendRequest();
    private RawPeer peer;
    private MemoryRegion memory;

    private void connect() {
        setup.accessA |= AccessFlags.FLUSH_GLOBAL;
        setup.accessB |= AccessFlags.FLUSH_GLOBAL;
        peer = new RawPeer(setup);
        memory = peer.side.memory(4096, ALL);
    }

    private RawPacket flush(int psn, int placement, int selectivity, long offset, int length) {
        return RawPacket.of(RawPacket.FLUSH, OUR_PSN + psn).feth(placement, selectivity)
            .reth(memory.address() + offset, memory.rkey(), length).ackRequest();
    }

    private RawPacket atomicWrite(int psn, long offset, long value) {
        return RawPacket.of(RawPacket.ATOMIC_WRITE, OUR_PSN + psn).reth(memory.address() + offset, memory.rkey(), 8)
            .payload(ByteBuffer.allocate(8).putLong(value).array()).ackRequest();
    }

    /** The eight bytes as received, most significant first. */
    private long stored(long offset) {
        return Long.reverseBytes(memory.memory().get(ValueLayout.JAVA_LONG, offset));
    }

    /** @return MSN */
    private int expectConfirmation(int psn) {
        RawPacket answer = peer.expect(RawPacket.READ_ONLY, OUR_PSN + psn);
        assertEquals(0, answer.payload().length);
        assertEquals(0x1f, answer.syndrome());
        return answer.msn();
    }

    private List<String> sends() {
        return peer.side.sends().stream().map(wc -> wc.wrId() + " " + wc.status() + " " + wc.opcode()).toList();
    }

    // ---- responder ----

    @Test
    void shouldAnswerFlushWithAnEmptyReadResponse() {
        connect();
        peer.send(flush(0, 1, 0, 0, 4096), flush(1, 1, 0, 4095, 1), flush(2, 1, 1, 1 << 20, 77));
        for (int psn = 0; psn < 3; psn++) {
            expectConfirmation(psn);
        }
        peer.send(flush(1, 1, 0, 4095, 1));
        expectConfirmation(1);
        assertEquals(QpState.RTS, peer.side.qp.state());
    }

    /** As an atomic: the MSN is that of the request. */
    @Test
    void shouldAnswerRepeatedFlushAndAtomicWriteWithTheMsnTheyHad() {
        connect();
        peer.send(flush(0, 1, 0, 0, 4096), atomicWrite(1, 8, 7), flush(2, 1, 0, 0, 4096));
        assertEquals(List.of(1, 2, 3), List.of(expectConfirmation(0), expectConfirmation(1), expectConfirmation(2)));
        peer.send(flush(0, 1, 0, 0, 4096));
        assertEquals(1, expectConfirmation(0));
        peer.send(atomicWrite(1, 8, 7));
        assertEquals(2, expectConfirmation(1));
        assertEquals(2, peer.side.counter("duplicate_request"));
    }

    @Test
    void shouldForgetOldestFlushBeyondTheDepth() {
        setup.destRdAtomic = 1;
        connect();
        peer.send(flush(0, 1, 0, 0, 4096));
        expectConfirmation(0);
        peer.send(atomicWrite(1, 8, 7));
        expectConfirmation(1);
        peer.send(flush(0, 1, 0, 0, 4096));
        peer.expectNothingFor(1000 * MS);
        assertEquals(1, peer.side.counter("drop_unknown_duplicate"));
        peer.send(atomicWrite(1, 8, 9));
        expectConfirmation(1);
        assertEquals(7, stored(8), "executed once");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 8, 0x61, no placement",
        "4, 0, 0, 8, 0x61, an unknown placement",
        "1, 2, 0, 8, 0x61, an unknown selectivity",
        "2, 0, 0, 8, 0x61, the queue pair lacks FLUSH_PERSISTENT",
        "1, 0, 4090, 8, 0x62, past the end",
    })
    void shouldRefuseFlush(int placement, int selectivity, int offset, int length, int syndrome, String why) {
        connect();
        peer.send(flush(0, placement, selectivity, offset, length));
        assertEquals(syndrome, peer.expect(RawPacket.ACK, OUR_PSN).syndrome(), why);
        assertEquals(QpState.ERR, peer.side.qp.state());
    }

    /** Placement 3 is a right of the region that it lacks, not an unknown one. */
    @Test
    void shouldRefuseFlushForBothPlacementsOfARegionThatAllowsOne() {
        setup.accessA |= AccessFlags.FLUSH_PERSISTENT;
        connect();
        peer.send(flush(0, 3, 0, 0, 8));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_ACCESS);
    }

    /** A length of 2^31 is not what is wrong with it. */
    @Test
    void shouldExplainFlushWithoutPlacement() {
        connect();
        peer.side.qp.postReceive(new ReceiveRequest().begin(1).element(memory, 0, 8));
        peer.send(flush(0, 0, 0, 0, 0x80000000));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_INVALID);
        assertEquals(Failure.of(Reason.FLUSHED).after(Failure.of(Reason.FLUSH_REACH)), peer.side.receives().getFirst().explanation());
    }

    @Test
    void shouldRefuseFlushOfRegionThatDoesNotAllowIt() {
        connect();
        MemoryRegion writable = peer.side.memory(64, SimulatedPair.ALL_REMOTE);
        peer.send(RawPacket.of(RawPacket.FLUSH, OUR_PSN).feth(1, 0).reth(writable.address(), writable.rkey(), 8));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_ACCESS);
    }

    @Test
    void shouldStoreEightBytesOnce() {
        connect();
        peer.send(atomicWrite(0, 8, 0x1122334455667788L));
        expectConfirmation(0);
        assertEquals(0x1122334455667788L, stored(8));
        assertEquals(List.of(0L, 0L), List.of(stored(0), stored(16)));
        memory.memory().set(ValueLayout.JAVA_LONG, 8, 5);
        peer.send(atomicWrite(0, 8, 0x1122334455667788L));
        expectConfirmation(0);
        assertEquals(5, memory.memory().get(ValueLayout.JAVA_LONG, 8), "a repeated one is answered, not executed");
        assertEquals(1, peer.side.counter("duplicate_request"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7})
    void shouldRefuseAtomicWriteToUnalignedAddress(int offset) {
        connect();
        peer.send(atomicWrite(0, offset, 1));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_INVALID);
        assertEquals(0, stored(0));
    }

    @Test
    void shouldRefuseAtomicWriteOfOtherLengths() {
        for (int[] lengths : new int[][] {{4, 4}, {8, 16}, {12, 8}}) {
            connect();
            peer.send(RawPacket.of(RawPacket.ATOMIC_WRITE, OUR_PSN).reth(memory.address(), memory.rkey(), lengths[1]).payload(lengths[0]));
            peer.expectSyndrome(OUR_PSN, RawPacket.NAK_INVALID);
            assertEquals(0, stored(0));
        }
    }

    @Test
    void shouldRefuseAtomicWriteWithoutTheRightToWrite() {
        connect();
        MemoryRegion readable = peer.side.memory(64, AccessFlags.REMOTE_READ);
        peer.send(RawPacket.of(RawPacket.ATOMIC_WRITE, OUR_PSN).reth(readable.address(), readable.rkey(), 8).payload(8));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_ACCESS);
        setup.accessA = AccessFlags.REMOTE_READ;
        peer = new RawPeer(setup);
        memory = peer.side.memory(64, ALL);
        peer.send(atomicWrite(0, 0, 1));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_INVALID);
    }

    /** An 8-aligned iova on memory that is not: eight bytes cannot appear there at once. */
    @Test
    void shouldRefuseAtomicWriteWhereMemoryIsNotAligned() {
        connect();
        MemorySegment odd = Arena.ofAuto().allocate(64, 64).asSlice(1, 32);
        MemoryRegion region = peer.side.pd.register(odd, 0, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        peer.send(RawPacket.of(RawPacket.ATOMIC_WRITE, OUR_PSN).reth(0, region.rkey(), 8).payload(8));
        peer.expectSyndrome(OUR_PSN, RawPacket.NAK_ACCESS);
        assertArrayEquals(new byte[32], odd.toArray(ValueLayout.JAVA_BYTE));
    }

    // ---- requester ----

    @Test
    void shouldSendFlushAndCompleteWithItsResponse() {
        connect();
        peer.side.qp.postSend(wr.flush(0x123456789aL, 0xcafe, 0x1000, FlushFlags.GLOBAL | FlushFlags.PERSISTENT, FlushFlags.REGION)
            .wrId(3).signaled());
        RawPacket sent = peer.expect(RawPacket.FLUSH, THEIR_PSN);
        assertArrayEquals(ByteBuffer.allocate(20).putInt(0x13).putLong(0x123456789aL).putInt(0xcafe).putInt(0x1000).array(),
            sent.headers());
        assertEquals(0, sent.payload().length);
        peer.send(RawPacket.ack(THEIR_PSN));
        assertEquals(THEIR_PSN & 0xffffff, peer.expect(RawPacket.FLUSH, THEIR_PSN).psn(), "a mere acknowledgement does not confirm it");
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1));
        peer.runFor(MS);
        assertEquals(List.of("3 SUCCESS FLUSH"), sends());
    }

    @Test
    void shouldSendAtomicWriteFromElementAndInline() {
        connect();
        memory.memory().set(ValueLayout.JAVA_LONG, 16, 77);
        peer.side.qp.postSend(wr.atomicWrite(0x1000, 7).wrId(1).element(memory, 16, 8).signaled());
        RawPacket sent = peer.expect(RawPacket.ATOMIC_WRITE, THEIR_PSN);
        assertArrayEquals(ByteBuffer.allocate(16).putLong(0x1000).putInt(7).putInt(8).array(), sent.headers());
        assertArrayEquals(memory.memory().asSlice(16, 8).toArray(ValueLayout.JAVA_BYTE), sent.payload());
        peer.side.qp.postSend(wr.atomicWrite(0x1008, 7).wrId(2).inlineData(MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}))
            .signaled());
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, peer.expect(RawPacket.ATOMIC_WRITE, THEIR_PSN + 1).payload());
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1));
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN + 1).aeth(0x1f, 2));
        peer.runFor(MS);
        assertEquals(List.of("1 SUCCESS ATOMIC_WRITE", "2 SUCCESS ATOMIC_WRITE"), sends());
    }

    @Test
    void shouldFailAtomicWriteOfOtherLengthsLocally() {
        connect();
        peer.side.qp.postSend(wr.atomicWrite(0x1000, 7).wrId(1).element(memory, 0, 16).signaled());
        peer.runFor(MS);
        assertEquals(List.of(WcStatus.LOC_LEN_ERR), peer.side.sendStatuses());
    }

    /** They take responder resources like READs: no more of them are in flight than the peer has. */
    @Test
    void shouldCountAgainstTheReadDepthAndHoldUpFencedRequests() {
        setup.rdAtomic = 1;
        connect();
        peer.side.qp.postSend(wr.flush(0, 1, 8, FlushFlags.GLOBAL, FlushFlags.RANGE).wrId(1).signaled());
        peer.side.qp.postSend(wr.atomicWrite(8, 1).wrId(2).element(memory, 0, 8).signaled());
        peer.side.qp.postSend(wr.write(8, 1).wrId(3).element(memory, 0, 8).fence().signaled());
        peer.expect(RawPacket.FLUSH, THEIR_PSN);
        peer.expectNothingFor(MS);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1));
        peer.expect(RawPacket.ATOMIC_WRITE, THEIR_PSN + 1);
        peer.expectNothingFor(MS);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN + 1).aeth(0x1f, 2));
        peer.expect(RawPacket.WRITE_ONLY, THEIR_PSN + 2);
    }

    @Test
    void shouldTakeDataInAConfirmationForABadResponse() {
        connect();
        peer.side.qp.postSend(wr.flush(0, 1, 8, FlushFlags.GLOBAL, FlushFlags.RANGE).signaled());
        peer.expect(RawPacket.FLUSH, THEIR_PSN);
        peer.send(RawPacket.of(RawPacket.READ_ONLY, THEIR_PSN).aeth(0x1f, 1).payload(8));
        peer.runFor(MS);
        assertEquals(List.of(WcStatus.BAD_RESP_ERR), peer.side.sendStatuses());
    }

    // ---- both ----

    /** A log on a lossy network: data, FLUSH, then ATOMIC WRITE of its length. A reader that sees a length sees the data before it. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldKeepALogOverALossyNetwork(long seed) {
        int entries = 60;
        setup.queueDepth = 256;
        setup.accessB |= AccessFlags.FLUSH_GLOBAL;
        setup.faults = FaultPlan.NONE.withLoss(0.05).withDuplication(0.05).withReordering(0.05, 20_000);
        SimulatedPair pair = new SimulatedPair(seed, setup);
        MemoryRegion log = pair.b.memory(8 + 8L * entries, ALL);
        MemoryRegion local = pair.a.memory(16L * entries, SimulatedPair.ALL_REMOTE);
        for (int i = 0; i < entries; i++) {
            local.memory().set(ValueLayout.JAVA_LONG, 16L * i, 1000 + i);
            local.memory().set(ValueLayout.JAVA_LONG, 16L * i + 8, i + 1);
            pair.a.qp.postSend(wr.write(log.address() + 8 + 8L * i, log.rkey()).element(local, 16L * i, 8));
            pair.a.qp.postSend(wr.flush(log.address(), log.rkey(), 0, FlushFlags.GLOBAL, FlushFlags.REGION));
            pair.a.qp.postSend(wr.atomicWrite(log.address(), log.rkey()).wrId(i).element(local, 16L * i + 8, 8).signaled());
        }
        long[] seen = {0};
        pair.runUntil(() -> {
            long length = log.memory().get(ValueLayout.JAVA_LONG, 0);
            if (length < seen[0] || length > 0 && log.memory().get(ValueLayout.JAVA_LONG, 8 * length) != 999 + length) {
                throw new AssertionError("length " + length + " after " + seen[0] + ", seed " + seed);
            }
            seen[0] = length;
            return pair.a.sends().size() == entries;
        });
        assertEquals(entries, seen[0]);
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses().stream().distinct().toList(), "seed " + seed);
        assertEquals(List.of(WcOpcode.ATOMIC_WRITE), pair.a.sends().stream().map(WorkCompletion::opcode).distinct().toList());
    }

    @Test
    void shouldFlushAMappedFile(@TempDir Path directory) throws IOException {
        int persistent = AccessFlags.FLUSH_PERSISTENT;
        setup.accessB |= AccessFlags.FLUSH_ANY;
        SimulatedPair pair = new SimulatedPair(1, setup);
        VerbsException refused = assertThrows(VerbsException.class,
            () -> pair.b.pd.register(Arena.ofAuto().allocate(64), persistent));
        assertEquals(Errno.EINVAL, refused.errno());
        Path file = directory.resolve("log");
        Files.write(file, new byte[8192]);
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            MemoryRegion region = pair.b.pd.register(mapped, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | persistent);
            pair.a.qp.postSend(wr.write(region.address() + 5000, region.rkey()).inlineData(MemorySegment.ofArray(new byte[] {42})));
            pair.a.qp.postSend(wr.flush(region.address() + 5000, region.rkey(), 1, FlushFlags.PERSISTENT, FlushFlags.RANGE).signaled());
            pair.runUntil(() -> !pair.a.sends().isEmpty());
            assertEquals(List.of(WcStatus.SUCCESS), pair.a.sendStatuses());
            assertEquals(42, Files.readAllBytes(file)[5000]);
            arena.close();
            pair.a.qp.postSend(wr.flush(region.address(), region.rkey(), 1, FlushFlags.PERSISTENT, FlushFlags.RANGE).signaled());
            pair.runUntil(() -> pair.a.sends().size() == 2);
            assertEquals(WcStatus.REM_OP_ERR, pair.a.sends().get(1).status(), "what cannot be made persistent is not confirmed");
        }
    }

    @Test
    void shouldSayThatItIsThere() {
        SimulatedPair pair = new SimulatedPair(1, setup);
        long flags = pair.a.context.queryDevice().deviceCapFlagsEx();
        assertEquals(0x7L << 38, flags & 0x7L << 38, "FLUSH_GLOBAL, FLUSH_PERSISTENT, ATOMIC_WRITE");
        assertEquals(pair.a.context.queryDevice().deviceCapFlags(), (int) flags, "the lower half is the old field");
    }
}
