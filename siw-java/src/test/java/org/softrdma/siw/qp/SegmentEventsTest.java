// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.qp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.device.events.PacketDecoder;
import org.softrdma.device.qp.QueuePairObserver;

/** Headers that a recording keeps of a segment. The formats are those of RFC 5041 §4, RFC 5040 §4 and RFC 7306 §5 to §6. */
class SegmentEventsTest {
    private static final int BEFORE = 5;

    /** Calls of the observer: the name of the method, then its arguments. */
    private final List<List<Object>> calls = new ArrayList<>();
    private final QueuePairObserver observer = (QueuePairObserver) Proxy.newProxyInstance(getClass().getClassLoader(),
        new Class<?>[] {QueuePairObserver.class}, (proxy, method, arguments) -> {
            List<Object> call = new ArrayList<>(List.of(method.getName()));
            call.addAll(Arrays.asList(arguments));
            calls.add(call);
            return null;
        });

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    /** Reports the segment with other bytes before and behind it, and returns its headers as a recording has them. */
    private byte[] recorded(byte[] segment) {
        byte[] around = new byte[BEFORE + segment.length + 64];
        Arrays.fill(around, (byte) 0xa5);
        System.arraycopy(segment, 0, around, BEFORE, segment.length);
        SegmentEvents.report(observer, true, ByteBuffer.wrap(around), BEFORE, segment.length, 77, 1L << 32 | 3);
        List<Object> packet = calls.getFirst();
        assertEquals(List.of("packet", true), packet.subList(0, 2));
        assertEquals(List.of(segment.length, 77L, 1L << 32 | 3), packet.subList(5, 8));
        long[] words = new long[calls.size() == 1 ? 2 : 6];
        words[0] = (long) packet.get(8);
        words[1] = (long) packet.get(9);
        if (calls.size() > 1) {
            assertEquals(2, calls.size());
            assertEquals("moreHeaders", calls.get(1).getFirst());
            for (int i = 0; i < 4; i++) {
                words[2 + i] = (long) calls.get(1).get(1 + i);
            }
        }
        PacketDecoder.Decoded decoded = new SegmentEvents().decode(null, true, (int) packet.get(2), (int) packet.get(3),
            (int) packet.get(4), segment.length, words);
        assertNull(decoded.remote());
        return decoded.headers();
    }

    /** All of the headers, and of the body that a message of one segment has; no payload. */
    @ParameterizedTest
    @CsvSource({
        // RDMA Write: control, STag, TO.
        "c140 01020304 05060708090a0b0c, 1112131415161718",
        // A segment that is not the last one of a READ response.
        "8142 01020304 05060708090a0b0c, 11121314",
        // Send with Invalidate: control, STag, QN, MSN, MO.
        "4144 deadbeef 00000000 00000007 00000100, 1112131415",
        // Immediate data has a body of eight bytes.
        "4148 00000000 00000000 00000007 00000000 a1a2a3a4a5a6a7a8, ''",
        // RDMA Read Request.
        "4141 00000000 00000001 00000003 00000000 01020304 1112131415161718 00010000 21222324 3132333435363738, ''",
        // Versions 2 of DDP and 3 of RDMAP, with an opcode that is not assigned: no body is known.
        "02cf 00000000 00000000 00000007 00000000, 1112131415161718"})
    void shouldKeepTheHeadersAndNoPayload(String headers, String payload) {
        assertArrayEquals(bytes(headers), recorded(bytes(headers + payload)));
    }

    /** Of an atomic request, 18 bytes of header and 52 of body, two control bytes and 48 more are kept. */
    @Test
    void shouldKeepTheFirstFiftyBytesOfALongRequest() {
        byte[] segment = new byte[18 + 52];
        for (int i = 0; i < segment.length; i++) {
            segment[i] = (byte) (i + 1);
        }
        segment[0] = 0x41;
        segment[1] = 0x4a;
        assertArrayEquals(Arrays.copyOf(segment, 50), recorded(segment));
    }

    /** A peer may send less than the header: nothing behind the segment is taken for a part of it. */
    @Test
    void shouldKeepNoByteBehindAShortSegment() {
        byte[] whole = bytes("4141 00000000 00000001 00000003 00000000 01020304 1112131415161718 00010000 21222324 3132333435363738");
        for (int length = 2; length < whole.length; length++) {
            calls.clear();
            byte[] segment = Arrays.copyOf(whole, length);
            byte[] kept = recorded(segment);
            assertArrayEquals(segment, kept, length + " bytes");
            int words = (calls.size() == 1 ? 2 : 6) * Long.BYTES;
            byte[] reported = new byte[2 + words];
            ByteBuffer all = ByteBuffer.wrap(reported, 2, words);
            all.putLong((long) calls.getFirst().get(8)).putLong((long) calls.getFirst().get(9));
            for (int i = 1; calls.size() > 1 && i <= 4; i++) {
                all.putLong((long) calls.get(1).get(i));
            }
            System.arraycopy(whole, 0, reported, 0, 2);
            assertArrayEquals(Arrays.copyOf(segment, reported.length), reported, length + " bytes, then zeros");
        }
    }

    @Test
    void shouldReportNothingWithoutControlBytes() {
        SegmentEvents.report(observer, false, ByteBuffer.wrap(new byte[] {0x41, 0x43}), 0, 1, 0, 0);
        assertEquals(List.of(), calls);
        SegmentEvents.report(observer, false, ByteBuffer.wrap(new byte[] {0x41, 0x43}), 0, 2, 0, 0);
        assertEquals(List.of("packet", false, 3), calls.getFirst().subList(0, 3));
    }
}
