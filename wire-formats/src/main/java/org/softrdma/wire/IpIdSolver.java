// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire;

import java.util.Arrays;

/**
 * Finds the IPv4 identification a UDP socket hides, from the ICRC that covers it, and so checks that ICRC.
 *
 * <p>A CRC is linear over GF(2): two packets that differ in their IDs only have ICRCs that differ by
 * {@code id(x) · x^(32 + 8n) mod P}, where n is the number of covered bytes after the ID field. Multiplying the difference by the
 * inverse of that power of x gives the ID back. A damaged packet gives a polynomial of degree 16 or more instead, except one in 2^16 by
 * chance: checking that a solved ID follows the peer's last one tightens that.
 *
 * <p>The inverse power is kept per packet length in a table of fixed size where newer lengths replace older ones. Not thread-safe;
 * {@link #solve} never allocates.
 */
public final class IpIdSolver {
    /** CRC-32 polynomial, bit 31 = x^0. */
    private static final int POLYNOMIAL = 0xEDB8_8320;
    private static final int X_TO_0 = 0x8000_0000;
    private static final int SLOTS = 1024;
    private static final int UNUSED = -1;

    /** INVERSE[k] = x^−(8 · 2^k): one step per bit of a byte count. */
    private static final int[] INVERSE = new int[31];
    /** POWER[k] = x^(8 · 2^k). */
    private static final int[] POWER = new int[31];

    static {
        int inverse = X_TO_0;
        for (int i = 0; i < 8; i++) {
            inverse = divideByX(inverse);
        }
        int power = X_TO_0 >>> 8;
        for (int k = 0; k < INVERSE.length; k++) {
            INVERSE[k] = inverse;
            POWER[k] = power;
            inverse = multiply(inverse, inverse);
            power = multiply(power, power);
        }
    }

    private final int[] lengths = new int[SLOTS];
    private final int[] inverses = new int[SLOTS];
    private final int[] powers = new int[SLOTS];

    /** A solver of its own for each thread or agent; 12 KiB. */
    public IpIdSolver() {
        Arrays.fill(lengths, UNUSED);
    }

    /**
     * Covered bytes after the ID field of an IPv4 RoCE v2 packet without IP options: 14 of IP, 8 of UDP, and BTH to pad.
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
        int id = multiply(difference, inverse(bytesAfterId));
        return (id & 0xFFFF) != 0 ? -1 : id >>> 8 & 0xFF00 | id >>> 24;
    }

    /**
     * By how much an ICRC computed with ID 0 differs from the one with another ID: exclusive-or the two. Cheap for small IDs.
     *
     * @param id 0..65535
     * @param bytesAfterId see {@link #bytesAfterId}
     */
    public int difference(int id, int bytesAfterId) {
        int slot = slot(bytesAfterId);
        int asPolynomial = id << 24 | (id & 0xFF00) << 8;
        return multiply(asPolynomial, powers[slot]);
    }

    /** x^−(32 + 8n). */
    private int inverse(int bytesAfterId) {
        return inverses[slot(bytesAfterId)];
    }

    private int slot(int bytesAfterId) {
        int slot = (bytesAfterId ^ bytesAfterId >>> 10) & SLOTS - 1;
        if (lengths[slot] != bytesAfterId) {
            inverses[slot] = multiply(INVERSE[2], product(INVERSE, bytesAfterId));
            powers[slot] = multiply(POWER[2], product(POWER, bytesAfterId));
            lengths[slot] = bytesAfterId;
        }
        return slot;
    }

    private static int product(int[] factors, int bytes) {
        int product = X_TO_0;
        for (int k = 0; k < factors.length; k++) {
            if ((bytes >>> k & 1) != 0) {
                product = multiply(product, factors[k]);
            }
        }
        return product;
    }

    /** a · b mod P. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int rest = a; rest != 0; rest <<= 1) {
            product ^= shifted & rest >> 31;
            shifted = shifted >>> 1 ^ POLYNOMIAL & -(shifted & 1);
        }
        return product;
    }

    private static int divideByX(int a) {
        return a < 0 ? (a ^ POLYNOMIAL) << 1 | 1 : a << 1;
    }
}
