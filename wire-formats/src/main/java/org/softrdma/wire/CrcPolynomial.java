// SPDX-License-Identifier: Apache-2.0
package org.softrdma.wire;

/**
 * Polynomials over GF(2) modulo that of CRC-32, as 32 bits of which bit 31 is x^0. A CRC is linear in them: the CRC of two parts one behind
 * the other is the first part's times x^(8n), where n bytes are in the second, plus the second's. Addition is exclusive-or.
 */
public final class CrcPolynomial {
    private static final int POLYNOMIAL = 0xEDB8_8320;
    private static final int X_TO_0 = 0x8000_0000;

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

    private CrcPolynomial() {
    }

    /**
     * x^(8n).
     *
     * @param bytes n, 0..2^31−1
     * @return the polynomial, 32 bits
     */
    public static int power(int bytes) {
        return product(POWER, bytes);
    }

    /**
     * x^−(8n).
     *
     * @param bytes n, 0..2^31−1
     * @return the polynomial, 32 bits
     */
    public static int inversePower(int bytes) {
        return product(INVERSE, bytes);
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

    /**
     * {@return a · b} Quick when a has low powers of x only.
     *
     * @param a a polynomial, 32 bits
     * @param b a polynomial, 32 bits
     */
    public static int multiply(int a, int b) {
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
