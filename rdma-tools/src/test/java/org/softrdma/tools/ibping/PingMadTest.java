// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.ibping;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PingMadTest {
    private static final long TID = 0x1122334455667788L;
    private static final byte[] REQUEST = Arrays.copyOf(HexFormat.of().parseHex(
        "01320101" + "00000000" + "1122334455667788" + "00000000" + "00000000" + "00".repeat(12) + "00001405"), 256);

    @Test
    void shouldAskAsTheOriginal() {
        assertArrayEquals(REQUEST, PingMad.request(TID, PingMad.OUI));
        assertTrue(PingMad.isRequest(REQUEST, PingMad.OUI));
        assertFalse(PingMad.isRequest(REQUEST, 0x001406));
        assertFalse(PingMad.isAnswer(REQUEST, TID, PingMad.OUI));
    }

    @Test
    void shouldAnswerWithTheNameOfTheHost() {
        byte[] answer = PingMad.answer(REQUEST, "node7.example");
        byte[] expected = REQUEST.clone();
        expected[3] = (byte) 0x81;
        System.arraycopy(HexFormat.of().parseHex("6e6f6465372e6578616d706c65"), 0, expected, 40, 13);
        assertArrayEquals(expected, answer);
        assertTrue(PingMad.isAnswer(answer, TID, PingMad.OUI));
        assertFalse(PingMad.isAnswer(answer, TID + 1, PingMad.OUI));
        assertFalse(PingMad.isRequest(answer, PingMad.OUI));
        assertEquals("node7.example", PingMad.hostName(answer));
    }

    @Test
    void shouldCutALongNameAndShowNoControlCharacters() {
        assertEquals("x".repeat(215), PingMad.hostName(PingMad.answer(REQUEST, "x".repeat(300))));
        assertEquals("a.[2Jb", PingMad.hostName(PingMad.answer(REQUEST, "a\u001b[2Jb")));
        byte[] full = PingMad.answer(REQUEST, "x".repeat(215));
        full[255] = 'y';
        assertEquals("x".repeat(215) + "y", PingMad.hostName(full));
    }

    @Test
    void shouldTakeNothingElseForAPing() {
        SplittableRandom random = new SplittableRandom(815);
        for (int i = 0; i < 1000; i++) {
            byte[] mad = new byte[256];
            random.nextBytes(mad);
            assertFalse(PingMad.isRequest(mad, PingMad.OUI) || PingMad.isAnswer(mad, TID, PingMad.OUI));
            PingMad.hostName(mad);
        }
        for (int at = 0; at < 4; at++) {
            byte[] other = REQUEST.clone();
            other[at] ^= 0x40;
            assertFalse(PingMad.isRequest(other, PingMad.OUI), "byte " + at);
        }
    }
}
