// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

/** The codec, compared with an independent reading of little-endian fields. */
class CapsulePropertyTest {
    /** A little-endian field, byte by byte. */
    private static BigInteger field(byte[] bytes, int at, int length) {
        BigInteger value = BigInteger.ZERO;
        for (int i = length - 1; i >= 0; i--) {
            value = value.shiftLeft(8).or(BigInteger.valueOf(bytes[at + i] & 0xff));
        }
        return value;
    }

    @Property(tries = 300)
    void shouldReadEveryField(@ForAll @Size(64) byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(field(bytes, 0, 1).intValue(), Command.opcode(b));
        assertEquals(field(bytes, 2, 2).intValue(), Command.id(b));
        assertEquals(field(bytes, 4, 4).intValue(), Command.namespace(b));
        assertEquals(field(bytes, 40, 8).longValue(), Command.startBlock(b));
        assertEquals(field(bytes, 48, 2).intValue() + 1, Command.blocks(b));
        assertEquals(field(bytes, 60, 4).intValue(), Command.dword(b, 15));
        assertEquals(field(bytes, 24, 8).longValue(), DataDescriptor.address(b, 24));
        assertEquals(field(bytes, 32, 3).intValue(), DataDescriptor.keyedLength(b, 24));
        assertEquals(field(bytes, 35, 4).intValue(), DataDescriptor.key(b, 24));
        assertEquals(field(bytes, 32, 4).longValue(), DataDescriptor.inCapsuleLength(b, 24));
        assertEquals(field(bytes, 39, 1).intValue(), DataDescriptor.type(b, 24));
        assertEquals(field(bytes, 48, 4).longValue(), FabricsCommand.keepAliveMs(b));
        assertEquals(field(bytes, 44, 2).intValue(), FabricsCommand.lastEntry(b));
    }

    @Property(tries = 300)
    void shouldReadNamesUpToTheLongest(@ForAll @AlphaChars @StringLength(max = 256) String name) {
        ByteBuffer b = ByteBuffer.allocate(ConnectData.LENGTH);
        b.put(ConnectData.SUBSYSTEM_OFFSET, name.getBytes(StandardCharsets.UTF_8));
        if (name.isEmpty() || name.length() > 223) {
            assertNull(ConnectData.subsystem(b));
        } else {
            assertEquals(name, ConnectData.subsystem(b));
        }
    }

    @Property(tries = 300)
    void shouldSurviveAnyNames(@ForAll @Size(1024) byte[] bytes) {
        ByteBuffer b = ByteBuffer.wrap(bytes);
        ConnectData.subsystem(b);
        ConnectData.host(b);
    }

    @Property(tries = 300)
    void shouldRefuseOrReadAnyPrivateData(@ForAll @Size(max = 64) byte[] bytes) {
        QueueRequest.Refusal refusal = QueueRequest.check(bytes);
        if (bytes.length < QueueRequest.LENGTH) {
            assertEquals(QueueRequest.Refusal.INVALID_LENGTH, refusal);
        } else if (field(bytes, 0, 2).signum() != 0) {
            assertEquals(QueueRequest.Refusal.INVALID_FORMAT, refusal);
        } else if (field(bytes, 6, 2).signum() == 0 || field(bytes, 4, 2).signum() == 0) {
            assertNotNull(refusal);
        } else {
            assertNull(refusal);
        }
    }

    @Property(tries = 100)
    void shouldReadRequests(@ForAll @Size(32) byte[] bytes, @ForAll @IntRange(min = 1, max = 65535) int last) {
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putShort(0, (short) 0).putShort(6, (short) last);
        Assume.that(b.getShort(4) != 0);
        assertNull(QueueRequest.check(bytes));
        QueueRequest expected = new QueueRequest(field(bytes, 2, 2).intValue(), field(bytes, 4, 2).intValue(), last + 1,
            field(bytes, 8, 2).intValue());
        assertEquals(expected, QueueRequest.parse(bytes));
        assertEquals(expected, QueueRequest.parse(expected.toBytes()));
    }
}
