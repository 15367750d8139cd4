// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.verbs.Gid;

class DestinationTest {
    /** The 52 bytes that the real tool sends: 51 characters and a NUL. */
    private static final String MESSAGE = "0000:000011:123456:00000000000000000000ffff0a000001\0";
    private static final Destination DESTINATION = new Destination(0, 0x11, 0x123456, Gid.ofIpv4(0x0a000001));

    @Test
    void shouldWriteTheMessageByteForByte() {
        assertArrayEquals(MESSAGE.getBytes(StandardCharsets.US_ASCII), DESTINATION.toMessage());
        assertEquals(Destination.MESSAGE_BYTES, DESTINATION.toMessage().length);
    }

    @Test
    void shouldWriteAllDigitsOfTheLargestValues() {
        assertArrayEquals("ffff:ffffff:ffffff:ffffffffffffffffffffffffffffffff\0".getBytes(StandardCharsets.US_ASCII),
            new Destination(0xffff, 0xffffff, 0xffffff, new Gid(-1, -1)).toMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        MESSAGE, "0:11:123456:00000000000000000000ffff0a000001\0", "0000:000011:123456:00000000000000000000FFFF0A000001",
        " 0:00000011:123456:00000000000000000000ffff0a000001\0behind the NUL"})
    void shouldReadAMessage(String message) {
        assertEquals(DESTINATION, Destination.ofMessage(message.getBytes(StandardCharsets.US_ASCII)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\0", "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8\r\n", "0000:000011:123456",
        "0000:1000000:123456:00000000000000000000ffff0a000001", "0000:000011:1000000:00000000000000000000ffff0a000001",
        "10000:000011:123456:00000000000000000000ffff0a000001", "0000:000011:123456:00000000000000000000ffff0a00000",
        "0000:000011:123456:00000000000000000000ffff0a00000g", "0000::123456:00000000000000000000ffff0a000001",
        "-1:000011:123456:00000000000000000000ffff0a000001", "0000:000011:123456:00000000000000000000ffff0a000001:0"})
    void shouldRefuseWhatIsNoMessage(String message) {
        assertThrows(IllegalArgumentException.class, () -> Destination.ofMessage(message.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void shouldPrintAsTheOriginal() {
        assertEquals("LID 0x0000, QPN 0x000011, PSN 0x123456, GID ::ffff:10.0.0.1", DESTINATION.toString());
        assertEquals("LID 0x0000, QPN 0x000011, PSN 0x000000, GID ::", new Destination(0, 0x11, 0, Gid.ZERO).toString());
    }
}
