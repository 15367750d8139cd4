// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QpAddressTest {
    private static final String LINE = "qpn 0x11, psn 0xa05a17, mtu 1024, reads 16, RoCE v2 gid ::ffff:10.0.0.1";
    private static final QpAddress ADDRESS = new QpAddress(Gid.ofIpv4(0x0a000001), GidType.ROCE_V2, 0x11, 0xa05a17, Mtu.MTU_1024, 16);

    @Test
    void shouldBeOneReadableLine() {
        assertEquals(LINE, ADDRESS.toString());
        assertEquals(ADDRESS, QpAddress.parse(LINE));
    }

    @Property
    void shouldParseWhatItPrints(@ForAll long high, @ForAll long low, @ForAll GidType type, @ForAll @IntRange(max = 0xffffff) int qpn,
            @ForAll @IntRange(max = 0xffffff) int psn, @ForAll Mtu mtu, @ForAll @IntRange(max = 255) int reads) {
        QpAddress address = new QpAddress(new Gid(high, low), type, qpn, psn, mtu, reads);
        assertEquals(address, QpAddress.parse(address.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "",
        "qpn 0x1000000, psn 0xa05a17, mtu 1024, reads 16, RoCE v2 gid ::ffff:10.0.0.1",
        "qpn 0x11, psn 0x1000000, mtu 1024, reads 16, RoCE v2 gid ::ffff:10.0.0.1",
        "qpn 0x11, psn 0xa05a17, mtu 1025, reads 16, RoCE v2 gid ::ffff:10.0.0.1",
        "qpn 0x11, psn 0xa05a17, mtu 8192, reads 16, RoCE v2 gid ::ffff:10.0.0.1",
        "qpn 0x11, psn 0xa05a17, mtu 1024, reads 256, RoCE v2 gid ::ffff:10.0.0.1",
        "qpn 0x11, psn 0xa05a17, mtu 1024, reads 16, RoCE v3 gid ::ffff:10.0.0.1",
        "qpn 0x11, psn 0xa05a17, mtu 1024, reads 16, RoCE v2 gid ::ffff:10.0.0.256",
        "qpn 0x11, psn 0xa05a17, mtu 1024, reads 16, RoCE v2 gid fe80::1%1",
        "qpn 0x11, psn 0xa05a17, mtu 1024, reads 16, RoCE v2 gid cafe.de",
        "qpn 0x11, psn 0xa05a17, mtu 1024, reads 16, RoCE v2 gid ::ffff:10.0.0.1 ",
        "qpn -1, psn 0xa05a17, mtu 1024, reads 16, RoCE v2 gid ::ffff:10.0.0.1"})
    void shouldRefuseOtherLines(String line) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> QpAddress.parse(line));
        assertTrue(refused.getMessage().contains(line), refused.getMessage());
    }

    /** Lines of a peer, damaged at some places: they are refused, or mean what they say. */
    @Property
    void shouldSurviveDamage(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder damaged = new StringBuilder(LINE);
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            damaged.setCharAt(random.nextInt(damaged.length()), LINE.charAt(random.nextInt(LINE.length())));
        }
        QpAddress parsed;
        try {
            parsed = QpAddress.parse(damaged.toString());
        } catch (IllegalArgumentException refused) {
            return;
        }
        assertEquals(parsed, QpAddress.parse(parsed.toString()));
    }
}
