// SPDX-License-Identifier: Apache-2.0
package org.softrdma.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TransportHeaderTest {
    private static ByteBuffer filled(int bytes) {
        byte[] fill = new byte[bytes];
        Arrays.fill(fill, (byte) 0xa5);
        return ByteBuffer.wrap(fill);
    }

    @Test
    void shouldReadTheFixedPart() {
        ByteBuffer b = Golden.buffer(Golden.NULL_CALL);
        assertEquals(0x1dcf4d18, TransportHeader.xid(b, 0));
        assertEquals(1, TransportHeader.version(b, 0));
        assertEquals(0x80, TransportHeader.credits(b, 0));
        assertEquals(TransportHeader.MSG, TransportHeader.procedure(b, 0));
    }

    @Test
    void shouldWriteNfsdsAnswers() {
        ByteBuffer plain = filled(28);
        TransportHeader.putPlain(plain, 0, 0x1dcf4d18, 0x40);
        assertEquals(Golden.NULL_REPLY.substring(0, 28 / 4 * 9 - 1), Golden.words(plain, 28));
        ByteBuffer version = filled(28);
        TransportHeader.putVersionError(version, 0, 0x11000003, 2, 0x40);
        assertEquals(Golden.VERSION_ERROR, Golden.words(version, 28));
        ByteBuffer chunk = filled(20);
        TransportHeader.putChunkError(chunk, 0, 0x11000004, 0x40);
        assertEquals(Golden.CHUNK_ERROR, Golden.words(chunk, 20));
    }

    @Test
    void shouldReadPrivateDataOfLinux() {
        assertEquals(new PrivateData(true, 4096, 4096), PrivateData.parse(Golden.bytes(Golden.CLIENT_DATA)));
        assertEquals(new PrivateData(false, 4096, 4096), PrivateData.parse(Golden.bytes(Golden.SERVER_DATA)));
        // RoCE pads private data with zeros.
        assertEquals(new PrivateData(true, 4096, 4096), PrivateData.parse(Arrays.copyOf(Golden.bytes(Golden.CLIENT_DATA), 56)));
    }

    @Test
    void shouldTakeOtherPrivateDataForNone() {
        byte[] golden = Golden.bytes(Golden.CLIENT_DATA);
        for (int length = 0; length < golden.length; length++) {
            assertEquals(PrivateData.DEFAULT, PrivateData.parse(Arrays.copyOf(golden, length)));
        }
        for (int at = 0; at < 5; at++) {
            byte[] other = golden.clone();
            other[at] ^= 1;
            assertEquals(PrivateData.DEFAULT, PrivateData.parse(other), "byte " + at);
        }
    }

    @Test
    void shouldWritePrivateDataOfLinux() {
        assertArrayEquals(Golden.bytes(Golden.CLIENT_DATA), new PrivateData(true, 4096, 4096).toBytes());
        assertThrows(IllegalArgumentException.class, () -> new PrivateData(true, 1000, 1024));
        assertThrows(IllegalArgumentException.class, () -> new PrivateData(true, 1024, 0));
        assertThrows(IllegalArgumentException.class, () -> new PrivateData(true, 263168, 1024));
    }

    @Property
    void shouldReadAnyPrivateData(@ForAll byte[] bytes) {
        PrivateData data = PrivateData.parse(bytes);
        assertEquals(data, PrivateData.parse(data.toBytes()));
    }
}
