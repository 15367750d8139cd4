// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.rpcrdma.wire.Golden;
import org.softrdma.rpcrdma.wire.HeaderFault;

/** The server's end, message by message. Headers are those captured between Linux's client and nfsd, with nfsd's grant of 64. */
class ResponderMachineTest {
    private static final int GRANT = 64;
    private static final int SLOTS = GRANT + 8;
    private static final int INLINE = 4096;
    private static final int MAX_CALL = 1 << 20;
    private static final int WORK_BYTES = MAX_CALL + 65536;
    private static final String CALL = "00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000";

    private final TransportCounters counters = new TransportCounters();
    private RecordingResponderPort port;
    private ResponderMachine machine;

    @BeforeEach
    void begin() {
        begin(GRANT, 2, 512);
    }

    private void begin(int grant, int workBuffers, int sendQueue) {
        port = new RecordingResponderPort(grant + 8, grant + 8 + 2, INLINE, workBuffers, WORK_BYTES);
        machine = new ResponderMachine(new ResponderSettings(grant, grant + 8, INLINE, true, workBuffers, WORK_BYTES, MAX_CALL, 2,
            sendQueue), port, counters);
        machine.begin();
        assertEquals(grant + 8, port.take().size());
    }

    private void receive(int slot, String words) {
        byte[] bytes = Golden.bytes(words);
        port.received(slot).put(0, bytes);
        machine.onMessage(slot, bytes.length);
        machine.transmit();
    }

    private Exchange last() {
        return port.served.getLast();
    }

    private void reply(String words) {
        byte[] bytes = Golden.bytes(words);
        last().reply().put(bytes);
        machine.reply(last(), bytes.length);
        machine.transmit();
    }

    private void completeAll() {
        List<Long> ids = List.copyOf(port.ids);
        port.ids.clear();
        ids.forEach(machine::onCompletion);
        machine.transmit();
    }

    @Test
    void shouldAnswerNullAsNfsd() {
        receive(3, Golden.NULL_CALL);
        assertEquals(List.of("serve 40"), port.take());
        assertEquals(0x1dcf4d18, last().message().getInt(0));
        assertEquals(INLINE - 28, last().reply().remaining());
        assertEquals(0, last().nextItemBytes());
        reply(Golden.NULL_REPLY.substring(7 * 9));
        // The receive is posted again before the reply returns the credit.
        assertEquals(List.of("receive 3", "send " + Golden.NULL_REPLY), port.take());
    }

    @Test
    void shouldWriteTheDataOfAReadAsNfsd() {
        receive(0, Golden.READ_CALL);
        assertEquals(List.of("serve 104"), port.take());
        assertEquals(4096, last().nextItemBytes());
        last().nextItem().put("hello\n".getBytes(StandardCharsets.US_ASCII));
        last().itemDone(6);
        assertEquals(0, last().nextItemBytes());
        reply("27cf4d18 00000001");
        assertEquals(List.of("receive 0", "write 6 to cf1:27cf4d18c579b000",
            "send-inv cf1 " + Golden.READ_REPLY_HEADER + " 27cf4d18 00000001"), port.take());
        assertEquals(1, counters.get(TransportCounter.REPLIES_WITH_WRITE_CHUNKS));
        assertEquals(1, counters.get(TransportCounter.INVALIDATIONS));
    }

    @Test
    void shouldFetchTheDataOfAWriteAndNotInvalidateOneOfTwoKeys() {
        receive(0, Golden.WRITE_CALL_HEADER + " 31cf4d18 00000000" + " 00000000".repeat(26));
        assertEquals(List.of("read 112+131072 from b2a:31cf4d18c9f4a000", "read 131184+131072 from a15:31cf4d18c9f6a000"), port.take());
        machine.onCompletion(port.ids.removeFirst());
        assertEquals(List.of(), port.take(), "the second half is missing");
        completeAll();
        assertEquals(List.of("serve " + (112 + 262144)), port.take());
        reply("31cf4d18 00000001");
        assertTrue(port.take().getLast().startsWith("send 31cf4d18 00000001 00000040 00000000 00000000 00000000 00000000 31cf4d18"));
    }

    @Test
    void shouldAnswerInlineThoughThereIsAReplyChunk() {
        receive(0, Golden.EXCHANGE_ID_CALL);
        assertEquals(4240, last().reply().remaining());
        port.take();
        reply("57b5a988 00000001");
        assertEquals(List.of("receive 0",
            "send-inv 3b97 57b5a988 00000001 00000040 00000000 00000000 00000000 00000000 57b5a988 00000001"), port.take());
    }

    @Test
    void shouldWriteALongReplyAsNfsd() {
        receive(0, Golden.READDIRPLUS_REPLY.replace("00000388 00000000", "00000388 00000004")
            .replace("00000001 00000000 00000000 00000001 00000003", "00000000 00000000 00000000 00000001 00000003")
            + " 39cf4d18 " + CALL);
        assertEquals(List.of("serve 40"), port.take());
        machine.reply(last(), 124 + 49484);
        machine.transmit();
        assertEquals(List.of("receive 0", "write 124 to 677:39cf4d18c99cc800", "write 49484 to 52b:39cf4d18ca158000",
            "send " + Golden.READDIRPLUS_REPLY), port.take());
        assertEquals(1, counters.get(TransportCounter.LONG_REPLIES));
    }

    @Test
    void shouldTakeALongCall() {
        receive(0, "11000003 00000001 00000008 00000001 00000001 00000000 000000aa 00000028 00000000 12345678 00000000 00000000 00000000");
        assertEquals(List.of("read 0+40 from aa:12345678"), port.take());
        port.work(0).put(0, Golden.bytes("11000003 " + CALL));
        completeAll();
        assertEquals(List.of("serve 40"), port.take());
        reply("11000003 00000001");
        assertTrue(port.take().getLast().startsWith("send-inv aa 11000003"));
    }

    @Test
    void shouldRefuseALongCallWithAnotherXid() {
        receive(0, "11000003 00000001 00000008 00000001 00000001 00000000 000000aa 00000028 00000000 12345678 00000000 00000000 00000000");
        port.take();
        port.work(0).put(0, Golden.bytes("11000004 " + CALL));
        completeAll();
        assertEquals(List.of("receive 0", "send 11000003 00000001 00000040 00000004 00000002"), port.take());
        assertEquals(1, counters.get(HeaderFault.XID_MISMATCH));
    }

    @ParameterizedTest
    @CsvSource({
        "TRUNCATED, 11000004 00000001 00000008",
        "PROCEDURE, 11000004 00000001 00000008 00000002 00000004 00000004 00000000 00000000 00000000",
        "PROCEDURE, 11000004 00000001 00000008 00000005 00000000 00000000 00000000",
        "EMPTY_CHUNK, 11000004 00000001 00000008 00000000 00000000 00000001 00000000 00000000 00000000",
        "ODD_POSITION, 11000004 00000001 00000008 00000000 00000001 00000002 000000aa 00000004 00000000 00000000 00000000 00000000 "
            + "00000000",
        "POSITION_ZERO, 11000004 00000001 00000008 00000001 00000000 00000000 00000000",
        "POSITION_RANGE, 11000004 00000001 00000008 00000000 00000001 00000040 000000aa 00000004 00000000 00000000 00000000 00000000 "
            + "00000000 11000004 00000000",
        "CALL_TOO_LONG, 11000004 00000001 00000008 00000000 00000001 00000008 000000aa fffffffc 00000000 00000000 00000000 00000000 "
            + "00000000 11000004 00000000",
        "XID_MISMATCH, 11000004 00000001 00000008 00000000 00000000 00000000 00000000 11000005 00000000",
        "XID_MISMATCH, 11000004 00000001 00000008 00000000 00000000 00000000 00000000 11000004",
        "XID_MISMATCH, 11000004 00000001 00000008 00000000 00000000 00000000 00000000 11000004 00000007",
    })
    void shouldRefuseByNameAsNfsd(HeaderFault fault, String words) {
        receive(5, words);
        assertEquals(List.of("receive 5", "send " + Golden.CHUNK_ERROR), port.take());
        assertEquals(1, counters.get(fault));
        // The connection goes on.
        completeAll();
        receive(5, Golden.NULL_CALL);
        assertEquals(List.of("serve 40"), port.take());
    }

    @Test
    void shouldRefuseAnotherVersionAsNfsd() {
        receive(5, "11000003 00000002 00000008 00000000 00000000 00000000 00000000");
        assertEquals(List.of("receive 5", "send " + Golden.VERSION_ERROR), port.take());
        assertEquals(1, counters.get(HeaderFault.VERSION));
    }

    @Test
    void shouldIgnoreMessagesThatNeedNoAnswer() {
        receive(1, "11000003 00000001 00000008 00000003");
        receive(2, "11000003 00000001 00000008 00000004 00000002");
        receive(3, "11000003 00000001 00000008 00000000 00000000 00000000 00000000 11000003 00000001 00000000");
        assertEquals(List.of("receive 1", "receive 2", "receive 3"), port.take());
        assertEquals(2, counters.get(TransportCounter.IGNORED_MESSAGES));
        assertEquals(1, counters.get(TransportCounter.UNKNOWN_REPLIES));
        port.received(4).putInt(0, 7);
        machine.onMessage(4, 3);
        assertEquals(List.of("receive 4"), port.take());
        assertEquals(1, counters.get(TransportCounter.RUNTS));
    }

    @Test
    void shouldLetCallsWaitForAWorkBufferWithoutHoldingUpOthers() {
        begin(GRANT, 1, 512);
        receive(0, Golden.READ_CALL);
        receive(1, Golden.READ_CALL);
        receive(2, Golden.NULL_CALL);
        assertEquals(List.of("serve 104", "serve 40"), port.take());
        machine.reply(port.served.getFirst(), 8);
        machine.transmit();
        port.take();
        completeAll();
        assertEquals(List.of("serve 104"), port.take(), "its buffer is free when the SEND has completed");
    }

    @Test
    void shouldServeCallsBeyondCreditsWhileThereAreReceivesAndCountThem() {
        for (int i = 0; i < SLOTS; i++) {
            receive(i, Golden.NULL_CALL);
        }
        assertEquals(SLOTS, port.served.size());
        assertEquals(8, counters.get(TransportCounter.CALLS_BEYOND_CREDITS));
    }

    @Test
    void shouldPostAReplyOfManySegmentsAsPlacesBecomeFree() {
        begin(GRANT, 1, 40);
        StringBuilder call = new StringBuilder("39cf4d18 00000001 00000008 00000000 00000000 00000000 00000001 00000064");
        for (int i = 0; i < 100; i++) {
            call.append(" 00000677 00001000 00000000 00").append(String.format("%03x", i)).append("000");
        }
        receive(0, call + " 39cf4d18 " + CALL);
        port.take();
        machine.reply(last(), 100 * 4096);
        machine.transmit();
        int writes = 0;
        int rounds = 0;
        boolean sent = false;
        while (!sent) {
            List<String> posted = port.take();
            sent = posted.stream().anyMatch(each -> each.startsWith("send"));
            writes += (int) posted.stream().filter(each -> each.startsWith("write")).count();
            assertTrue(posted.size() <= 41 && rounds++ < 10, posted.size() + " at once");
            completeAll();
        }
        assertEquals(100, writes);
    }

    @Test
    void shouldRefuseAReplyThatFitsNowhere() {
        receive(0, Golden.EXCHANGE_ID_CALL);
        port.take();
        machine.reply(last(), 4241);
        machine.transmit();
        assertEquals(List.of("receive 0", "send 57b5a988 00000001 00000040 00000004 00000002"), port.take());
        assertEquals(1, counters.get(HeaderFault.REPLY_TOO_LONG));
        receive(1, Golden.NULL_CALL);
        machine.reply(last(), INLINE - 27);
        machine.transmit();
        assertEquals("send 1dcf4d18 00000001 00000040 00000004 00000002", port.take().getLast());
    }

    @Test
    void shouldForgetADroppedCall() {
        receive(0, Golden.READ_CALL);
        port.take();
        machine.drop(last());
        machine.transmit();
        assertEquals(List.of("receive 0"), port.take());
    }

    @Test
    void shouldCallTheClientWithinItsCredits() {
        int first = machine.beginCall();
        machine.call(first, 0x8e15cf1a, 40);
        int second = machine.beginCall();
        machine.call(second, 0x8e15cf1b, 40);
        assertEquals(-1, machine.beginCall());
        machine.transmit();
        assertEquals(1, port.take().size(), "one credit before the first reply");
        receive(0, "8e15cf1a 00000001 00000010 00000000 00000000 00000000 00000000 8e15cf1a 00000001 00000000 00000000 00000000 00000000");
        List<String> done = port.take();
        assertEquals("reverse reply 8e15cf1a, 24 bytes", done.getFirst());
        assertEquals("receive 0", done.get(1));
        assertTrue(done.getLast().startsWith("send 8e15cf1b 00000001 00000002 00000000 00000000 00000000 00000000"));
        receive(0, "8e15cf1b 00000001 00000010 00000004 00000002");
        assertEquals(List.of("reverse failed 8e15cf1b", "receive 0"), port.take());
        completeAll();
        assertTrue(machine.beginCall() >= 0 && machine.beginCall() >= 0);
    }

    @Test
    void shouldDropTheReplyToAnAbandonedCall() {
        machine.call(machine.beginCall(), 0x10, 40);
        machine.transmit();
        port.take();
        machine.abandonCall(0x10);
        receive(0, "00000010 00000001 00000010 00000000 00000000 00000000 00000000 00000010 00000001 00000000");
        assertEquals(List.of("receive 0"), port.take());
    }
}
