// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.machine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.softrdma.rpcrdma.wire.ChunkLists;
import org.softrdma.rpcrdma.wire.HeaderFault;

class CallAssemblyTest {
    private static final int LIMIT = 100_000;

    private final ChunkLists lists = new ChunkLists();
    private final CallAssembly assembly = new CallAssembly();
    /** Memory of the client; addresses are indices. */
    private final byte[] memory = new byte[2 * LIMIT];
    private int used;

    private void segment(byte[] bytes, int from, int length) {
        System.arraycopy(bytes, from, memory, used, length);
        lists.segment(7, length, used);
        used += length;
    }

    /** Executes the plan, into memory that contains something else. */
    private byte[] execute(ByteBuffer inline) {
        byte[] message = new byte[assembly.length()];
        Arrays.fill(message, (byte) 0xa5);
        assembly.copyInline(inline, ByteBuffer.wrap(message));
        for (int i = 0; i < assembly.reads(); i++) {
            System.arraycopy(memory, (int) assembly.address(i), message, assembly.target(i), assembly.bytes(i));
        }
        return message;
    }

    /** A message whose chunks were removed, in pieces, is assembled again; with the rest inline, or in a chunk at position 0. */
    @Property(tries = 1000)
    void shouldAssembleWhatWasTakenApart(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] message = new byte[4 * random.nextInt(2, 2000)];
        random.nextBytes(message);
        boolean longCall = random.nextBoolean();
        lists.clear();
        used = 0;
        byte[] rest = new byte[message.length];
        int[] cuts = random.ints(2 * random.nextInt(4), 1, message.length / 4).map(word -> 4 * word).sorted().distinct().toArray();
        int kept = 0;
        int at = 0;
        for (int i = 0; i + 1 < cuts.length; i += 2) {
            System.arraycopy(message, at, rest, kept, cuts[i] - at);
            kept += cuts[i] - at;
            at = cuts[i + 1];
        }
        System.arraycopy(message, at, rest, kept, message.length - at);
        kept += message.length - at;
        if (longCall) {
            lists.beginRead(0);
            inPieces(random, rest, 0, kept);
        }
        for (int i = 0; i + 1 < cuts.length; i += 2) {
            // The last bytes may be padding, which a chunk may lack.
            int pad = random.nextInt(4);
            Arrays.fill(message, cuts[i + 1] - pad, cuts[i + 1], (byte) 0);
            lists.beginRead(cuts[i]);
            inPieces(random, message, cuts[i], cuts[i + 1] - pad - cuts[i]);
        }
        ByteBuffer inline = ByteBuffer.allocate(LIMIT);
        int start = 28;
        inline.put(start, rest, 0, kept);
        assertNull(assembly.plan(lists, start, longCall ? start : start + kept, longCall, LIMIT));
        assertEquals(message.length, assembly.length());
        assertArrayEquals(message, execute(inline), "seed " + seed);
    }

    private void inPieces(SplittableRandom random, byte[] from, int start, int length) {
        int at = start;
        while (at < start + length) {
            int some = random.nextInt(3) == 0 ? start + length - at : random.nextInt(start + length - at + 1);
            segment(from, at, some);
            at += some;
        }
        if (length == 0) {
            segment(from, start, 0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // position, chunk bytes, inline bytes, long call, expected
        "16, 8, 16, false, ",
        "20, 8, 16, false, POSITION_RANGE",
        "0, 8, 16, false, POSITION_ZERO",
        "16, 8, 16, true, POSITION_ZERO",
        "0, 40, 0, true, ",
        "16, 99984, 16, false, ",
        "16, 99985, 16, false, CALL_TOO_LONG",
        "16, 4294967295, 16, false, CALL_TOO_LONG",
        "0, 4294967295, 0, true, CALL_TOO_LONG",
        "0, 100000, 0, true, ",
        "0, 100001, 0, true, CALL_TOO_LONG",
        "2147483644, 4, 16, false, CALL_TOO_LONG",
    })
    void shouldRefuseChunksThatDoNotFit(int position, long bytes, int inlineBytes, boolean longCall, HeaderFault expected) {
        lists.beginRead(position);
        lists.segment(1, bytes, 0);
        assertEquals(expected, assembly.plan(lists, 28, 28 + inlineBytes, longCall, LIMIT));
    }

    @Test
    void shouldRefuseAChunkInsideTheOneBefore() {
        lists.beginRead(16);
        lists.segment(1, 9, 0);
        lists.beginRead(24);
        lists.segment(1, 4, 0);
        assertEquals(HeaderFault.POSITION_RANGE, assembly.plan(lists, 28, 100, false, LIMIT), "the pad ends at 28");
    }

    @Test
    void shouldNotOverflowWithManyHugeSegments() {
        lists.beginRead(0);
        for (int i = 0; i < ChunkLists.MAX_SEGMENTS; i++) {
            lists.segment(1, 0xffffffffL, -1);
        }
        assertEquals(HeaderFault.CALL_TOO_LONG, assembly.plan(lists, 28, 28, true, LIMIT));
    }
}
