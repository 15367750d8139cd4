// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

import java.util.Arrays;
import org.softrdma.wire.CrcPolynomial;
import org.softrdma.wire.net.Ipv4;
import org.softrdma.wire.net.Udp;

/**
 * Finds the IPv4 identification a UDP socket hides, from the ICRC that covers it, and so checks that ICRC.
 *
 * <p>A CRC is linear ({@link CrcPolynomial}): two packets that differ in their IDs only have ICRCs that differ by
 * {@code id(x) · x^(32 + 8n) mod P}, where n is the number of covered bytes after the ID field. Multiplying the difference by the
 * inverse of that power of x gives the ID back. A damaged packet gives a polynomial of degree 16 or more instead, except one in 2^16 by
 * chance: checking that a solved ID follows the peer's last one tightens that.
 *
 * <p>The inverse power is kept per packet length in a table of fixed size where newer lengths replace older ones. Not thread-safe;
 * {@link #solve} never allocates.
 */
public final class IpIdSolver {
    private static final int SLOTS = 1024;
    private static final int UNUSED = -1;

    private final int[] lengths = new int[SLOTS];
    private final int[] inverses = new int[SLOTS];
    private final int[] powers = new int[SLOTS];

    /** A solver of its own for each thread or agent; 12 KiB. */
    public IpIdSolver() {
        Arrays.fill(lengths, UNUSED);
    }

    /**
     * {@return covered bytes after the ID field of an IPv4 RoCE v2 packet without IP options: 14 of IP, 8 of UDP, and BTH to pad}
     *
     * @param bthAt offset of the BTH
     * @param end offset of the ICRC
     */
    public static int bytesAfterId(int bthAt, int end) {
        return Ipv4.LENGTH - Ipv4.ID_OFFSET - 2 + Udp.LENGTH + end - bthAt;
    }

    /**
     * The ID that turns one ICRC into the other.
     *
     * @param icrcWithIdZero ICRC computed with ID 0 and everything else as on the wire, DF included
     * @param receivedIcrc ICRC the packet came with
     * @param bytesAfterId see {@link #bytesAfterId}, 0..2^31−1
     * @return 0..65535, or −1 if no ID explains the difference: the packet is damaged
     */
    public int solve(int icrcWithIdZero, int receivedIcrc, int bytesAfterId) {
        int difference = icrcWithIdZero ^ receivedIcrc;
        if (difference == 0) {
            return 0;
        }
        // Bit 31 is x^0, bit 16 x^15: a 16-bit message leaves the low half empty. Bytes come out bit-reversed, first byte lowest.
        int id = CrcPolynomial.multiply(difference, inverse(bytesAfterId));
        return (id & 0xFFFF) != 0 ? -1 : id >>> 8 & 0xFF00 | id >>> 24;
    }

    /**
     * {@return the difference (exclusive-or) between an ICRC computed with ID 0 and the one with another ID} Cheap for small IDs.
     *
     * @param id 0..65535
     * @param bytesAfterId see {@link #bytesAfterId}
     */
    public int difference(int id, int bytesAfterId) {
        int slot = slot(bytesAfterId);
        int asPolynomial = id << 24 | (id & 0xFF00) << 8;
        return CrcPolynomial.multiply(asPolynomial, powers[slot]);
    }

    /** x^−(32 + 8n). */
    private int inverse(int bytesAfterId) {
        return inverses[slot(bytesAfterId)];
    }

    private int slot(int bytesAfterId) {
        int slot = (bytesAfterId ^ bytesAfterId >>> 10) & SLOTS - 1;
        if (lengths[slot] != bytesAfterId) {
            inverses[slot] = CrcPolynomial.inversePower(bytesAfterId + Integer.BYTES);
            powers[slot] = CrcPolynomial.power(bytesAfterId + Integer.BYTES);
            lengths[slot] = bytesAfterId;
        }
        return slot;
    }
}
