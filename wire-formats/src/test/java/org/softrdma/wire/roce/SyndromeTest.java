// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Expected numbers: IBA vol 1 tables 45 and 46; the kernel's rdmavt has the same. */
class SyndromeTest {
    @Test
    void shouldClassifyEveryByteOnce() {
        for (int s = 0; s < 256; s++) {
            assertEquals(s <= 0x1F, Syndrome.isAck(s), "ack " + s);
            assertEquals(s >= 0x20 && s <= 0x3F, Syndrome.isRnr(s), "rnr " + s);
            assertEquals(s >= 0x60 && s <= 0x7F, Syndrome.isNak(s), "nak " + s);
            assertEquals(s >= 0x40 && s <= 0x5F || s >= 0x80, Syndrome.isReserved(s), "reserved " + s);
        }
    }

    @Test
    void shouldHaveTheNakCodes() {
        assertEquals(0x1F, Syndrome.ACK_UNLIMITED);
        assertEquals(0x60, Syndrome.NAK_PSN_SEQUENCE);
        assertEquals(0x61, Syndrome.NAK_INVALID_REQUEST);
        assertEquals(0x62, Syndrome.NAK_REMOTE_ACCESS);
        assertEquals(0x63, Syndrome.NAK_REMOTE_OPERATIONAL);
        assertEquals(0x64, Syndrome.NAK_INVALID_RD);
    }

    @Test
    void shouldCarryRnrTimerCodes() {
        for (int code = 0; code < 32; code++) {
            int syndrome = Syndrome.rnr(code);
            assertEquals(0x20 + code, syndrome);
            assertEquals(code, Syndrome.rnrTimerCode(syndrome));
        }
    }

    @Test
    void shouldKnowEveryCreditCode() {
        int[] credits = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
            8192, 12288, 16384, 24576, 32768};
        for (int code = 0; code < credits.length; code++) {
            assertEquals(credits[code], Syndrome.credits(code));
        }
        assertEquals(Syndrome.UNLIMITED_CREDITS, Syndrome.credits(31));
        assertTrue(Syndrome.UNLIMITED_CREDITS > 32768);
    }

    @Test
    void shouldNameSyndromes() {
        assertEquals("ACK", Syndrome.name(0x1F));
        assertEquals("ACK credits 6", Syndrome.name(0x05));
        assertEquals("RNR NAK 14", Syndrome.name(0x2E));
        assertEquals("NAK remote access", Syndrome.name(0x62));
        assertEquals("NAK 0x7f", Syndrome.name(0x7F));
        assertEquals("reserved syndrome 0x40", Syndrome.name(0x40));
    }

    @Test
    void shouldKnowEveryRnrDelay() {
        double[] ms = {655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92, 2.56, 3.84, 5.12,
            7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52};
        assertEquals(32, ms.length);
        for (int code = 0; code < 32; code++) {
            assertEquals(Math.round(ms[code] * 1_000_000), RnrTimer.toNs(code), "code " + code);
        }
    }

    @Test
    void shouldFindTheShortestSufficientRnrCode() {
        for (int code = 0; code < 32; code++) {
            long ns = RnrTimer.toNs(code);
            assertEquals(code, RnrTimer.codeFor(ns), "exactly");
            int longer = code == 0 ? 0 : code == 31 ? 0 : code + 1;
            assertEquals(longer, RnrTimer.codeFor(ns + 1), "one nanosecond more than code " + code);
        }
        assertEquals(1, RnrTimer.codeFor(0));
        assertEquals(1, RnrTimer.codeFor(-1));
        assertEquals(1, RnrTimer.codeFor(Long.MIN_VALUE));
        assertEquals(0, RnrTimer.codeFor(Long.MAX_VALUE));
    }
}
