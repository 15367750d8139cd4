// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.Gid;

/** Both forms of the keys; the texts are perftest 4.5's. */
class KeysTest {
    private static final Keys KEYS = new Keys(0, 1, 0x11, 0x123456, 0x1234, 0x7f0000001000L, Gid.ofIpv4(0x0a000001), 0);
    private static final byte[] TEXT = bytes(
        "0000:0001:000011:123456:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:\0");
    /** {@code struct pingpong_dest} of a 64-bit host, numbers big-endian, four bytes of padding before the address. */
    private static final byte[] STRUCTURE = HexFormat.of().parseHex(
        "00000000" + "00000001" + "00000011" + "00123456" + "00001234" + "00000000" + "00007f0000001000"
            + "00000000000000000000ffff0a000001" + "00000000" + "00000000");

    @Test
    void shouldWriteAndReadText() {
        assertArrayEquals(TEXT, KEYS.toText());
        assertEquals(Keys.TEXT_BYTES, TEXT.length);
        assertEquals(KEYS, Keys.ofText(TEXT));
    }

    @Test
    void shouldWriteAndReadAStructure() {
        assertArrayEquals(STRUCTURE, KEYS.toStructure());
        assertEquals(Keys.STRUCTURE_BYTES, STRUCTURE.length);
        assertEquals(KEYS, Keys.ofStructure(STRUCTURE));
    }

    @Test
    void shouldFillEveryField() {
        Keys full = new Keys(0xffff, 0xffff, 0xffffff, 0xffffff, 0xffffffff, -1, new Gid(-1, -1), 0xffffffff);

        assertArrayEquals(bytes("ffff:ffff:ffffff:ffffff:ffffffff:ffffffffffffffff:" + "ff:".repeat(16) + "ffffffff:\0"), full.toText());
        assertEquals(full, Keys.ofText(full.toText()));
        assertEquals(full, Keys.ofStructure(full.toStructure()));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "done", "SSH-2.0-OpenSSH_9.2", ":::::::::::::::::::::::",
        "0000:0001:1000000:123456:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:",
        "0000:0001:000011:1234567:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:",
        "10000:001:000011:123456:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:",
        "0000:0001:000011:123456:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:100:0000000:",
        "0000:0001:000011:-12345:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000:",
        "0000:0001:000011:123456:00001234:00007f0000001000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01:00000000"})
    void shouldRefuseOtherText(String text) {
        assertThrows(IllegalArgumentException.class, () -> Keys.ofText(Arrays.copyOf(bytes(text), Keys.TEXT_BYTES)));
    }

    @ParameterizedTest
    @CsvSource({"0, LID", "4, number of READs", "8, QPN", "12, PSN"})
    void shouldRefuseNumbersThatAreTooLarge(int offset, String what) {
        byte[] wrong = STRUCTURE.clone();
        wrong[offset] = 1;

        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> Keys.ofStructure(wrong));

        assertTrue(refused.getMessage().startsWith("its " + what + " 0x1"), refused.getMessage());
    }

    @Test
    void shouldRefuseAStructureOfAnotherLength() {
        for (int length = 0; length < Keys.STRUCTURE_BYTES; length++) {
            byte[] cut = Arrays.copyOf(STRUCTURE, length);
            assertThrows(IllegalArgumentException.class, () -> Keys.ofStructure(cut));
        }
    }

    /** Any text of a hostile peer is either keys or refused with a reason. */
    @Test
    void shouldSurviveAnything() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            byte[] message = i % 2 == 0 ? TEXT.clone() : STRUCTURE.clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                message[random.nextInt(message.length)] = (byte) random.nextInt();
            }
            try {
                Keys keys = i % 2 == 0 ? Keys.ofText(message) : Keys.ofStructure(message);
                assertEquals(keys, Keys.ofText(keys.toText()), "seed " + seed);
                assertEquals(keys, Keys.ofStructure(keys.toStructure()), "seed " + seed);
            } catch (IllegalArgumentException refused) {
                assertTrue(refused.getMessage().length() > 10, "seed " + seed + ": " + refused);
            }
        }
    }

    /** Lines of the recordings in interop-tests/lab/golden. */
    @Test
    void shouldDescribeAsTheOriginal() {
        Keys recorded = new Keys(0, 1, 0x20, 0x118ef6, 0x1606, 0x5585b4b0e000L, Gid.ofIpv4(0x0a4d0002), 0);

        String gid = " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:02\n";
        assertEquals(" local address: LID 0000 QPN 0x0020 PSN 0x118ef6 RKey 0x001606 VAddr 0x005585b4b0e000\n" + gid,
            recorded.describe("local", Verb.WRITE));
        assertEquals(" remote address: LID 0000 QPN 0x0020 PSN 0x118ef6\n" + gid, recorded.describe("remote", Verb.SEND));
        assertEquals(" local address: LID 0000 QPN 0x0020 PSN 0x118ef6 OUT 0x01 RKey 0x001606 VAddr 0x005585b4b0e000\n" + gid,
            recorded.describe("local", Verb.READ));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
