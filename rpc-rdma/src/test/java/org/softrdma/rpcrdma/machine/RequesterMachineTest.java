// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.rpcrdma.wire.Golden;
import org.softrdma.rpcrdma.wire.HeaderFault;

/** The client's end, message by message; the server's messages are nfsd's. */
class RequesterMachineTest implements RequesterPort {
    private static final int CALLS = 4;
    private static final String NULL = Golden.NULL_CALL.substring(7 * 9);
    private static final String READ = Golden.READ_CALL.substring(13 * 9);

    private final List<String> done = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private final TransportCounters counters = new TransportCounters();
    private final ByteBuffer[] received = new ByteBuffer[CALLS + 1];
    private final ByteBuffer[] outgoing = new ByteBuffer[CALLS + 1];
    private int nextKey;
    private RequesterMachine machine;

    @BeforeEach
    void begin() {
        begin(true);
    }

    private void begin(boolean windows) {
        for (int i = 0; i < received.length; i++) {
            received[i] = ByteBuffer.allocate(4096);
            outgoing[i] = ByteBuffer.allocate(4096);
        }
        nextKey = 0xcf1;
        machine = new RequesterMachine(new RequesterSettings(CALLS, CALLS + 1, 1, windows, 128), this, counters);
        machine.begin();
        machine.onConnected(4096, 0);
        take();
    }

    private List<String> take() {
        List<String> taken = new ArrayList<>(done);
        done.clear();
        return taken;
    }

    private void call(String words, Exposure... exposures) {
        ByteBuffer message = Golden.buffer(words);
        assertTrue(machine.call(message.getInt(0), message, List.of(exposures)) != null);
        machine.transmit();
    }

    private void receive(int slot, String words, int invalidated) {
        byte[] bytes = Golden.bytes(words);
        received[slot].put(0, bytes);
        machine.onMessage(slot, bytes.length, invalidated);
        machine.transmit();
    }

    private void completeAll() {
        List<Long> all = List.copyOf(ids);
        ids.clear();
        all.forEach(machine::onCompletion);
        machine.transmit();
    }

    private static Exposure readData() {
        return new Exposure(Exposure.Kind.WRITE, 0, 7, 0x99, 0x27cf4d18c579b000L, 4096);
    }

    @Test
    void shouldCallAsTheLinuxClient() {
        call(NULL);
        assertEquals(List.of("send " + Golden.NULL_CALL.replace("00000080", "00000004")), take());
        receive(0, Golden.NULL_REPLY, 0);
        assertEquals(List.of("completed 1dcf4d18, 24 bytes", "receive 0"), take());
        assertFalse(machine.isIdle() && !machine.canTake());
    }

    @Test
    void shouldExposeMemoryAsTheLinuxClientAndTakeItsInvalidation() {
        call(READ, readData());
        assertEquals(List.of("bind cf1", "send " + Golden.READ_CALL.replace("00000080", "00000004")), take());
        receive(0, Golden.READ_REPLY_HEADER + " 27cf4d18 00000001", 0xcf1);
        assertEquals(List.of("completed 27cf4d18, 8 bytes, written 6", "receive 0"), take());
    }

    @Test
    void shouldInvalidateMemoryBeforeItReportsTheReply() {
        call(READ, readData());
        completeAll();
        take();
        receive(0, Golden.READ_REPLY_HEADER + " 27cf4d18 00000001", 0);
        assertEquals(List.of("invalidate cf1"), take());
        completeAll();
        assertEquals(List.of("completed 27cf4d18, 8 bytes, written 6", "receive 0"), take());
    }

    @Test
    void shouldExposeRegionsByTheirKeys() {
        begin(false);
        call(READ, readData());
        assertEquals(List.of("send " + Golden.READ_CALL.replace("00000080", "00000004").replace("00000cf1", "00000099")), take());
        receive(0, Golden.READ_REPLY_HEADER.replace("00000cf1", "00000099") + " 27cf4d18 00000001", 0);
        assertEquals(List.of("completed 27cf4d18, 8 bytes, written 6", "receive 0"), take());
    }

    @Test
    void shouldKeepWithinTheCreditsOfTheServer() {
        call(NULL);
        call(NULL.replace("1dcf4d18", "1dcf4d19"));
        call(NULL.replace("1dcf4d18", "1dcf4d1a"));
        assertEquals(1, take().size(), "one credit before the first reply");
        receive(0, Golden.NULL_REPLY.replace("00000040", "00000002"), 0);
        assertEquals(2, take().stream().filter(each -> each.startsWith("send")).count());
        receive(1, Golden.NULL_REPLY.replace("1dcf4d18", "1dcf4d19").replace("00000040", "00000000"), 0);
        call(NULL);
        assertEquals(0, take().stream().filter(each -> each.startsWith("send")).count(), "a grant of 0 is taken for 1");
    }

    @Test
    void shouldSendUnansweredCallsAgainWithTheSameXid() {
        call(READ, readData());
        take();
        machine.onDisconnected();
        machine.begin();
        machine.onConnected(4096, 0);
        machine.transmit();
        List<String> again = take();
        assertEquals("bind cf2", again.get(again.size() - 2));
        assertEquals("send " + Golden.READ_CALL.replace("00000080", "00000004").replace("00000cf1", "00000cf2"), again.getLast());
    }

    private void reconnect(int gatheredBytes) {
        machine.onDisconnected();
        machine.begin();
        machine.onConnected(4096, gatheredBytes);
        machine.transmit();
    }

    private static Exposure writeData(int position, int length) {
        return new Exposure(Exposure.Kind.READ, position, 7, 0x99, 0x1000, length);
    }

    /** The same message as without chunks: RFC 8166, section 3.4.2, leaves the choice to the sender. */
    @Test
    void shouldSendDataInlineThatTheServerReceives() {
        reconnect(28 + 16 + 8000);
        take();
        call("00000007 00000000 00000011 00000022", writeData(8, 8000));
        assertEquals(List.of("send 00000007 00000001 00000004 00000000 00000000 00000000 00000000 00000007 00000000, "
            + "8000 bytes at 1000 by key 7, 00000011 00000022"), take());
        receive(0, Golden.NULL_REPLY.replace("1dcf4d18", "00000007"), 0);
        assertEquals(List.of(), take(), "the memory may be sent again");
        completeAll();
        assertEquals(List.of("completed 7, 24 bytes, written 0", "receive 0"), take());
        assertTrue(machine.isIdle());
    }

    @Test
    void shouldReportACallWithDataOnceItIsSent() {
        reconnect(8192);
        take();
        call("00000007 00000000", writeData(8, 8000));
        completeAll();
        take();
        receive(0, Golden.NULL_REPLY.replace("1dcf4d18", "00000007"), 0);
        assertEquals(List.of("completed 7, 24 bytes, written 0", "receive 0"), take());
    }

    @Test
    void shouldReportACallWithDataWhoseConnectionEndsAfterTheReply() {
        reconnect(8192);
        call("00000007 00000000", writeData(8, 8000));
        receive(0, Golden.NULL_REPLY.replace("1dcf4d18", "00000007"), 0);
        take();
        machine.onDisconnected();
        assertEquals(List.of("completed 7, 24 bytes, written 0"), take());
        assertTrue(machine.isIdle());
    }

    @ParameterizedTest
    @CsvSource({
        // a byte too long for the server; padding would be needed; behind the end of the message
        "8, 8000, 8035",
        "8, 7999, 9000",
        "12, 8000, 9000",
    })
    void shouldExposeDataThatCannotGoInline(int position, int length, int gatheredBytes) {
        reconnect(gatheredBytes);
        take();
        call("00000007 00000000", writeData(position, length));
        assertEquals("bind cf1", take().getFirst());
    }

    @Test
    void shouldExposeDataOfACallThatAlsoTakesSome() {
        reconnect(9000);
        take();
        call("00000007 00000000", writeData(8, 8000), readData());
        assertEquals(List.of("bind cf1", "bind cf2"), take().subList(0, 2));
    }

    @Test
    void shouldDecideOnEachConnectionWhetherDataGoInline() {
        reconnect(8192);
        call("00000007 00000000", writeData(8, 8000));
        take();
        reconnect(4096);
        List<String> exposed = take();
        assertEquals("bind cf1", exposed.get(exposed.size() - 2));
        assertEquals("send 00000007 00000001 00000004 00000000 00000001 00000008 00000cf1 00001f40 00000000 00001000 00000000 00000000 "
            + "00000000 00000007 00000000", exposed.getLast());
        reconnect(8192);
        assertEquals("send 00000007 00000001 00000004 00000000 00000000 00000000 00000000 00000007 00000000, 8000 bytes at 1000 by key 7, ",
            take().getLast());
        ids.clear();
        receive(0, Golden.NULL_REPLY.replace("1dcf4d18", "00000007"), 0);
        assertEquals(List.of(), take(), "the window of the connection before has ended with it");
    }

    @Test
    void shouldFailACallThatTheNextServerDoesNotReceive() {
        call(READ, readData());
        take();
        machine.onDisconnected();
        machine.begin();
        machine.onConnected(100, 0);
        machine.transmit();
        assertEquals("failed 27cf4d18 CALL_TOO_LONG", take().getLast());
        assertTrue(machine.isIdle());
    }

    @ParameterizedTest
    @CsvSource({
        "REFUSED, 27cf4d18 00000001 00000040 00000004 00000002",
        "VERSION, 27cf4d18 00000002 00000040 00000004 00000001 00000001 00000001",
        "PROCEDURE, 27cf4d18 00000001 00000040 00000007 00000002",
        "TRUNCATED, 27cf4d18 00000001 00000040 00000000 00000000",
        // a read list; two write chunks; two segments; longer than the chunk; a reply chunk that was not offered
        "REPLY_CHUNKS, 27cf4d18 00000001 00000040 00000000 00000001 00000004 00000cf1 00000004 00000000 00000000 00000000 00000000 "
            + "00000000",
        "REPLY_CHUNKS, 27cf4d18 00000001 00000040 00000000 00000000 00000001 00000001 00000cf1 00000006 27cf4d18 c579b000 00000001 "
            + "00000001 "
            + "00000cf1 00000006 27cf4d18 c579b000 00000000 00000000 27cf4d18 00000001",
        "REPLY_CHUNKS, 27cf4d18 00000001 00000040 00000000 00000000 00000001 00000002 00000cf1 00000006 27cf4d18 c579b000 00000cf1 "
            + "00000006 "
            + "27cf4d18 c579b000 00000000 00000000 27cf4d18 00000001",
        "REPLY_CHUNKS, 27cf4d18 00000001 00000040 00000000 00000000 00000001 00000001 00000cf1 00001001 27cf4d18 c579b000 00000000 "
            + "00000000 "
            + "27cf4d18 00000001",
        "REPLY_CHUNKS, 27cf4d18 00000001 00000040 00000001 00000000 00000000 00000001 00000001 00000cf1 00000064 57b5a988 c93b6000",
        "XID_MISMATCH, 27cf4d18 00000001 00000040 00000000 00000000 00000000 00000000 27cf4d19 00000001",
        "XID_MISMATCH, 27cf4d18 00000001 00000040 00000000 00000000 00000000 00000000 27cf4d18",
    })
    void shouldFailACallByName(HeaderFault fault, String words) {
        call(READ, readData());
        take();
        receive(0, words, 0xcf1);
        assertEquals(List.of("failed 27cf4d18 " + fault, "receive 0"), take());
        assertEquals(1, counters.get(TransportCounter.BAD_REPLIES));
    }

    @Test
    void shouldDropWhatBelongsToNoCall() {
        receive(0, Golden.NULL_REPLY, 0);
        receive(1, "1dcf4d18 00000001 00000040", 0);
        receive(2, "1dcf4d18 00000002 00000040 00000000 00000000 00000000 00000000", 0);
        receive(3, "1dcf4d18 00000001 00000040 00000003", 0);
        assertEquals(List.of("receive 0", "receive 1", "receive 2", "receive 3"), take());
        assertEquals(1, counters.get(TransportCounter.UNKNOWN_REPLIES));
        assertEquals(1, counters.get(HeaderFault.TRUNCATED));
        assertEquals(1, counters.get(HeaderFault.VERSION));
        assertEquals(1, counters.get(TransportCounter.IGNORED_MESSAGES));
    }

    @Test
    void shouldAnswerCallsOfTheServerWithinItsLimit() {
        String callback = "8e15cf1a 00000001 00000020 00000000 00000000 00000000 00000000 8e15cf1a 00000000 00000002 40000000 00000001";
        receive(0, callback, 0);
        receive(1, callback.replace("8e15cf1a", "8e15cf1b"), 0);
        assertEquals(List.of("reverse 0, 20 bytes", "receive 1"), take());
        assertEquals(1, counters.get(TransportCounter.REVERSE_OVERRUNS));
        machine.reverseReply(0).putInt(28, 0x8e15cf1a).putInt(32, 1);
        machine.replyToReverse(0, 8);
        assertEquals(List.of("receive 0", "send 8e15cf1a 00000001 00000001 00000000 00000000 00000000 00000000 8e15cf1a 00000001"), take());
        machine.replyToReverse(0, 8);
        assertEquals(List.of(), take(), "answered already");
    }

    @Override
    public void postReceive(int slot) {
        done.add("receive " + slot);
    }

    @Override
    public int postBind(long id, boolean reporting, int window, Exposure memory) {
        done.add("bind " + Integer.toHexString(nextKey));
        return nextKey++;
    }

    @Override
    public void postInvalidate(long id, boolean reporting, int rkey) {
        ids.add(id);
        done.add("invalidate " + Integer.toHexString(rkey));
    }

    @Override
    public void postSend(long id, int buffer, int length) {
        ids.add(id);
        done.add("send " + Golden.words(outgoing[buffer], length));
    }

    @Override
    public void postGatheredSend(long id, int buffer, int start, int before, Exposure memory, int after) {
        ids.add(id);
        ByteBuffer parts = outgoing[buffer];
        done.add("send " + Golden.words(parts.slice(start, before), before) + ", " + memory.length() + " bytes at "
            + Long.toHexString(memory.address()) + " by key " + memory.lkey() + ", "
            + Golden.words(parts.slice(start + before, after), after));
    }

    @Override
    public ByteBuffer received(int slot) {
        return received[slot];
    }

    @Override
    public ByteBuffer outgoing(int buffer) {
        return outgoing[buffer];
    }

    @Override
    public void completed(ClientCall call, ByteBuffer b, int at) {
        done.add("completed " + Integer.toHexString(call.xid()) + ", " + call.replyBytes() + " bytes"
            + (call.exposed() > 0 ? ", written " + call.written(0) : ""));
    }

    @Override
    public void failed(ClientCall call, HeaderFault fault) {
        done.add("failed " + Integer.toHexString(call.xid()) + " " + fault);
    }

    @Override
    public void reverseCall(int number, ByteBuffer message, int at, int length) {
        done.add("reverse " + number + ", " + length + " bytes");
    }
}
