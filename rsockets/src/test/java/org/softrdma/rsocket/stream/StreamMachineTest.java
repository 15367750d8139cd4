// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.verbs.Errno;

/**
 * One machine and a script for the other end. Messages are written KIND:VALUE: 0 is data, 4 credits, 7 control with 0 disconnect and 2
 * shutdown. Sizes and points in time are those of librdmacm 44.
 */
class StreamMachineTest {
    private static final int RING = 8192;
    private static final int HALF = RING / 2;
    private static final int RECEIVES = 32;
    private static final int TRANSFERS = 12;
    private static final int CONTROLS = 4;
    private static final int PEERS_CREDITS = 40;
    private static final long SECOND = 1_000_000_000L;

    private final RecordingPort port = new RecordingPort();
    private final ByteBuffer sendRing = ByteBuffer.allocate(4 * RING);
    private final ByteBuffer receiveRing = ByteBuffer.allocate(RING);
    private final ByteBuffer targets = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
    private StreamMachine machine = machine(Signalling.IMMEDIATE, 0);

    private StreamMachine machine(Signalling signalling, long keepAliveNs) {
        return new StreamMachine(port, new StreamSettings(signalling, TRANSFERS, CONTROLS, RECEIVES, keepAliveNs), sendRing, receiveRing,
            targets);
    }

    /**
     * Connects to a peer whose list is at 1000/aa and whose first buffer is at 20000/bb.
     *
     * @return messages sent at once
     */
    private List<String> begin(long firstBuffer) {
        machine.begin(new ConnectionData(ByteOrder.LITTLE_ENDIAN, PEERS_CREDITS, new RemoteBuffer(0x1000, 0xaa, 2),
            new RemoteBuffer(0x20000, 0xbb, firstBuffer)), 0);
        return transmit();
    }

    private List<String> transmit() {
        machine.transmit();
        return port.take();
    }

    private int write(int bytes) throws StreamException {
        return machine.write(ByteBuffer.allocate(bytes));
    }

    private int read(int atMost) throws StreamException {
        return machine.read(ByteBuffer.allocate(atMost));
    }

    private void message(int kind, int number) {
        machine.onMessage(kind << 29 | number);
    }

    private void sent(int kind, int number) {
        machine.onSent(kind << 29 | number);
    }

    /** Writes an entry of the target list as the peer does. */
    private void grantUs(int entry, long address, int key, int length) {
        targets.putLong(16 * entry, address).putInt(16 * entry + 8, key).putInt(16 * entry + 12, length);
    }

    private static void assertViolation(Violation expected, Executable call) {
        StreamException thrown = assertThrows(StreamException.class, call);
        assertEquals(expected, thrown.violation());
        assertEquals(Errno.EPROTO, thrown.errno());
    }

    // ---- granting ----

    /** The first half is granted with the connection; 16 bytes in the second entry grant the other half. */
    @Test
    void shouldGrantTheSecondHalfAtOnce() {
        assertEquals(List.of("grant 4096+4096 to 1010/aa: 4:32"), begin(HALF));
        assertEquals(List.of(), transmit());
    }

    @Test
    void shouldGrantAHalfWhenItWasRead() throws StreamException {
        begin(HALF);
        message(0, HALF);
        message(0, 100);
        assertEquals(HALF - 1, read(HALF - 1));
        assertEquals(List.of(), transmit());
        assertEquals(1, read(1));
        assertEquals(List.of("grant 0+4096 to 1000/aa: 4:34"), transmit());
        assertEquals(100, read(HALF));
        message(0, HALF - 100);
        assertEquals(HALF - 100, read(HALF));
        assertEquals(List.of("grant 4096+4096 to 1010/aa: 4:35"), transmit());
    }

    @Test
    void shouldReadAroundTheEndOfTheRing() throws StreamException {
        begin(HALF);
        message(0, HALF);
        message(0, HALF - 3);
        assertEquals(RING - 3, read(RING));
        receiveRing.put(RING - 3, "abcdef".getBytes(), 0, 3).put(0, "def".getBytes());
        transmit();
        message(0, 3);
        message(0, 3);
        ByteBuffer into = ByteBuffer.allocate(10);
        assertEquals(6, machine.read(into));
        assertEquals("abcdef", new String(into.array(), 0, 6));
        assertEquals(0, machine.read(into));
    }

    /** Credits are renewed when half the receives were used, before the peer runs out of them. */
    @Test
    void shouldGiveCreditsAfterHalfTheMessages() throws StreamException {
        begin(HALF);
        for (int i = 0; i < RECEIVES / 2 - 1; i++) {
            message(0, 1);
            assertEquals(List.of(), transmit());
        }
        message(0, 1);
        assertEquals(List.of("4:48"), transmit());
        assertEquals(List.of(), transmit());
    }

    @Test
    void shouldWaitForARequestToGrantWith() throws StreamException {
        begin(HALF);
        for (int i = 0; i < 4; i++) {
            message(0, HALF);
            assertEquals(HALF, read(HALF));
            transmit();
        }
        // Four work requests are outstanding, among them the first grant.
        message(0, HALF);
        assertEquals(HALF, read(HALF));
        assertEquals(List.of(), transmit());
        sent(4, 32);
        assertEquals(1, transmit().size());
    }

    // ---- sending ----

    /** Transfers grow from 2 KiB to 64 KiB within the target; the rest is written to the next target, once the peer grants it. */
    @Test
    void shouldSendInGrowingTransfers() throws StreamException {
        begin(10_000);
        assertEquals(10_000, write(20_000));
        assertEquals(List.of("write 0+2048 to 20000/bb: 0:2048", "write 2048+4096 to 20800/bb: 0:4096",
            "write 6144+3856 to 21800/bb: 0:3856"), port.take());
        assertEquals(0, write(1));
        grantUs(1, 0x70000, 0xcc, 5000);
        assertEquals(5000, write(20_000));
        assertEquals(List.of("write 10000+2048 to 70000/cc: 0:2048", "write 12048+2952 to 70800/cc: 0:2952"), port.take());
        grantUs(0, 0x80000, 0xdd, 1);
        assertEquals(1, write(2));
        assertEquals(List.of("write 15000+1 to 80000/dd: 0:1"), port.take());
    }

    /** An entry that was taken is cleared, so that the peer's next one is recognized without a notification. */
    @Test
    void shouldTakeATargetOnce() throws StreamException {
        begin(10);
        grantUs(1, 0x70000, 0xcc, 10);
        assertEquals(20, write(100));
        assertEquals(0, write(100));
        assertEquals(0, targets.getLong(16) | targets.getLong(24));
        // Half of an entry does not count.
        targets.putInt(8, 0xdd).putInt(12, 10);
        assertFalse(machine.isWritable());
        targets.putLong(0, 0x90000);
        assertTrue(machine.isWritable());
    }

    /** Each message takes one of the peer's receives. */
    @Test
    void shouldStopWhenTheCreditsAreUsed() throws StreamException {
        begin(HALF);
        for (int i = 0; i < PEERS_CREDITS; i++) {
            assertEquals(1, write(1));
            sent(0, 1);
        }
        assertEquals(0, write(1));
        message(4, PEERS_CREDITS + 1);
        assertEquals(2, write(2));
        assertEquals(0, write(2));
    }

    /** Credits count messages modulo 2^16. */
    @Test
    void shouldCountMessagesPast65535() throws StreamException {
        begin(Integer.MAX_VALUE);
        for (int i = 0; i < 70_000; i++) {
            assertEquals(1, write(1), "message " + i);
            sent(0, 1);
            message(4, i + 1 + PEERS_CREDITS & 0xffff);
        }
    }

    @Test
    void shouldStopWhenAllRequestsAreUnderWay() throws StreamException {
        begin(HALF);
        for (int i = 0; i < TRANSFERS; i++) {
            assertEquals(1, write(1));
        }
        assertEquals(0, write(1));
        sent(0, 1);
        assertEquals(1, write(1));
    }

    @Test
    void shouldStopWhenTheRingIsFull() throws StreamException {
        begin(Integer.MAX_VALUE);
        int room = sendRing.capacity();
        assertEquals(room, write(3 * room));
        sent(0, 2047);
        assertEquals(0, write(10));
        sent(0, 1);
        port.take();
        assertEquals(2048, write(4000));
        assertEquals(1, port.take().size());
    }

    /** iWARP: a transfer takes two requests, and so does a grant. */
    @Test
    void shouldCountASendBehindEachTransfer() throws StreamException {
        machine = machine(Signalling.SEND, 0);
        assertEquals(List.of("grant 4096+4096 to 1010/aa: 4:32"), begin(HALF));
        for (int i = 0; i < TRANSFERS / 2; i++) {
            assertEquals(1, write(1));
        }
        assertEquals(0, write(1));
        sent(0, 1);
        assertEquals(0, write(1));
        sent(0, 0);
        assertEquals(1, write(1));
        port.take();

        message(0, HALF);
        read(HALF);
        assertEquals(1, transmit().size());
        message(0, HALF);
        read(HALF);
        assertEquals(List.of(), transmit());
        sent(4, 32);
        assertEquals(List.of(), transmit());
        sent(4, 0);
        assertEquals(1, transmit().size());
    }

    // ---- ends ----

    @Test
    void shouldDisconnectAndBeDoneWhenThatHasArrived() throws StreamException {
        begin(HALF);
        sent(4, 32);
        assertEquals(5, write(5));
        port.take();
        machine.disconnect();
        assertEquals(List.of("7:0"), transmit());
        assertFalse(machine.isIdle());
        sent(0, 5);
        assertFalse(machine.isIdle());
        sent(7, 0);
        assertTrue(machine.isIdle());
        assertFalse(machine.isConnected());
        assertEquals(-1, read(1));
        assertEquals(-1, write(1));
    }

    @Test
    void shouldReadWhatCameBeforeTheGoodbye() throws StreamException {
        begin(HALF);
        message(0, 10);
        message(7, 0);
        assertTrue(machine.isReadable());
        assertEquals(10, read(100));
        assertEquals(-1, read(100));
        assertEquals(Errno.ECONNRESET, assertThrows(StreamException.class, () -> write(1)).errno());
        assertEquals(List.of(), transmit());
    }

    @Test
    void shouldCloseHalf() throws StreamException {
        begin(HALF);
        machine.shutdownOutput();
        assertEquals(List.of("7:2"), transmit());
        assertEquals(-1, write(1));
        message(0, 7);
        assertEquals(7, read(100));
        assertEquals(0, read(100));
        message(7, 2);
        assertEquals(-1, read(100));
        assertFalse(machine.isConnected(), "both directions are over");
    }

    @Test
    void shouldWriteAfterThePeerHasClosedHalf() throws StreamException {
        begin(HALF);
        message(0, 1);
        message(7, 2);
        assertEquals(1, read(100));
        assertEquals(-1, read(100));
        assertEquals(3, write(3));
        port.take();
        machine.shutdownOutput();
        assertEquals(List.of("7:0"), transmit(), "nothing is left to be shut down");
    }

    @Test
    void shouldSayGoodbyeWhenBothDirectionsAreShutDown() {
        begin(HALF);
        machine.shutdownInput();
        assertEquals(List.of(), transmit());
        machine.shutdownOutput();
        assertEquals(List.of("7:0"), transmit());
    }

    /** Without the goodbye the peer would wait until the connection ends, and report a reset. */
    @Test
    void shouldStillSayGoodbyeWhenThePeersComesBeforeItCould() throws StreamException {
        begin(HALF);
        machine.shutdownOutput();
        message(7, 2);
        assertEquals(-1, read(1));
        assertEquals(List.of("7:0"), transmit());
        assertTrue(machine.isConnected());
        sent(7, 0);
        assertFalse(machine.isConnected());
    }

    @Test
    void shouldSayThatThePeerVanished() throws StreamException {
        begin(HALF);
        message(0, 10);
        machine.onReset();
        assertEquals(10, read(100));
        assertEquals(Errno.ECONNRESET, assertThrows(StreamException.class, () -> read(1)).errno());
        assertTrue(machine.isIdle(), "there is no peer left to wait for");
    }

    @Test
    void shouldNotMindThePeerVanishingAfterItsGoodbye() throws StreamException {
        begin(HALF);
        message(7, 0);
        machine.onReset();
        assertEquals(-1, read(1));
    }

    // ---- keep-alives ----

    @Test
    void shouldSendKeepAlives() {
        machine = machine(Signalling.IMMEDIATE, 5 * SECOND);
        begin(HALF);
        assertEquals(5 * SECOND, machine.deadlineNs());
        machine.onTimer(5 * SECOND - 1);
        assertEquals(List.of(), port.take());
        machine.onTimer(5 * SECOND);
        assertEquals(List.of("keep-alive"), port.take());
        assertEquals(10 * SECOND, machine.deadlineNs());
        // Keep-alives and the grant take all four work requests.
        for (int i = 2; i < 10; i++) {
            machine.onTimer(5 * i * SECOND);
        }
        assertEquals(List.of("keep-alive", "keep-alive"), port.take());
        sent(7, 1);
        machine.onTimer(1000 * SECOND);
        assertEquals(List.of("keep-alive"), port.take());
        assertTrue(machine.isConnected());
    }

    // ---- hostile peers ----

    @ParameterizedTest
    @CsvSource({"1, 0, RESERVED_MESSAGE", "2, 100, RESERVED_MESSAGE", "3, 0, RESERVED_MESSAGE", "5, 536870911, RESERVED_MESSAGE",
        "0, 4097, DATA_BEYOND_GRANT", "0, 536870911, DATA_BEYOND_GRANT", "6, 0, IOMAP_BEYOND_LIST", "6, 65535, IOMAP_BEYOND_LIST",
        "4, 42, CREDITS_BEYOND_RECEIVES", "4, 0, CREDITS_BEYOND_RECEIVES"})
    void shouldEndTheStreamOnAViolation(int kind, int number, Violation violation) throws StreamException {
        machine.begin(new ConnectionData(ByteOrder.LITTLE_ENDIAN, PEERS_CREDITS, new RemoteBuffer(0x1000, 0xaa, 2),
            new RemoteBuffer(0x20000, 0xbb, HALF)), 0);
        assertEquals(1, write(1));
        // Only the first half is granted, and 40 credits from message 1 on permit messages up to 41.
        message(kind, number);
        assertViolation(violation, () -> write(1));
        assertViolation(violation, () -> read(1));
        assertTrue(machine.hasFailed());
        message(0, 1);
        assertViolation(violation, () -> read(1));
    }

    @Test
    void shouldBelieveTheLargestRightValues() throws StreamException {
        machine.begin(new ConnectionData(ByteOrder.LITTLE_ENDIAN, PEERS_CREDITS, new RemoteBuffer(0x1000, 0xaa, 2),
            new RemoteBuffer(0x20000, 0xbb, HALF)), 0);
        assertEquals(1, write(1));
        message(0, HALF);
        message(4, PEERS_CREDITS + 1);
        message(7, 1);
        message(7, 12345);
        assertTrue(machine.isConnected());
        assertEquals(HALF, read(RING));
    }

    @Test
    void shouldReadWhatCameBeforeAViolation() throws StreamException {
        begin(HALF);
        message(0, 10);
        message(7, 2);
        message(0, 10);
        assertEquals(10, read(100));
        assertViolation(Violation.DATA_AFTER_SHUTDOWN, () -> read(1));
    }

    /** Empty messages take a receive, too. */
    @Test
    void shouldFailOnMessagesBeyondCredits() {
        begin(HALF);
        // No credits are sent after a goodbye.
        machine.shutdownInput();
        machine.shutdownOutput();
        machine.transmit();
        for (int i = 0; i < RECEIVES; i++) {
            message(0, 0);
            machine.transmit();
            assertTrue(machine.isConnected());
        }
        message(0, 0);
        assertViolation(Violation.MESSAGES_BEYOND_CREDITS, () -> read(1));
    }

    @Test
    void shouldFailWithTheFirstFailure() {
        begin(HALF);
        machine.onFailure("wr_id 5 REM_ACCESS_ERR");
        machine.onReset();
        message(1, 0);
        StreamException thrown = assertThrows(StreamException.class, () -> write(1));
        assertEquals(Errno.EIO, thrown.errno());
        assertTrue(thrown.getMessage().contains("REM_ACCESS_ERR"), thrown.getMessage());
        assertEquals(List.of(), transmit());
    }

    @Test
    void shouldMindASendThatIsNoMessage() {
        begin(HALF);
        machine.onMalformed(3);
        assertViolation(Violation.MALFORMED_MESSAGE, () -> read(1));
    }
}
