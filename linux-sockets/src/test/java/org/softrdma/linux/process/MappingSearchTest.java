// SPDX-License-Identifier: Apache-2.0
package org.softrdma.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranges in a list of mappings that a kernel printed. */
class MappingSearchTest {
    private static final byte[] MAPS = """
        556a2c0a1000-556a2c0a3000 r--p 00000000 fe:00 1234                       /usr/bin/cat
        556a2c0a3000-556a2c0a7000 r-xp 00002000 fe:00 1234                       /usr/bin/cat
        556a2c0ab000-556a2c0ac000 rw-p 00009000 fe:00 1234                       /usr/bin/cat
        7f12a0000000-7f12a0021000 rw-p 00000000 00:00 0
        7f12a0021000-7f12a4000000 ---p 00000000 00:00 0
        7f12a5000000-7f12a5001000 rw-s 00000000 00:05 99                         /dev/shm/x 7f12a5001000-7f12a5002000 rw-p
        7ffc3c2f1000-7ffc3c312000 rw-p 00000000 00:00 0                          [stack]
        ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
        """.getBytes(StandardCharsets.US_ASCII);

    @ParameterizedTest
    @CsvSource({
        // start, bytes, readable, writable
        "0x556a2c0a1000, 0x2000, true, false",
        "0x556a2c0a1000, 0x6000, true, false",
        "0x556a2c0a1000, 0x6001, false, false",
        "0x556a2c0a0fff, 2, false, false",
        "0x556a2c0a6fff, 1, true, false",
        "0x556a2c0a7000, 1, false, false",
        "0x556a2c0ab800, 16, true, true",
        "0x556a2c0a2000, 0xa000, false, false",
        "0x7f12a0000000, 0x21000, true, true",
        "0x7f12a0000000, 0x21001, false, false",
        "0x7f12a0030000, 1, false, false",
        "0x7f12a5000000, 0x1000, true, true",
        "0x7f12a5001000, 1, false, false",
        "0x7ffc3c311fff, 1, true, true",
        "0x7ffc3c312000, 1, false, false",
        "0x7ffffffff000, 0x1000, false, false",
        "0, 1, false, false",
        "0, 0, true, true",
    })
    void shouldFindRanges(String start, String bytes, boolean readable, boolean writable) {
        long from = Long.decode(start);
        long to = from + Long.decode(bytes);
        for (int piece = 1; piece <= MAPS.length; piece = piece < 80 ? piece + 1 : piece * 2) {
            assertEquals(readable, search(from, to, false, piece), "in pieces of " + piece);
            assertEquals(writable, search(from, to, true, piece), "writable, in pieces of " + piece);
        }
    }

    private static boolean search(long from, long to, boolean writable, int piece) {
        MappingSearch search = new MappingSearch(from, to, writable);
        MemorySegment text = MemorySegment.ofArray(MAPS);
        for (int at = 0; at < MAPS.length; at += piece) {
            int length = Math.min(piece, MAPS.length - at);
            search.take(text.asSlice(at, length), length);
        }
        return search.isCovered();
    }
}
