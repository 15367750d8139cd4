// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.softrdma.wire.CrcPolynomial;

/**
 * Correction that turns the CRC of four zeros, BTH and payload into the ICRC of a packet with headers before its BTH. A CRC is linear
 * ({@link CrcPolynomial}): the two differ by a number that depends on addresses, ports and length only. A connection's full packets all
 * have one length, so their headers are processed once.
 *
 * <p>Kept in a table of fixed size where newer entries replace older ones. Not thread-safe; never allocates.
 */
final class HeaderShare {
    /** Bytes. */
    static final int ZEROS = 4;
    private static final int CRC_OF_ZEROS = 0x2144_DF1C;
    private static final int SLOTS = 512;
    /** Both addresses, high and low, then ports and length; no packet has a length of 0. */
    private static final int KEY_WORDS = 5;
    /** Packets to this port are never looked at, so no UDP packet shares the key of a GRH. */
    private static final int NO_PORT = 0;

    private final long[] keys = new long[SLOTS * KEY_WORDS];
    private final int[] shares = new int[SLOTS];
    private final ByteBuffer headers = ByteBuffer.allocate(Icrc.IPV6_PREFIX_LENGTH);
    private final CRC32 crc = new CRC32();

    /**
     * With identification 0 and DF.
     *
     * @param udpPayloadLength bytes from BTH to the end of the ICRC, both inclusive
     */
    int ofIpv4(int srcIp, int dstIp, int srcPort, int dstPort, int udpPayloadLength) {
        int slot = slot(0, srcIp, 0, dstIp, key(srcPort, dstPort, udpPayloadLength));
        if (slot < 0) {
            slot = ~slot;
            Icrc.putIpv4Prefix(headers, Icrc.IPV4_PREFIX_LENGTH, srcIp, dstIp, 0, true, srcPort, dstPort, udpPayloadLength);
            fill(slot, Icrc.IPV4_PREFIX_LENGTH, udpPayloadLength);
        }
        return shares[slot];
    }

    /** @param udpPayloadLength bytes from BTH to the end of the ICRC, both inclusive */
    int ofIpv6(long srcHigh, long srcLow, long dstHigh, long dstLow, int srcPort, int dstPort, int udpPayloadLength) {
        int slot = slot(srcHigh, srcLow, dstHigh, dstLow, key(srcPort, dstPort, udpPayloadLength));
        if (slot < 0) {
            slot = ~slot;
            Icrc.putIpv6Prefix(headers, Icrc.IPV6_PREFIX_LENGTH, srcHigh, srcLow, dstHigh, dstLow, srcPort, dstPort, udpPayloadLength);
            fill(slot, Icrc.IPV6_PREFIX_LENGTH, udpPayloadLength);
        }
        return shares[slot];
    }

    /**
     * Of a GRH, without UDP.
     *
     * @param grhPayloadLength bytes from BTH to the end of the ICRC, both inclusive
     */
    int ofGrh(long srcHigh, long srcLow, long dstHigh, long dstLow, int grhPayloadLength) {
        int slot = slot(srcHigh, srcLow, dstHigh, dstLow, key(NO_PORT, NO_PORT, grhPayloadLength));
        if (slot < 0) {
            slot = ~slot;
            Icrc.putGrhPrefix(headers, Icrc.GRH_PREFIX_LENGTH, srcHigh, srcLow, dstHigh, dstLow, grhPayloadLength);
            fill(slot, Icrc.GRH_PREFIX_LENGTH, grhPayloadLength);
        }
        return shares[slot];
    }

    private static long key(int srcPort, int dstPort, int length) {
        return (long) srcPort << 48 | (long) dstPort << 32 | length;
    }

    /** Where it stands; or, if it is new, the complement of where it stands from now on. */
    private int slot(long srcHigh, long srcLow, long dstHigh, long dstLow, long key) {
        long mixed = (srcHigh * 31 + srcLow * 7 + dstHigh * 5 + dstLow + key) * 0x9E37_79B9_7F4A_7C15L;
        int slot = (int) (mixed >>> 55);
        long[] k = keys;
        int at = slot * KEY_WORDS;
        if (k[at + 4] == key && k[at + 1] == srcLow && k[at + 3] == dstLow && k[at] == srcHigh && k[at + 2] == dstHigh) {
            return slot;
        }
        k[at] = srcHigh;
        k[at + 1] = srcLow;
        k[at + 2] = dstHigh;
        k[at + 3] = dstLow;
        k[at + 4] = key;
        return ~slot;
    }

    private void fill(int slot, int headerBytes, int payloadLength) {
        crc.reset();
        crc.update(headers.array(), 0, headerBytes);
        shares[slot] = CrcPolynomial.multiply((int) crc.getValue() ^ CRC_OF_ZEROS, CrcPolynomial.power(payloadLength - Icrc.LENGTH));
    }
}
