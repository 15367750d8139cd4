// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.softrdma.verbs.Gid;

/** Messages of the routing socket, byte for byte after rtnetlink(7), on a little-endian machine. */
class RouteMessageTest {
    private static final String NEIGHBOUR = "30000000" + "1c00" + "0000" + "00000000" + "00000000" + "02000000" + "07000000" + "02000001"
        + "08000100" + "0a630002" + "0a000200" + "0242ac110002" + "0000";
    private static final String ROUTE = "24000000" + "1800" + "0000" + "00000000" + "00000000" + "02200000" + "fe000001" + "00000000"
        + "08000500" + "0a6300fe";

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(RouteMessage.BYTES);
    private final RouteMessage message = new RouteMessage(buffer);

    private static Gid gid(String text) {
        return Gid.of(InetAddress.ofLiteral(text));
    }

    private void receive(String... messages) {
        byte[] bytes = HexFormat.of().parseHex(String.join("", messages));
        buffer.put(0, bytes);
        message.received(bytes.length);
    }

    @Test
    void shouldReadANeighbour() {
        receive(NEIGHBOUR, ROUTE);
        assertTrue(message.next());
        assertEquals(RouteMessage.NEIGHBOUR, message.type());
        assertEquals(7, message.interfaceIndex());
        assertEquals(2, message.state());
        assertEquals(gid("10.99.0.2"), message.address());
        assertEquals(0x0242ac110002L, message.mac());
        assertTrue(message.next());
        assertEquals(RouteMessage.ROUTE, message.type());
        assertFalse(message.next());
    }

    @Test
    void shouldReadARouteByARouter() {
        receive(ROUTE);
        assertTrue(message.next());
        assertEquals(RouteMessage.UNICAST, message.routeType());
        assertEquals(gid("10.99.0.254"), message.gateway());
    }

    @Test
    void shouldAskForANeighbour() {
        int bytes = message.putNeighbourRequest(gid("10.99.0.2"), 7);
        byte[] asked = new byte[bytes];
        buffer.get(0, asked);
        assertEquals("24000000" + "1e00" + "0100" + "00000000" + "00000000" + "02000000" + "07000000" + "00000000" + "08000100"
            + "0a630002", HexFormat.of().formatHex(asked));
    }

    /** Messages of the kernel are trusted, but a truncated one must not be read beyond its end. */
    @Test
    void shouldSurviveAnyBytes() {
        long seed = 7;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 100_000; i++) {
            receive(NEIGHBOUR, ROUTE);
            for (int flips = random.nextInt(1, 5); flips > 0; flips--) {
                buffer.put(random.nextInt(84), (byte) random.nextInt());
            }
            message.received(random.nextInt(85));
            for (int steps = 0; message.next(); steps++) {
                assertTrue(steps < 10, "seed " + seed + ", message " + i);
                if (message.type() == RouteMessage.ERROR) {
                    message.errno();
                } else if (message.isComplete()) {
                    message.address();
                    message.mac();
                    message.gateway();
                }
            }
        }
    }

    @Test
    void shouldFindNoAddressInAMessageWithout() {
        receive("1c000000" + NEIGHBOUR.substring(8, 56));
        assertTrue(message.next());
        assertNull(message.address());
        assertEquals(-1, message.mac());
    }
}
