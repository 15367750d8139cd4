// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rxe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.softrdma.rxe.cm.GidPair;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/** Entries with a kernel's DREQ, captured in the lab (queue pair a7395b). */
class RecordedDisconnectsTest {
    private static final String DREQ =
        "0107020300000000" + "00000002d2cb2498" + "0015000000000000" + "9824cbd2" + "766935a2" + "a7395b00";
    private static final GidPair GIDS = new GidPair(GidType.ROCE_V2, Gid.ofIpv4(0x0a4d0002), Gid.ofIpv4(0x0a4d0001));

    private static ByteBuffer dreq() {
        return ByteBuffer.wrap(Arrays.copyOf(HexFormat.of().parseHex(DREQ), 256));
    }

    @Test
    void shouldKeepAddressesAndMessage() {
        byte[] entry = RecordedDisconnects.encode(GIDS, dreq());
        assertEquals("02" + "00000000000000000000ffff0a4d0002" + "00000000000000000000ffff0a4d0001" + DREQ,
            HexFormat.of().formatHex(entry));
        RecordedDisconnects.Entry back = RecordedDisconnects.decode(entry);
        assertEquals(GIDS, back.gids());
        assertArrayEquals(dreq().array(), back.dreq().array());
    }

    @Test
    void shouldTellTheVersionsApart() {
        GidPair v1 = new GidPair(GidType.ROCE_V1, GIDS.local(), GIDS.remote());
        assertEquals(v1, RecordedDisconnects.decode(RecordedDisconnects.encode(v1, dreq())).gids());
    }

    /** Version, address family, base version, management class, method, attribute: a file is no more trusted than a packet. */
    @ParameterizedTest
    @ValueSource(ints = {0, 11, 33, 34, 36, 50})
    void shouldRefuseWhatIsNoDreq(int at) {
        byte[] entry = RecordedDisconnects.encode(GIDS, dreq());
        entry[at] ^= 0x40;
        assertNull(RecordedDisconnects.decode(entry));
    }

    @Test
    void shouldRefuseOtherLengths() {
        byte[] entry = RecordedDisconnects.encode(GIDS, dreq());
        assertNull(RecordedDisconnects.decode(Arrays.copyOf(entry, entry.length - 1)));
        assertNull(RecordedDisconnects.decode(Arrays.copyOf(entry, entry.length + 1)));
        assertNull(RecordedDisconnects.decode(new byte[0]));
    }
}
