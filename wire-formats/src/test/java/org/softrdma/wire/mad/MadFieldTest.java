// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.softrdma.wire.Bytes;
import org.softrdma.wire.cm.CmApr;
import org.softrdma.wire.cm.CmDreq;
import org.softrdma.wire.cm.CmIpHeader;
import org.softrdma.wire.cm.CmLap;
import org.softrdma.wire.cm.CmMessage;
import org.softrdma.wire.cm.CmMra;
import org.softrdma.wire.cm.CmRej;
import org.softrdma.wire.cm.CmRep;
import org.softrdma.wire.cm.CmReq;
import org.softrdma.wire.cm.CmSidrRep;
import org.softrdma.wire.cm.CmSidrReq;
import org.softrdma.wire.cm.ServiceId;

/** The tables of fields: no two overlap, none reaches into private data, and what is written is read, bit by bit. */
class MadFieldTest {
    private static final int AT = 5;
    /** REJ's and SIDR_REP's additional information lies between the fields and the private data, and may be read as one. */
    private static final Map<Integer, Class<?>> MESSAGES = Map.of(CmMessage.REQ, CmReq.class, CmMessage.MRA, CmMra.class, CmMessage.REJ,
        CmRej.class, CmMessage.REP, CmRep.class, CmMessage.DREQ, CmDreq.class, CmMessage.LAP, CmLap.class, CmMessage.APR, CmApr.class,
        CmMessage.SIDR_REQ, CmSidrReq.class, CmMessage.SIDR_REP, CmSidrRep.class);

    /** All fields of a message by name, the two communication ids included. */
    private static Map<String, Field> fieldsOf(int attribute) {
        Map<String, Field> fields = new LinkedHashMap<>();
        if (attribute != CmMessage.SIDR_REQ && attribute != CmMessage.SIDR_REP) {
            fields.put("LOCAL_COMM_ID", CmMessage.LOCAL_COMM_ID);
            if (attribute != CmMessage.REQ) {
                fields.put("REMOTE_COMM_ID", CmMessage.REMOTE_COMM_ID);
            }
        }
        try {
            for (java.lang.reflect.Field field : MESSAGES.get(attribute).getFields()) {
                if (field.getType() == Field.class) {
                    fields.put(field.getName(), (Field) field.get(null));
                }
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        return fields;
    }

    @Test
    void shouldHaveFieldsThatDoNotOverlap() {
        for (int attribute : MESSAGES.keySet()) {
            String[] owner = new String[8 * Mad.LENGTH];
            fieldsOf(attribute).forEach((name, field) -> {
                for (int bit = 0; bit < 8 * field.length(); bit++) {
                    if ((field.mask() >>> 8 * field.length() - 1 - bit & 1) != 0) {
                        int place = 8 * field.offset() + bit;
                        assertEquals(null, owner[place], CmMessage.name(attribute) + " " + name);
                        assertTrue(place < 8 * CmMessage.privateDataOffset(attribute), CmMessage.name(attribute) + " " + name);
                        owner[place] = name;
                    }
                }
            });
        }
    }

    @Provide
    Arbitrary<Integer> messages() {
        return Arbitraries.of(MESSAGES.keySet());
    }

    /** The bits are looked at with arithmetic of its own: as one number of 2048 bits. */
    @Property
    void shouldWriteItsBitsAndNoOthers(@ForAll("messages") int attribute, @ForAll long value, @ForAll boolean ones) {
        fieldsOf(attribute).forEach((name, field) -> {
            ByteBuffer b = ByteBuffer.allocate(AT + Mad.LENGTH);
            for (int i = 0; i < b.capacity(); i++) {
                b.put(i, (byte) (ones ? -1 : 0));
            }
            field.set(b, AT, value);
            long expected = value & field.max();
            assertEquals(expected, field.getLong(b, AT), name);
            assertEquals((int) expected, field.get(b, AT), name);
            BigInteger word = new BigInteger(1, b.array());
            int lowest = 8 * (Mad.LENGTH - field.offset() - field.length()) + Long.numberOfTrailingZeros(field.mask());
            BigInteger whole = ones ? BigInteger.ONE.shiftLeft(8 * b.capacity()).subtract(BigInteger.ONE)
                : BigInteger.ZERO;
            BigInteger before = new BigInteger(Long.toUnsignedString(ones ? field.max() : 0)).shiftLeft(lowest);
            BigInteger after = new BigInteger(Long.toUnsignedString(expected)).shiftLeft(lowest);
            assertEquals(whole.subtract(before).add(after), word, name);
        });
    }

    @Property
    void shouldPutIpAddresses(@ForAll int source, @ForAll int destination, @ForAll long a, @ForAll long b, @ForAll long c, @ForAll long d,
            @ForAll short port) {
        ByteBuffer buffer = Bytes.filled(AT + CmIpHeader.LENGTH);
        CmIpHeader.putIpv4(buffer, AT, port, source, destination);
        assertTrue(CmIpHeader.isValid(buffer, AT));
        assertEquals(port & 0xffff, CmIpHeader.sourcePort(buffer, AT));
        assertEquals(source, CmIpHeader.sourceIpv4(buffer, AT));
        assertEquals(destination, CmIpHeader.destinationIpv4(buffer, AT));
        assertEquals(0, CmIpHeader.sourceHigh(buffer, AT));
        CmIpHeader.putIpv6(buffer, AT, port, a, b, c, d);
        assertTrue(CmIpHeader.isValid(buffer, AT));
        assertEquals(6, CmIpHeader.ipVersion(buffer, AT));
        assertEquals(a, CmIpHeader.sourceHigh(buffer, AT));
        assertEquals(b, CmIpHeader.sourceLow(buffer, AT));
        assertEquals(c, CmIpHeader.destinationHigh(buffer, AT));
        assertEquals(d, CmIpHeader.destinationLow(buffer, AT));
    }

    @Test
    void shouldRefuseOtherVersionsOfTheIpHeader() {
        for (int version = 0; version < 256; version++) {
            for (int ip = 0; ip < 16; ip++) {
                ByteBuffer buffer = ByteBuffer.allocate(CmIpHeader.LENGTH);
                buffer.put(0, (byte) version).put(1, (byte) (ip << 4 | 0xf));
                assertEquals(version == 0 && (ip == 4 || ip == 6), CmIpHeader.isValid(buffer, 0), version + " " + ip);
            }
        }
    }

    @Property
    void shouldMapPortsToServices(@ForAll short port) {
        long service = ServiceId.of(ServiceId.PORT_SPACE_TCP, port);
        assertEquals(ServiceId.PORT_SPACE_TCP, ServiceId.portSpace(service));
        assertEquals(port & 0xffff, ServiceId.port(service));
        assertEquals(0, ServiceId.portSpace(service | 1L << 32));
    }
}
