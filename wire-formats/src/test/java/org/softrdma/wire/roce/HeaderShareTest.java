// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** ICRCs put together from shares equal those computed over headers that are really there. */
class HeaderShareTest {
    private static final int ROUNDS = 20_000;
    private static final int HEADROOM = 64;

    private final SplittableRandom random = new SplittableRandom(4791);
    private final Icrc icrc = new Icrc();
    private final ByteBuffer b = ByteBuffer.allocateDirect(HEADROOM + 4200);

    /** Few connections and lengths at first, so that shares are found again, then more than the table holds. */
    @Test
    void shouldAgreeWithHeadersThatAreThere() {
        for (int i = 0; i < ROUNDS; i++) {
            int variety = i < ROUNDS / 2 ? 4 : 4000;
            long peer = random.nextInt(variety);
            int port = 49_152 + random.nextInt(Math.min(variety, 100));
            int end = HEADROOM + 12 + 4 * random.nextInt(Math.min(variety, 1000));
            int length = end + Icrc.LENGTH - HEADROOM;
            byte[] packet = new byte[length];
            random.nextBytes(packet);
            b.put(HEADROOM, packet);

            int v4 = icrc.ofIpv4Payload(b, HEADROOM, end, (int) peer, 0x7f000001, port, 4791);
            int v6 = icrc.ofIpv6Payload(b, HEADROOM, end, 0xfe80_0000_0000_0000L, peer, peer, 1, port, 4791);

            int v1 = icrc.ofGrhPayload(b, HEADROOM, end, 0xfe80_0000_0000_0000L, peer, peer, 1);

            int before4 = Icrc.putIpv4Prefix(b, HEADROOM, (int) peer, 0x7f000001, 0, true, port, 4791, length);
            assertEquals(icrc.overPrefix(b, before4, HEADROOM, end), v4);
            int before6 = Icrc.putIpv6Prefix(b, HEADROOM, 0xfe80_0000_0000_0000L, peer, peer, 1, port, 4791, length);
            assertEquals(icrc.overPrefix(b, before6, HEADROOM, end), v6);
            int before1 = Icrc.putGrhPrefix(b, HEADROOM, 0xfe80_0000_0000_0000L, peer, peer, 1, length);
            assertEquals(icrc.overPrefix(b, before1, HEADROOM, end), v1);
            Grh.put(b, HEADROOM - Grh.LENGTH, random.nextInt(256), random.nextInt(1 << 20), length, Grh.NEXT_HEADER_BTH,
                random.nextInt(256), 0xfe80_0000_0000_0000L, peer, peer, 1);
            assertEquals(icrc.ofGrhFrame(b, HEADROOM - Grh.LENGTH, HEADROOM, end), v1);
        }
    }
}
