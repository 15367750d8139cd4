// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rsocket.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Bytes of {@code struct rs_conn_data}: written by hand from the protocol guide, and captured from librdmacm. */
class ConnectionDataTest {
    /** Version 1, no flags, 384 credits, two entries at 0x55aa00001000, 256 KiB at 0x7f0000002000. */
    private static final byte[] BYTES = HexFormat.of().parseHex("01000180" + "00000000" + "000055aa00001000" + "00abcdef" + "00000002"
        + "00007f0000002000" + "01234567" + "00040000");
    private static final ConnectionData DATA = new ConnectionData(ByteOrder.LITTLE_ENDIAN, 384,
        new RemoteBuffer(0x55aa00001000L, 0xabcdef, 2), new RemoteBuffer(0x7f0000002000L, 0x1234567, 256 << 10));

    @Test
    void shouldWriteWhatTheGuideSays() {
        assertArrayEquals(BYTES, DATA.toBytes());
    }

    @Test
    void shouldReadWhatTheGuideSays() throws StreamException {
        assertEquals(DATA, ConnectionData.parse(BYTES));
        assertEquals(DATA, ConnectionData.parse(Arrays.copyOf(BYTES, 56)), "padded");
    }

    /** Captured from the connection request of rstream 44 on Linux 6.1, up to the end of the private data. */
    @Test
    void shouldReadWhatLibrdmacmSays() throws StreamException {
        byte[] captured = HexFormat.of().parseHex("01020180" + "00000000" + "0000563b63a90000" + "0000127f" + "00000002"
            + "00007f632feff000" + "0000137a" + "00080000" + "00".repeat(16));
        assertEquals(new ConnectionData(ByteOrder.LITTLE_ENDIAN, 384, new RemoteBuffer(0x563b63a90000L, 0x127f, 2),
            new RemoteBuffer(0x7f632feff000L, 0x137a, 1 << 19)), ConnectionData.parse(captured));
    }

    /** librdmacm announces direct transfers and their number, which this end ignores. */
    @Test
    void shouldNotMindFlagsItDoesNotKnow() throws StreamException {
        byte[] more = BYTES.clone();
        more[1] = (byte) 0xfe;
        more[7] = 0x10;
        assertEquals(DATA, ConnectionData.parse(more));
        more[1] = 3;
        assertEquals(ByteOrder.BIG_ENDIAN, ConnectionData.parse(more).order());
    }

    @Test
    void shouldRefuseWhatIsTooShort() {
        for (int length = 0; length < BYTES.length; length++) {
            byte[] part = Arrays.copyOf(BYTES, length);
            assertRefused(Violation.SHORT_CONNECTION_DATA, part);
        }
    }

    @Test
    void shouldRefuseOtherVersions() {
        for (int version : new int[] {0, 2, 255}) {
            byte[] other = BYTES.clone();
            other[0] = (byte) version;
            assertRefused(Violation.UNKNOWN_VERSION, other);
        }
    }

    @Test
    void shouldRefuseAListWithoutEntries() {
        byte[] none = BYTES.clone();
        none[23] = 0;
        assertRefused(Violation.NO_TARGETS, none);
    }

    private static void assertRefused(Violation expected, byte[] bytes) {
        assertEquals(expected, assertThrows(StreamException.class, () -> ConnectionData.parse(bytes)).violation());
    }

    @Property
    void shouldReadWhatItWrites(@ForAll @IntRange(max = 0xffff) int credits, @ForAll boolean bigEndian, @ForAll long address,
            @ForAll int key, @ForAll @LongRange(min = 1, max = 0xffffffffL) long length) throws StreamException {
        ConnectionData data = new ConnectionData(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN, credits,
            new RemoteBuffer(address, key, length), new RemoteBuffer(~address, ~key, 0xffffffffL - length));
        assertEquals(data, ConnectionData.parse(data.toBytes()));
    }
}
