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

/** The 66 bytes that the original's format string produces. */
class XsrqDestinationTest {
    private static final String MESSAGE = "0000:000011:000012:123456:00000a:00000000000000000000ffff0a000001\0";
    private static final XsrqDestination DESTINATION = new XsrqDestination(0, 0x11, 0x12, 0x123456, 10, Gid.ofIpv4(0x0a000001));

    @Test
    void shouldWriteTheMessageByteForByte() {
        assertArrayEquals(MESSAGE.getBytes(StandardCharsets.US_ASCII), DESTINATION.toMessage());
        assertEquals(66, DESTINATION.toMessage().length);
    }

    @ParameterizedTest
    @ValueSource(strings = {MESSAGE, "0:11:12:123456:a:00000000000000000000ffff0a000001\0"})
    void shouldReadAMessage(String message) {
        assertEquals(DESTINATION, XsrqDestination.ofMessage(message.getBytes(StandardCharsets.US_ASCII)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0000:000011:123456:00000000000000000000ffff0a000001",
        "0:11:12:123456:1000000:00000000000000000000ffff0a000001", "0:11:12:123456::00000000000000000000ffff0a000001",
        "0:11:12:123456:a:00000000000000000000ffff0a00000"})
    void shouldRefuseWhatIsNoMessage(String message) {
        assertThrows(IllegalArgumentException.class, () -> XsrqDestination.ofMessage(message.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void shouldPrintAsTheOriginal() {
        assertEquals("   local: LID 0000, QPN RECV 000011 SEND 000012, PSN 123456, SRQN 00000a, GID ::ffff:10.0.0.1",
            DESTINATION.line("local"));
        assertEquals("  remote: LID 0000, QPN RECV 000011 SEND 000012, PSN 123456, SRQN 00000a, GID ::ffff:10.0.0.1",
            DESTINATION.line("remote"));
    }
}
