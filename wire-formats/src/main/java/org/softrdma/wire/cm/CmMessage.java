// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.cm;

import java.nio.ByteBuffer;
import org.softrdma.wire.mad.Mad;
import org.softrdma.wire.mad.Field;
import org.softrdma.wire.mad.MadField;

/**
 * Common part of all messages of communication management: a MAD's header, an AttributeID that says which message it is, fields, and
 * private data up to the end. Source: IBA vol 1 §12.6, §16.7.
 */
public final class CmMessage {
    /** Asks for a connection: {@link CmReq}. */
    public static final int REQ = 0x0010;
    /** The answer will take longer: {@link CmMra}. */
    public static final int MRA = 0x0011;
    /** No: {@link CmRej}. */
    public static final int REJ = 0x0012;
    /** Yes: {@link CmRep}. */
    public static final int REP = 0x0013;
    /** Ready to use, the answer to a REP. */
    public static final int RTU = 0x0014;
    /** Asks for the end of a connection: {@link CmDreq}. */
    public static final int DREQ = 0x0015;
    /** The answer to a DREQ. */
    public static final int DREP = 0x0016;
    /** Asks for the queue pair number of a service of datagrams: {@link CmSidrReq}. */
    public static final int SIDR_REQ = 0x0017;
    /** The answer to a SIDR_REQ: {@link CmSidrRep}. */
    public static final int SIDR_REP = 0x0018;
    /** Offers an alternate path: {@link CmLap}. */
    public static final int LAP = 0x0019;
    /** The answer to a LAP: {@link CmApr}. */
    public static final int APR = 0x001A;

    /** In MRA and REJ: what is answered is a REQ. */
    public static final int ANSWERS_REQ = 0;
    /** In MRA and REJ: what is answered is a REP. */
    public static final int ANSWERS_REP = 1;
    /** In a REJ: it answers no message in particular. In an MRA: it answers a LAP. */
    public static final int ANSWERS_OTHER = 2;

    /** Number the sender gave the connection, u32; not in SIDR_REQ and SIDR_REP, which have a {@link CmSidrReq#REQUEST_ID} there. */
    public static final Field LOCAL_COMM_ID = MadField.bytes(0, 4);
    /** Number the receiver gave the connection, u32; not in REQ, SIDR_REQ and SIDR_REP. */
    public static final Field REMOTE_COMM_ID = MadField.bytes(4, 4);

    private static final int FIRST = REQ;
    private static final String[] NAMES =
        {"REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP", "SIDR_REQ", "SIDR_REP", "LAP", "APR"};
    private static final int[] PRIVATE_DATA_OFFSETS = {140, 10, 84, 36, 8, 12, 8, 16, 96, 64, 84};

    private CmMessage() {
    }

    /**
     * {@return whether {@code attribute} is one of the eleven messages}
     *
     * @param attribute AttributeID, u16
     */
    public static boolean isKnown(int attribute) {
        return attribute >= FIRST && attribute < FIRST + NAMES.length;
    }

    /**
     * {@return the specification's name, such as "REQ"}
     *
     * @param attribute AttributeID, u16
     */
    public static String name(int attribute) {
        return isKnown(attribute) ? NAMES[attribute - FIRST] : "CM attribute 0x" + Integer.toHexString(attribute);
    }

    /**
     * {@return offset of the private data in the MAD; for a known message}
     *
     * @param attribute AttributeID, u16; one of the constants
     */
    public static int privateDataOffset(int attribute) {
        return Mad.HEADER_LENGTH + PRIVATE_DATA_OFFSETS[attribute - FIRST];
    }

    /**
     * {@return bytes of private data, sent whole whatever the application fills; for a known message}
     *
     * @param attribute AttributeID, u16; one of the constants
     */
    public static int privateDataLength(int attribute) {
        return Mad.LENGTH - privateDataOffset(attribute);
    }

    /**
     * Writes all 256 bytes: the header, and zero for every field.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param attribute AttributeID, u16; one of the constants
     * @param transactionId TransactionID, raw 64 bits
     */
    public static void begin(ByteBuffer b, int at, int attribute, long transactionId) {
        Mad.put(b, at, Mad.CLASS_CM, Mad.CM_CLASS_VERSION, Mad.METHOD_SEND, transactionId, attribute);
        for (int i = Mad.HEADER_LENGTH; i < Mad.LENGTH; i += Long.BYTES) {
            b.putLong(at + i, 0);
        }
    }

    /**
     * Copies the private data out.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @return a new array with all bytes of the private data
     */
    public static byte[] privateData(ByteBuffer b, int at) {
        int attribute = Mad.attribute(b, at);
        byte[] data = new byte[privateDataLength(attribute)];
        b.get(at + privateDataOffset(attribute), data);
        return data;
    }

    /**
     * Writes private data; what it does not fill stays.
     *
     * @param b buffer, big-endian
     * @param at offset of the MAD
     * @param data up to {@link #privateDataLength} bytes
     * @throws IndexOutOfBoundsException if there are more
     */
    public static void putPrivateData(ByteBuffer b, int at, byte[] data) {
        int attribute = Mad.attribute(b, at);
        if (data.length > privateDataLength(attribute)) {
            throw new IndexOutOfBoundsException(data.length + " bytes of private data; " + name(attribute) + " carries "
                + privateDataLength(attribute));
        }
        b.put(at + privateDataOffset(attribute), data);
    }
}
