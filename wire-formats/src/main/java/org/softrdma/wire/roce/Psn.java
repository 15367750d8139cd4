// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire.roce;

/**
 * Packet sequence numbers: 24 bits, wrapping. Two PSNs are ordered only within half the circle, 2^23. Source: IBA vol 1 §9.7.2.
 */
public final class Psn {
    /** The bits a PSN has. */
    public static final int MASK = 0xFFFFFF;

    private Psn() {
    }

    /**
     * {@return PSN {@code n} packets later; {@code n} may be negative}
     *
     * @param psn PSN, u24
     * @param n packets, may be negative
     */
    public static int add(int psn, int n) {
        return psn + n & MASK;
    }

    /**
     * {@return PSN of the following packet}
     *
     * @param psn PSN, u24
     */
    public static int next(int psn) {
        return psn + 1 & MASK;
    }

    /**
     * {@return sign of the 24-bit difference {@code a − b}: negative if {@code a} comes before {@code b}} Exactly 2^23 apart counts as
     * negative both ways; such PSNs are outside every valid window.
     *
     * @param a the first PSN, u24
     * @param b the second PSN, u24
     */
    public static int compare(int a, int b) {
        return a - b << 8;
    }

    /**
     * {@return packets from {@code from} forward to {@code to}, 0..2^24−1}
     *
     * @param from the earlier PSN, u24
     * @param to the later PSN, u24
     */
    public static int distance(int from, int to) {
        return to - from & MASK;
    }
}
