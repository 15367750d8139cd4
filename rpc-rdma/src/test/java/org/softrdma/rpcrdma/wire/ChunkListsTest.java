// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkListsTest {
    private final ChunkLists lists = new ChunkLists();

    private HeaderFault parse(String words) {
        ByteBuffer b = Golden.buffer(words);
        return lists.parse(b, 0, b.capacity());
    }

    @Test
    void shouldReadTheLinuxClientsRead() {
        assertNull(parse(Golden.READ_CALL));
        assertEquals(0, lists.reads());
        assertEquals(1, lists.writes());
        assertEquals(-1, lists.replyChunk());
        assertEquals(0xcf1, lists.handle(0));
        assertEquals(4096, lists.bytes(0));
        assertEquals(0x27cf4d18c579b000L, lists.address(0));
        assertEquals(52, lists.messageStart());
        assertEquals(0xcf1, lists.onlyHandle());
    }

    @Test
    void shouldReadTheLinuxClientsWrite() {
        assertNull(parse(Golden.WRITE_CALL_HEADER));
        assertEquals(1, lists.reads());
        assertEquals(0x70, lists.position(0));
        assertEquals(2, lists.last(0));
        assertEquals(262144, lists.bytes(0));
        assertEquals(76, lists.messageStart());
        assertEquals(0, lists.onlyHandle(), "two keys");
    }

    @Test
    void shouldReadTheLinuxClientsExchangeId() {
        assertNull(parse(Golden.EXCHANGE_ID_CALL));
        assertEquals(0, lists.replyChunk());
        assertEquals(4240, lists.bytes(0));
        assertEquals(48, lists.messageStart());
    }

    @ParameterizedTest
    @ValueSource(strings = {Golden.READ_CALL, Golden.WRITE_CALL_HEADER, Golden.EXCHANGE_ID_CALL, Golden.READDIRPLUS_REPLY,
        Golden.NULL_CALL})
    void shouldWriteWhatItHasRead(String words) {
        ByteBuffer golden = Golden.buffer(words);
        assertNull(lists.parse(golden, 0, golden.capacity()));
        byte[] filled = new byte[golden.capacity()];
        Arrays.fill(filled, (byte) 0xa5);
        ByteBuffer written = ByteBuffer.wrap(filled);
        int end = lists.put(written, TransportHeader.LENGTH);
        assertEquals(lists.messageStart(), end);
        assertEquals(TransportHeader.LENGTH + lists.putLength(), end);
        assertEquals(golden.slice(TransportHeader.LENGTH, end - TransportHeader.LENGTH),
            written.slice(TransportHeader.LENGTH, end - TransportHeader.LENGTH));
        for (int i = end; i < filled.length; i++) {
            assertEquals((byte) 0xa5, filled[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Golden.READ_CALL, Golden.WRITE_CALL_HEADER, Golden.EXCHANGE_ID_CALL})
    void shouldNoticeEveryTruncation(String words) {
        ByteBuffer b = Golden.buffer(words);
        assertNull(lists.parse(b, 0, b.capacity()));
        int header = lists.messageStart();
        for (int length = TransportHeader.LENGTH; length < header; length++) {
            assertEquals(HeaderFault.TRUNCATED, lists.parse(b, 0, length), length + " bytes");
            assertEquals(0, lists.chunks());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "LIST_MARK, 00000002",
        "LIST_MARK, 00000000 ffffffff",
        "ODD_POSITION, 00000001 00000002 00000001 00000004 00000000 00000000 00000000 00000000 00000000",
        "POSITION_RANGE, 00000001 80000000 00000001 00000004 00000000 00000000 00000000 00000000 00000000",
        "POSITION_ORDER, 00000001 00000008 00000001 00000004 00000000 00000000 "
            + "00000001 00000004 00000001 00000004 00000000 00000000 00000000 00000000 00000000",
        "EMPTY_CHUNK, 00000000 00000001 00000000 00000000 00000000",
        "EMPTY_CHUNK, 00000000 00000000 00000001 00000000",
        "TOO_MANY_SEGMENTS, 00000000 00000001 00000101",
        "TOO_MANY_SEGMENTS, 00000000 00000001 ffffffff",
        "TRUNCATED, 00000000 00000001 00000002 00000001 00000004 00000000 00000000",
    })
    void shouldNameTheFault(HeaderFault fault, String words) {
        assertEquals(fault, parse("00000001 00000001 00000001 00000000 " + words));
        assertEquals(0, lists.chunks());
    }

    @Test
    void shouldTakeTheMostSegmentsAndNotOneMore() {
        ByteBuffer b = ByteBuffer.allocate(8192);
        int at = TransportHeader.LENGTH;
        for (int i = 0; i <= ChunkLists.MAX_SEGMENTS; i++) {
            b.putInt(at, 1).putInt(at + 4, 4);
            at += 24;
        }
        assertEquals(HeaderFault.TOO_MANY_SEGMENTS, lists.parse(b, 0, b.capacity()));
        b.putInt(TransportHeader.LENGTH + 24 * ChunkLists.MAX_SEGMENTS, 0);
        b.putInt(TransportHeader.LENGTH + 24 * ChunkLists.MAX_SEGMENTS + 4, 0);
        assertNull(lists.parse(b, 0, b.capacity()));
        assertEquals(ChunkLists.MAX_SEGMENTS, lists.segments());
    }

    @Test
    void shouldTakeTheMostChunksAndNotOneMore() {
        for (int chunks : new int[] {ChunkLists.MAX_CHUNKS, ChunkLists.MAX_CHUNKS + 1}) {
            ByteBuffer b = ByteBuffer.allocate(4096);
            int at = TransportHeader.LENGTH + 4;
            for (int i = 0; i < chunks; i++) {
                b.putInt(at, 1).putInt(at + 4, 1);
                at += 24;
            }
            assertEquals(chunks > ChunkLists.MAX_CHUNKS ? HeaderFault.TOO_MANY_SEGMENTS : null, lists.parse(b, 0, b.capacity()));
        }
    }

    /** Lists that were built are read as they were built. */
    @Property(tries = 300)
    void shouldReadWhatWasWritten(@ForAll @Size(max = 4) int[] reads, @ForAll @Size(max = 4) int[] writes,
                                  @ForAll @IntRange(max = 5) int reply) {
        lists.clear();
        int last = -1;
        for (int each : reads) {
            int position = each & 0x7ffffffc;
            if (position > last) {
                lists.beginRead(position);
                last = position;
                lists.segment(each, each & 0xffffffffL, each);
            }
        }
        for (int each : writes) {
            lists.beginWrite();
            segments(1 + (each & 7));
        }
        if (reply > 0) {
            lists.beginReply();
            segments(reply);
        }
        ByteBuffer b = ByteBuffer.allocate(4096);
        int end = lists.put(b, TransportHeader.LENGTH);
        ChunkLists read = new ChunkLists();
        assertNull(read.parse(b, 0, end));
        assertEquals(end, read.messageStart());
        assertEquals(lists.reads(), read.reads());
        assertEquals(lists.writes(), read.writes());
        assertEquals(lists.replyChunk(), read.replyChunk());
        assertEquals(lists.segments(), read.segments());
        for (int chunk = 0; chunk < lists.chunks(); chunk++) {
            assertEquals(lists.first(chunk), read.first(chunk));
            assertEquals(lists.bytes(chunk), read.bytes(chunk));
        }
        for (int i = 0; i < lists.segments(); i++) {
            assertEquals(lists.handle(i), read.handle(i));
            assertEquals(lists.length(i), read.length(i));
            assertEquals(lists.address(i), read.address(i));
        }
    }

    private void segments(int count) {
        for (int i = 0; i < count; i++) {
            lists.segment(i * 77, 0xfffffff0L + i, -i);
        }
    }

    @Test
    void shouldNameEveryFaultForItsCounter() {
        for (HeaderFault each : HeaderFault.values()) {
            assertNotNull(each.counter());
        }
        assertEquals("odd_position", HeaderFault.ODD_POSITION.counter());
    }
}
