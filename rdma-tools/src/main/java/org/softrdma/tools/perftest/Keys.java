// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.perftest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.softrdma.verbs.Gid;

/**
 * Address of one queue pair and of its memory, exchanged by the ends: as text over TCP and as a C structure over the connection manager.
 * Both forms are validated fully: the peer is not trusted.
 *
 * @param lid      16 bits, 0 on Ethernet
 * @param outReads READs and atomics it takes at once, 0..65535
 * @param qpn      24 bits
 * @param psn      24 bits, the first it sends
 * @param rkey     u32
 * @param address  of the memory, u64
 * @param srqn     of XRC, u32; else 0
 */
record Keys(int lid, int outReads, int qpn, int psn, int rkey, long address, Gid gid, int srqn) {
    /** Keys exchanged before there is a queue pair. */
    static final Keys NONE = new Keys(0, 0, 0, 0, 0, 0, Gid.ZERO, 0);
    /** Length of the text with its NUL, which is fixed. */
    static final int TEXT_BYTES = 108;
    /** {@code struct pingpong_dest} on 64-bit hosts. */
    static final int STRUCTURE_BYTES = 56;

    private static final int NUMBERS = 6;
    private static final int GID_BYTES = 16;
    private static final int ADDRESS_AT = 24;
    private static final int GID_AT = 32;
    private static final int SRQN_AT = 48;

    byte[] toText() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%04x:%04x:%06x:%06x:%08x:%016x:", lid, outReads, qpn, psn, rkey,
            address));
        for (int i = 0; i < GID_BYTES; i++) {
            text.append(String.format(Locale.ROOT, "%02x:", gidByte(i)));
        }
        return text.append(String.format(Locale.ROOT, "%08x:", srqn)).append('\0').toString().getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads keys.
     *
     * @throws IllegalArgumentException naming the error
     */
    static Keys ofText(byte[] message) {
        String text = new String(message, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('\0');
        String[] fields = (end < 0 ? text : text.substring(0, end)).split(":", -1);
        // The last colon is followed by one empty part.
        if (fields.length != NUMBERS + GID_BYTES + 2) {
            throw new IllegalArgumentException("it has " + (fields.length - 1) + " fields instead of " + (NUMBERS + GID_BYTES + 1));
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < GID_BYTES / 2; i++) {
            high = high << 8 | hex(fields[NUMBERS + i], 8);
            low = low << 8 | hex(fields[NUMBERS + GID_BYTES / 2 + i], 8);
        }
        return new Keys((int) hex(fields[0], 16), (int) hex(fields[1], 16), (int) hex(fields[2], 24), (int) hex(fields[3], 24),
            (int) hex(fields[4], 32), hex(fields[5], 64), new Gid(high, low), (int) hex(fields[NUMBERS + GID_BYTES], 32));
    }

    private static long hex(String digits, int bits) {
        if (digits.length() > 16 || !digits.matches("[0-9a-fA-F]+")) {
            throw new IllegalArgumentException("'" + digits + "' is no hexadecimal number of " + bits + " bits");
        }
        long value = Long.parseUnsignedLong(digits, 16);
        if (bits < Long.SIZE && value >>> bits != 0) {
            throw new IllegalArgumentException("'" + digits + "' has more than " + bits + " bits");
        }
        return value;
    }

    /** Formats keys. The last number is the sender's GID index, which receivers ignore. */
    byte[] toStructure() {
        return ByteBuffer.allocate(STRUCTURE_BYTES).putInt(lid).putInt(outReads).putInt(qpn).putInt(psn).putInt(rkey)
            .putLong(ADDRESS_AT, address).putLong(GID_AT, gid.high()).putLong(GID_AT + 8, gid.low()).putInt(SRQN_AT, srqn)
            .array();
    }

    /**
     * Reads keys.
     *
     * @throws IllegalArgumentException naming the error
     */
    static Keys ofStructure(byte[] message) {
        if (message.length != STRUCTURE_BYTES) {
            throw new IllegalArgumentException("it has " + message.length + " bytes instead of " + STRUCTURE_BYTES);
        }
        ByteBuffer in = ByteBuffer.wrap(message);
        return new Keys(limited("LID", in.getInt(), 16), limited("number of READs", in.getInt(), 16), limited("QPN", in.getInt(), 24),
            limited("PSN", in.getInt(), 24), in.getInt(), in.getLong(ADDRESS_AT),
            new Gid(in.getLong(GID_AT), in.getLong(GID_AT + 8)), in.getInt(SRQN_AT));
    }

    private static int limited(String what, int value, int bits) {
        if (value >>> bits != 0) {
            throw new IllegalArgumentException("its " + what + " 0x" + Integer.toHexString(value) + " has more than " + bits + " bits");
        }
        return value;
    }

    private int gidByte(int index) {
        long half = index < 8 ? gid.high() : gid.low();
        return (int) (half >>> 56 - 8 * (index & 7)) & 0xff;
    }

    /**
     * Lines that both ends print.
     *
     * @param side {@code local} or {@code remote}
     */
    String describe(String side, Verb verb) {
        StringBuilder text = new StringBuilder(" ").append(side).append(" address: LID ").append(prefixed(lid, 4)).append(" QPN ")
            .append(prefixed(qpn, 6)).append(" PSN ").append(prefixed(psn, 6));
        if (verb == Verb.READ) {
            text.append(" OUT ").append(prefixed(outReads, 4));
        }
        if (verb == Verb.READ || verb == Verb.WRITE) {
            text.append(" RKey ").append(prefixed(Integer.toUnsignedLong(rkey), 8)).append(" VAddr ").append(prefixed(address, 16));
        }
        text.append("\n GID: ");
        for (int i = 0; i < GID_BYTES; i++) {
            text.append(i == 0 ? "" : ":").append(String.format(Locale.ROOT, "%02d", gidByte(i)));
        }
        return text.append('\n').toString();
    }

    /** Formats as C's {@code %#0Nx}: the prefix counts, and zero has none. */
    private static String prefixed(long value, int width) {
        return value == 0 ? "0".repeat(width) : "0x" + String.format(Locale.ROOT, "%0" + (width - 2) + "x", value);
    }
}
